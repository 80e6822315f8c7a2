#include "draw/experiments.h"

#include <algorithm>

#include "draw/page_data.h"

namespace heed::draw {
namespace {

/// Names of columns are words here, and long text may be broken, so that a table is no wider than
/// the page.
PageData html_table(const text::Table& shown) {
  constexpr std::size_t kLong = 12;
  if (shown.columns.empty()) return nullptr;
  std::vector<Column> columns;
  for (std::string name : shown.columns) {
    std::ranges::replace(name, '_', ' ');
    columns.push_back({name});
  }
  std::vector<std::vector<Cell>> rows;
  for (const std::vector<std::string>& row : shown.rows) {
    rows.emplace_back();
    for (const std::string& text : row)
      rows.back().push_back({text, text.size() > kLong ? "long" : ""});
  }
  return table_data(columns, rows);
}

}  // namespace

std::string experiments_page(const std::string& title, const std::vector<Experiment>& experiments) {
  PageData list = PageData::array();
  for (const Experiment& one : experiments) {
    PageData pictures = PageData::array();
    for (const std::string& picture : one.pictures)
      pictures.push_back({{"name", one.name}, {"svg", picture}});
    list.push_back({{"id", "e" + std::to_string(list.size() + 1)},
                    {"name", one.name},
                    {"pictures", std::move(pictures)},
                    {"table", html_table(one.table)}});
  }
  return render("experiments.html", {{"title", title}, {"experiments", std::move(list)}});
}

}  // namespace heed::draw
