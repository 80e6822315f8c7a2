#include "eval/table.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/strings.h"
#include "eval/csv.h"
#include "eval/report.h"
#include "eval/svg.h"
#include "eval/unicode.h"

namespace heed::eval {
namespace {

using Row = std::vector<std::string>;

std::size_t width_of(const std::string& text) {
  return decode_utf8(text).size();
}

std::string html_row(const Row& row, const char* cell) {
  std::string out = "<tr>";
  for (const std::string& field : row)
    out += std::string("<") + cell + ">" + xml_escape(field) + "</" + cell + ">";
  return out + "</tr>\n";
}

std::string html_table(const Table& table) {
  std::string out = "<div class=\"wide\"><table>\n<thead>" + html_row(table.columns, "th") +
                    "</thead>\n<tbody>\n";
  for (const Row& row : table.rows) out += html_row(row, "td");
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string table_text(const Table& table, const std::set<std::size_t>& left) {
  std::vector<Row> rows = {table.columns};
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const Row& row : rows) {
    expect(row.size() == widths.size(), "a row of a table has a field for every column");
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - width_of(row[c]), ' ');
      line += (c ? "  " : "") + (left.contains(c) ? row[c] + padding : padding + row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string table_csv(const Table& table) {
  const auto line = [](const Row& row) {
    Row fields;
    for (const std::string& field : row) fields.push_back(csv_field(field));
    return join(fields, ",") + '\n';
  };
  std::string out = line(table.columns);
  for (const Row& row : table.rows) out += line(row);
  return out;
}

double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y) {
  expect(x.size() == y.size() && x.size() >= 2, "an exponent needs two points");
  const auto count = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, product = 0, square = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / count;
    mean_y += std::log(y[i]) / count;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    product += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    square += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  expect(square > 0, "an exponent needs two different x");
  return product / square;
}

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
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         xml_escape(title) + "</title>\n<style>" + kReportStyle +
         "</style>\n</head>\n<body>\n<h1>" + xml_escape(title) + "</h1>\n<ul>\n" + list +
         "</ul>\n" + body + "</body>\n</html>\n";
}

}  // namespace heed::eval
