#include "exchange/side_vocabularies.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <regex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"

namespace heed::exchange {

std::vector<std::string> languages_among(const std::vector<std::string>& pieces) {
  static const std::regex pattern(
      ">>[^<> ]+<<|__[a-z]{2,3}__|[a-z]{3}_[A-Z][a-z]{3}|[a-z]{2}_[A-Z]{2}");
  std::vector<std::string> languages;
  std::ranges::copy_if(pieces, std::back_inserter(languages), [](const std::string& piece) {
    return piece.size() < 32 && std::regex_match(piece, pattern);
  });
  return languages;
}

std::vector<text::ForeignSymbol> language_symbols(const std::vector<std::string>& pieces,
                                                  const text::SymbolCut& cut) {
  std::vector<text::ForeignSymbol> symbols;
  for (std::string& language : languages_among(pieces))
    symbols.push_back({std::move(language), cut});
  return symbols;
}

std::vector<std::string> name_rows(std::vector<std::string>& names, int64_t rows) {
  std::vector<std::string> unnamed;
  names.resize(rows);
  for (std::size_t id = 0; id < names.size(); ++id) {
    if (!names[id].empty()) continue;
    names[id] = fmt::format("<unused {}>", id);
    unnamed.push_back(names[id]);
  }
  return unnamed;
}

SegmentFile segment_file(const Package& package, const std::string& file) {
  return {std::string(package.read(file).view), package.place_of(file)};
}

SideVocabularies one_vocabulary(const SegmentFile& file, const text::ForeignPieces& pieces) {
  const auto both =
      text::rearranged(file.bytes, pieces, text::pieces_outside(file.bytes, pieces, file.place),
                       file.place, text::Outside::unknown);
  return {both, both, /*joint=*/true};
}

SideVocabularies two_vocabularies(const SegmentFile& source_file, const SegmentFile& target_file,
                                  const text::ForeignPieces& source,
                                  const text::ForeignPieces& target, bool shared) {
  if (shared && source_file.bytes == target_file.bytes) return one_vocabulary(source_file, source);
  const auto outside = [](const SegmentFile& file, const text::ForeignPieces& pieces) {
    return text::pieces_outside(file.bytes, pieces, file.place);
  };
  std::vector<std::string> of_source = outside(source_file, source),
                           of_target = outside(target_file, target);
  if (shared) {
    std::unordered_set<std::string> known(of_source.begin(), of_source.end());
    for (const std::string& piece : of_target)
      if (known.insert(piece).second) of_source.push_back(piece);
    of_target = of_source;
  }
  return {text::rearranged(source_file.bytes, source, of_source, source_file.place),
          // Text that the program scores as <unk> is scored so here.
          text::rearranged(target_file.bytes, target, of_target, target_file.place,
                           text::Outside::unknown)};
}

}  // namespace heed::exchange
