#include "benchmarks/bench/page.h"

#include <algorithm>

#include "draw/page_data.h"

namespace heed::bench {
namespace {

constexpr const char* kPage = R"({{> head.html}}
{{> report.css}}
.long { white-space: normal; overflow-wrap: anywhere; }
/* With letters that can be read; what is wider than the window is moved by hand. */
.curve { overflow-x: auto; }
.curve svg { max-width: none; }
@media screen and (max-width: 46rem) {
  .blocks td:has(.long) { grid-column: 1 / -1; }
}
{{> body.html}}
<ul>
{{#experiments}}
<li><a href="#{{id}}">{{name}}</a></li>
{{/experiments}}
</ul>
{{#experiments}}
<h2 id="{{id}}">{{name}}</h2>
{{#pictures}}
<figure class="curve" tabindex="0" aria-label="picture of {{name}}">{{{svg}}}</figure>
{{/pictures}}
{{#table}}{{> table.html}}{{/table}}
{{/experiments}}
</body>
</html>
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

}  // namespace

std::string experiments_page(const std::string& title, const std::vector<Experiment>& experiments) {
  draw::PageData list = draw::PageData::array();
  for (const Experiment& one : experiments) {
    draw::PageData pictures = draw::PageData::array();
    for (const std::string& picture : one.pictures)
      pictures.push_back({{"name", one.name}, {"svg", picture}});
    list.push_back({{"id", "e" + std::to_string(list.size() + 1)},
                    {"name", one.name},
                    {"pictures", std::move(pictures)},
                    {"table", html_table(one.table)}});
  }
  return draw::render_page(kPage, {{"title", title}, {"experiments", std::move(list)}});
}

}  // namespace heed::bench
