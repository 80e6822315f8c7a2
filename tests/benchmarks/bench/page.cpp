#include "benchmarks/bench/page.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "base/strings.h"
#include "draw/page_data.h"

namespace heed::bench {
namespace {

constexpr const char* kStyle = R"({{> report.css}}
.long { white-space: normal; overflow-wrap: anywhere; }
/* With letters that can be read; what is wider than the window is moved by hand. */
.curve { overflow-x: auto; }
.curve svg { max-width: none; }
@media screen and (max-width: 46rem) {
  .blocks td:has(.long) { grid-column: 1 / -1; }
}
)";

constexpr const char* kBody = R"(<ul>
{{#experiments}}
<li><a href="#{{id}}">{{name}}</a></li>
{{/experiments}}
</ul>
{{#experiments}}
<h2 id="{{id}}">{{name}}</h2>
{{#headline}}<p class="headline">{{headline}}</p>{{/headline}}
{{#pictures}}
<figure class="curve" tabindex="0" aria-label="picture of {{name}}">{{{svg}}}</figure>
{{/pictures}}
{{#table}}{{> table.html}}{{/table}}
{{/experiments}}
)";

/// Names of columns are words here, and long text may be broken, so that a table is no wider than
/// the page.
draw::PageData html_table(const text::Table& shown) {
  constexpr std::size_t kLong = 12;
  if (shown.columns.empty()) return nullptr;
  std::vector<draw::Column> columns;
  for (std::string name : shown.columns) {
    std::ranges::replace(name, '_', ' ');
    columns.push_back({name});
  }
  std::vector<std::vector<draw::Cell>> rows;
  for (const std::vector<std::string>& row : shown.rows) {
    rows.emplace_back();
    for (const std::string& text : row)
      rows.back().push_back({text, text.size() > kLong ? "long" : ""});
  }
  return draw::table_data(columns, rows);
}

using Row = std::vector<std::string>;

double number_of(const std::string& text) {
  return exact_number<double>(text).value_or(0);
}

/// The slowest and the fastest way at the largest size, of rows of `attention`, a size and a time.
std::string slowest_and_fastest(const text::Table& table) {
  const auto size = [](const Row& row) { return number_of(row[1]); };
  const auto time = [](const Row& row) { return number_of(row[2]); };
  const double largest = std::ranges::max(table.rows | std::views::transform(size));
  std::vector<Row> rows;
  std::ranges::copy_if(table.rows, std::back_inserter(rows),
                       [&](const Row& row) { return size(row) == largest && time(row) > 0; });
  if (rows.size() < 2) return "";
  const auto [fastest, slowest] = std::ranges::minmax(rows, {}, time);
  return fmt::format("At {} {}, {} takes {:.1f} times as long as {}.", table.columns[1], slowest[1],
                     slowest[0], time(slowest) / time(fastest), fastest[0]);
}

/// The fastest of rows of speeds.
std::string fastest_of(const text::Table& table, std::size_t speed) {
  const auto number = [&](const Row& row) { return number_of(row[speed]); };
  const auto [slowest, fastest] = std::ranges::minmax_element(table.rows, {}, number);
  const auto name = [&](const Row& row) {
    std::string text = row[0];
    for (std::size_t i = 1; i < speed; ++i)
      if ((table.columns[i] == "batch" || table.columns[i] == "beam") &&
          (*slowest)[i] != (*fastest)[i])
        text += fmt::format(", {} {}", table.columns[i], row[i]);
    return text;
  };
  std::string unit = table.columns[speed];
  std::ranges::replace(unit, '_', ' ');
  if (slowest == fastest || number(*slowest) <= 0)
    return fmt::format("{}: {} {}.", name(*fastest), (*fastest)[speed], unit);
  return fmt::format("{} is fastest: {} {}, {:.1f} times as many as {}.", name(*fastest),
                     (*fastest)[speed], unit, number(*fastest) / number(*slowest), name(*slowest));
}

/// The sentence to remember of a table; empty for other tables.
std::string headline_of(const text::Table& table) {
  if (table.rows.empty()) return "";
  if (table.columns[0] == "attention" && table.columns.size() > 2)
    return slowest_and_fastest(table);
  for (const char* const speed : {"tokens_per_s", "sentences_per_second"})
    if (const auto found = std::ranges::find(table.columns, speed); found != table.columns.end())
      return fastest_of(table, found - table.columns.begin());
  return "";
}

}  // namespace

std::string experiments_page(const std::string& title, const std::vector<Experiment>& experiments) {
  draw::PageData list = draw::PageData::array();
  for (const Experiment& one : experiments) {
    draw::PageData pictures = draw::PageData::array();
    for (const std::string& picture : one.pictures)
      pictures.push_back({{"name", one.name}, {"svg", picture}});
    list.push_back({{"id", "e" + std::to_string(list.size() + 1)},
                    {"name", one.name},
                    {"headline", headline_of(one.table)},
                    {"pictures", std::move(pictures)},
                    {"table", html_table(one.table)}});
  }
  return draw::render_parts({.style = kStyle, .body = kBody},
                            {{"title", title}, {"experiments", std::move(list)}});
}

}  // namespace heed::bench
