#include "draw/experiments.h"

#include "draw/page/page.h"
#include "draw/svg.h"

namespace heed::draw {
namespace {

using Row = std::vector<std::string>;

std::string html_row(const Row& row, const char* cell) {
  std::string out = "<tr>";
  for (const std::string& field : row)
    out += std::string("<") + cell + ">" + xml_escape(field) + "</" + cell + ">";
  return out + "</tr>\n";
}

std::string html_table(const text::Table& table) {
  std::string out = "<div class=\"wide\"><table>\n<thead>" + html_row(table.columns, "th") +
                    "</thead>\n<tbody>\n";
  for (const Row& row : table.rows) out += html_row(row, "td");
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string experiments_page(const std::string& title, const std::vector<Experiment>& experiments) {
  std::string list, body;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const Experiment& experiment = experiments[i];
    const std::string id = "e" + std::to_string(i + 1), name = xml_escape(experiment.name);
    list += "<li><a href=\"#" + id + "\">" + name + "</a></li>\n";
    body += "<h2 id=\"" + id + "\">" + name + "</h2>\n";
    for (const std::string& picture : experiment.pictures)
      body += "<figure class=\"curve\">" + picture + "</figure>\n";
    if (!experiment.table.columns.empty()) body += html_table(experiment.table);
  }
  return fill(page_file("report.html"),
              {{"@title@", xml_escape(title)},
               {"@style@", page_file("report.css")},
               {"@body@", "<h1>" + xml_escape(title) + "</h1>\n<ul>\n" + list + "</ul>\n" + body}});
}

}  // namespace heed::draw
