#include "text/line_cuts.h"

#include <algorithm>

#include "base/error.h"

namespace heed::text {
namespace {

std::string_view without_last_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

void LineCuts::add(const std::string& symbol, int32_t id, const SymbolCut& cut) {
  if (cut.place != SymbolPlace::anywhere && cut.place != SymbolPlace::first) return;
  expect(!symbol.empty(), "a symbol with letters");
  symbols_.insert_or_assign(symbol, CutSymbol{id, cut});
  longest_ = std::max(longest_, symbol.size());
  begins_[static_cast<unsigned char>(symbol.front())] = true;
}

LineCuts::Symbols::const_iterator LineCuts::longest_at(std::string_view rest, bool first) const {
  if (!begins_[static_cast<unsigned char>(rest.front())]) return symbols_.end();
  for (std::size_t size = std::min(longest_, rest.size()); size > 0; --size) {
    const auto found = symbols_.find(rest.substr(0, size));
    if (found != symbols_.end() && (first || found->second.cut.place == SymbolPlace::anywhere))
      return found;
  }
  return symbols_.end();
}

std::vector<LineCuts::CutPart> LineCuts::parts_of(std::string_view line) const {
  std::vector<CutPart> parts;
  std::size_t begin = 0;     // of the text that is not a part yet
  bool may_be_first = true;  // whether a symbol that is only found first may be there
  const auto take_text = [&](std::size_t end, const SymbolCut& next) {
    std::string_view text = line.substr(begin, end - begin);
    if (next.drops_left) text = without_last_blanks(text);
    if (!text.empty()) parts.push_back({.text = text, .keeps_blank = next.keeps_blank});
  };
  for (std::size_t at = 0; at < line.size();) {
    const auto found = longest_at(line.substr(at), at == begin && may_be_first);
    if (found == symbols_.end()) {
      ++at;
      continue;
    }
    const auto& [symbol, known] = *found;
    take_text(at, known.cut);
    parts.push_back({.text = line.substr(at, symbol.size()), .symbol = known.id});
    at += symbol.size();
    if (known.cut.drops_right) at = std::min(line.find_first_not_of(' ', at), line.size());
    begin = at;
    // What stands after a symbol that was found first is the rest of the same part.
    may_be_first = known.cut.place == SymbolPlace::anywhere;
  }
  take_text(line.size(), {});
  return parts;
}

}  // namespace heed::text
