#include "decode/search/encoded_lines.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "data/example.h"
#include "decode/search/pieces.h"
#include "text/normal_form.h"
#include "text/utf8.h"

namespace heed::decode {

EncodedLines encode_lines(std::span<const MemberText> members,
                          const std::vector<std::string>& lines, const LineNumbers& numbers,
                          const Glossary* glossary, int64_t most, const std::vector<bool>& unread) {
  EncodedLines out;
  out.lengths.assign(lines.size(), 0);
  std::vector<std::string> marked;
  if (glossary != nullptr && glossary->is_inline())
    for (const std::string& line : lines) marked.push_back(glossary->marked(line));
  const std::vector<std::string>& read = marked.empty() ? lines : marked;
  std::set<int64_t> cut;  // several members may cut a line
  for (const MemberText& member : members) {
    auto& examples = out.members.emplace_back();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const int64_t number = numbers.of(static_cast<int64_t>(i));
      examples.push_back({.source = member.source.encode(read[i], most),
                          .origin = {0, number},
                          .source_end = member.source.has_end()});
      auto& source = examples.back().source;
      // Some vocabularies keep blanks.
      if ((!unread.empty() && unread[i]) || text::is_blank(lines[i])) source.clear();
      if (&member == &members.front()) {
        if (knows_nothing(member.source, source)) out.strange.add(number);
        const auto unknown = std::ranges::count(source, text::kUnknown);
        out.pieces += std::ssize(source);
        out.unknown += unknown;
        out.decomposed += unknown > 0 && text::is_decomposed(lines[i]);
      }
      if (std::ssize(source) > most) {
        source.resize(most);
        cut.insert(number);
      }
      out.lengths[i] = std::max<int64_t>(out.lengths[i], std::ssize(source));
    }
  }
  for (const int64_t number : cut) out.cut.add(number);
  return out;
}

}  // namespace heed::decode
