// Sentences beside their translations.
#include <cstddef>
#include <string>
#include <vector>

#include "base/strings.h"
#include "draw/page_data.h"
#include "draw/pages.h"

namespace heed::draw {

std::string pairs_page(const std::vector<std::string>& sources,
                       const std::vector<std::string>& translations, const std::string& title) {
  std::vector<std::vector<Cell>> rows;
  for (std::size_t i = 0; i < sources.size(); ++i)
    rows.push_back({{sources[i]}, {translations.at(i)}});
  return render_page("pairs", {{"title", title},
                               {"headline", counted(std::ssize(sources), "sentence")},
                               {"table", table_data({{"source"}, {"translation"}}, rows)}});
}

}  // namespace heed::draw
