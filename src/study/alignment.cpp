#include "study/alignment.h"

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"

namespace heed::study {
namespace {

std::size_t common(const Alignment& a, const Alignment& b) {
  return static_cast<std::size_t>(
      std::count_if(a.begin(), a.end(), [&](const Link& link) { return b.contains(link); }));
}

}  // namespace

GoldAlignment parse_pharaoh(std::string_view line, const std::string& where, std::size_t first) {
  GoldAlignment gold;
  for (const std::string& word : split_words(line)) {
    // Without a mark the last character is taken for it: then there is no target, and the link is
    // refused.
    const std::size_t middle = std::min(word.find_first_of("-?p"), word.size() - 1);
    const auto source = exact_number<std::size_t>(word.substr(0, middle)),
               target = exact_number<std::size_t>(word.substr(middle + 1));
    if (!source || !target || *source < first || *target < first) {
      throw UserError(
          "{}: '{}' is no alignment link; write i-j (or i?j where it is only possible), counting "
          "from {}",
          where, one_line(word), first);
    }
    const Link link{*source - first, *target - first};
    if (word[middle] == '-') gold.sure.insert(link);
    gold.possible.insert(link);
  }
  return gold;
}

std::string pharaoh(const Alignment& alignment) {
  std::string out;
  for (const Link& link : alignment) {
    if (!out.empty()) out += ' ';
    out += std::to_string(link.source) + '-' + std::to_string(link.target);
  }
  return out;
}

Alignment hard_alignment(const AttentionMatrix& matrix, double least) {
  check(matrix);
  Alignment alignment;
  if (matrix.source.empty()) return alignment;
  for (std::size_t row = 0; row < matrix.target.size(); ++row) {
    if (matrix.target[row] == kEndToken) continue;
    std::size_t best = 0;
    for (std::size_t column = 1; column < matrix.source.size(); ++column) {
      if (matrix.at(row, column) > matrix.at(row, best)) best = column;
    }
    if (matrix.source[best] != kEndToken && matrix.at(row, best) >= least)
      alignment.insert({best, row});
  }
  return alignment;
}

Alignment diagonal(std::size_t source_words, std::size_t target_words) {
  Alignment alignment;
  if (source_words == 0) return alignment;
  for (std::size_t target = 0; target < target_words; ++target) {
    alignment.insert({(2 * target + 1) * source_words / (2 * target_words), target});
  }
  return alignment;
}

void AlignmentError::add(const Alignment& guess, const GoldAlignment& gold) {
  links += guess.size();
  sure += gold.sure.size();
  links_in_sure += common(guess, gold.sure);
  links_in_possible += common(guess, gold.possible);
}

}  // namespace heed::study
