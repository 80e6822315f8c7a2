// The page of what was measured into a folder.
#pragma once

#include <string>
#include <vector>

#include "text/table.h"

namespace heed::bench {

/// One experiment of a page.
struct Experiment {
  std::string name;                   // heading
  text::Table table;                  // may be empty
  std::vector<std::string> pictures;  // SVG documents
};

/// One HTML file without outside parts: experiments one below the other, with a list of them.
std::string experiments_page(const std::string& title, const std::vector<Experiment>& experiments);

}  // namespace heed::bench
