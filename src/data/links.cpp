#include "data/links.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "text/vocabulary.h"

namespace heed::data {
namespace {

bool parse_word(std::string_view text, int32_t& word) {
  word = exact_number<int32_t>(text).value_or(-1);
  return word >= 0;
}

/// The pieces [first, second) of each word.
std::vector<std::pair<int32_t, int32_t>> pieces_of_words(const text::WordsOfPieces& pieces) {
  std::vector<std::pair<int32_t, int32_t>> ranges(static_cast<std::size_t>(pieces.words));
  for (std::size_t piece = 0; piece < pieces.word_of.size(); ++piece) {
    // A piece may have several words only where each character is one.
    for (int32_t word = pieces.word_of[piece]; word <= pieces.last_of[piece]; ++word) {
      if (word == pieces.words) break;  // after the last word
      auto& [first, second] = ranges[static_cast<std::size_t>(word)];
      if (first == second) first = static_cast<int32_t>(piece);
      second = static_cast<int32_t>(piece) + 1;
    }
  }
  return ranges;
}

}  // namespace

std::vector<PieceLink> parse_links(std::string_view line, const std::string& where) {
  std::vector<PieceLink> links;
  for (const std::string& word : split_words(line)) {
    const std::size_t middle = word.find('-');
    PieceLink link;
    const bool good = middle != std::string::npos &&
                      parse_word(std::string_view(word).substr(0, middle), link.source) &&
                      parse_word(std::string_view(word).substr(middle + 1), link.target);
    if (!good)
      throw UserError(
          "{}: '{}' is no alignment link; write i-j, source word - target word, counting from 0",
          where, one_line(word));
    links.push_back(link);
  }
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

std::vector<PieceLink> links_of_pieces(const std::vector<PieceLink>& words,
                                       const text::WordsOfPieces& source,
                                       const text::WordsOfPieces& target) {
  const auto sources = pieces_of_words(source), targets = pieces_of_words(target);
  std::vector<PieceLink> links;
  for (auto begin = words.begin(); begin != words.end();) {
    const auto end = std::find_if(
        begin, words.end(), [&](const PieceLink& link) { return link.target != begin->target; });
    if (begin->target < target.words) {
      const auto [first, second] = targets[static_cast<std::size_t>(begin->target)];
      for (int32_t piece = first; piece < second; ++piece)
        for (auto link = begin; link != end; ++link) {
          if (link->source >= source.words) continue;
          const auto [from, to] = sources[static_cast<std::size_t>(link->source)];
          for (int32_t seen = from; seen < to; ++seen) links.push_back({piece, seen});
        }
    }
    begin = end;
  }
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

}  // namespace heed::data
