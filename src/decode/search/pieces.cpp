#include "decode/search/pieces.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace heed::decode {

std::vector<int32_t> first_pieces(const text::Vocabulary& vocabulary, const std::string& line,
                                  int64_t most) {
  std::vector<int32_t> ids = vocabulary.encode(line, most);
  if (std::ssize(ids) > most) ids.resize(most);
  return ids;
}

std::vector<std::string> piece_names(const text::Vocabulary& vocabulary,
                                     const std::vector<int32_t>& ids) {
  std::vector<std::string> out;
  out.reserve(ids.size() + 1);
  for (const int32_t id : ids) out.push_back(vocabulary.piece(id));
  out = vocabulary.with_word_starts(std::move(out));
  for (std::string& name : out) name = text::one_clean_line(name);
  for (std::size_t i = 0; i < vocabulary.symbols_before(ids); ++i) out[i].insert(0, "<s>");
  out.push_back("</s>");
  return out;
}

std::vector<std::string> unknown_pieces(const text::Vocabulary& vocabulary, const std::string& text,
                                        const std::vector<int32_t>& ids) {
  std::vector<std::string> out;
  if (std::find(ids.begin(), ids.end(), text::kUnknown) == ids.end()) return out;
  const std::vector<std::string> names = vocabulary.spell(text, std::ssize(ids));
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] == text::kUnknown) out.push_back(names[i]);
  return out;
}

std::vector<int64_t> never_produced(const text::Vocabulary& vocabulary,
                                    const std::vector<std::string>& forbidden) {
  std::vector<int64_t> out{text::kPad, text::kBegin};
  for (const std::string& name : forbidden) {
    const auto id = vocabulary.id_of(name);
    if (!id)
      throw UserError(
          "decoding.forbid: '{}' is no piece of the target vocabulary, which spells it {}; name "
          "pieces",
          one_line(name), one_line(join(vocabulary.spell(name), " ")));
    out.push_back(*id);
  }
  return out;
}

bool knows_nothing(const text::Vocabulary& vocabulary, const std::vector<int32_t>& ids) {
  return std::ranges::find(ids, text::kUnknown) != ids.end() &&
         std::all_of(ids.begin() + static_cast<std::ptrdiff_t>(vocabulary.symbols_before(ids)),
                     ids.end(), [&](int32_t id) {
                       return id == text::kUnknown || vocabulary.piece(id) == text::kWordStart;
                     });
}

}  // namespace heed::decode
