#include "draw/experiments.h"

#include <algorithm>

#include "draw/html.h"
#include "draw/page/page.h"
#include "draw/svg.h"

namespace heed::draw {
namespace {

/// Names of columns are words here, and long text may be broken, so that a table is no wider than
/// the page.
std::string html_table(const text::Table& shown) {
  constexpr std::size_t kLong = 12;
  std::vector<std::string> names = shown.columns;
  for (std::string& name : names) std::ranges::replace(name, '_', ' ');
  std::vector<std::vector<std::string>> rows = shown.rows;
  for (std::vector<std::string>& row : rows)
    for (std::string& cell : row)
      cell = cell.size() > kLong ? text_element("span", cell, "class=\"long\"") : xml_escape(cell);
  return table(columns_of(names), rows);
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
      body += element("figure", picture,
                      "class=\"curve\" tabindex=\"0\" aria-label=\"picture of " + name + '"') +
              '\n';
    if (!experiment.table.columns.empty()) body += html_table(experiment.table);
  }
  return fill(page_file("report.html"),
              {{"@title@", xml_escape(title)},
               {"@style@", page_file("report.css")},
               {"@body@", "<h1>" + xml_escape(title) + "</h1>\n<ul>\n" + list + "</ul>\n" + body}});
}

}  // namespace heed::draw
