#include "draw/page/page.h"

#include "base/error.h"
#include "draw/page/embedded.h"

namespace heed::draw {

std::string_view page_file(std::string_view name) {
  for (const auto& [known, text] : kPageFiles)
    if (name == known) return text;
  throw Bug("no page file is called " + std::string(name));
}

std::string fill(std::string_view page,
                 std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
  std::string out;
  for (std::size_t at = 0; at < page.size();) {
    bool filled = false;
    for (const auto& [marker, value] : values) {
      if (page[at] != '@' || !page.substr(at).starts_with(marker)) continue;
      out += value;
      at += marker.size();
      filled = true;
      break;
    }
    if (!filled) out += page[at++];
  }
  return out;
}

}  // namespace heed::draw
