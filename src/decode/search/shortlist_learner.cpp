#include "decode/search/shortlist_learner.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "decode/search/pieces.h"
#include "decode/search/shortlist.h"
#include "study/lexicon.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

std::vector<PieceList> pieces_of(const text::Vocabulary& vocabulary,
                                 const std::vector<std::string>& lines, int64_t most) {
  std::vector<PieceList> out;
  for (const std::string& line : lines) out.push_back(first_pieces(vocabulary, line, most));
  return out;
}

/// Returns the most frequent pieces, ascending.
PieceList frequent_pieces(const std::vector<PieceList>& lines, int64_t size, int64_t count) {
  std::vector<int64_t> counts(size);
  for (const PieceList& line : lines)
    for (const int32_t piece : line) ++counts[piece];
  PieceList pieces(size);
  std::iota(pieces.begin(), pieces.end(), 0);
  std::ranges::stable_sort(pieces, std::greater<>(), [&](int32_t piece) { return counts[piece]; });
  pieces.resize(std::min(count, size));
  return pieces;
}

}  // namespace

std::string learn_shortlist(const text::Pairs& pairs, int64_t most, const ShortlistSize& size,
                            const text::Vocabulary& source, const text::Vocabulary& target) {
  std::vector<PieceList> sources = pieces_of(source, pairs.source, most);
  const std::vector<PieceList> targets = pieces_of(target, pairs.target, most);
  // Its list gets the translations of words that have no source.
  for (PieceList& line : sources) line.push_back(text::kEnd);
  std::vector<PieceList> lists =
      study::Lexicon(sources, targets, source.size()).likeliest(size.best);
  PieceList& every = lists[text::kEnd];
  for (const int32_t piece : frequent_pieces(targets, target.size(), size.frequent))
    every.push_back(piece);
  for (PieceList& list : lists) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return shortlist_bytes(std::move(lists), size.best, source, target);
}

}  // namespace heed::decode
