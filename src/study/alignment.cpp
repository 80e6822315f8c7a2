#include "study/alignment.h"

#include <algorithm>
#include <iterator>

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
  for (std::size_t target = 0; target < target_words; ++target)
    alignment.insert({(2 * target + 1) * source_words / (2 * target_words), target});
  return alignment;
}

void AlignmentError::add(const Alignment& guess, const GoldAlignment& gold) {
  links += guess.size();
  sure += gold.sure.size();
  links_in_sure += common(guess, gold.sure);
  links_in_possible += common(guess, gold.possible);
}

namespace {

/// An alignment that grows, and which words it links.
class Growth {
 public:
  Growth(const Alignment& start, const Alignment& all) {
    std::size_t sources = 0, targets = 0;
    for (const Link& link : all) {
      sources = std::max(sources, link.source + 1);
      targets = std::max(targets, link.target + 1);
    }
    source_linked_.resize(sources);
    target_linked_.resize(targets);
    for (const Link& link : start) add(link);
  }

  void add(const Link& link) {
    links.insert(link);
    source_linked_[link.source] = target_linked_[link.target] = true;
  }
  bool has_source(const Link& link) const { return source_linked_[link.source]; }
  bool has_target(const Link& link) const { return target_linked_[link.target]; }

  Alignment links;

 private:
  std::vector<bool> source_linked_, target_linked_;
};

/// The links of `all` beside `link`: straight neighbours first, then diagonal ones.
std::vector<Link> neighbours(const Link& link, const Alignment& all) {
  constexpr int kSteps[8][2] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                                {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
  std::vector<Link> found;
  for (const auto& step : kSteps) {
    // Position 0 minus 1 is a number that no alignment holds.
    const Link next{link.source + static_cast<std::size_t>(step[0]),
                    link.target + static_cast<std::size_t>(step[1])};
    if (all.contains(next)) found.push_back(next);
  }
  return found;
}

void grow_diagonally(Growth& growth, const Alignment& all) {
  for (bool grown = true; grown;) {
    grown = false;
    const Alignment before = growth.links;
    for (const Link& link : before)
      for (const Link& next : neighbours(link, all))
        if (!growth.links.contains(next) &&
            (!growth.has_source(next) || !growth.has_target(next))) {
          growth.add(next);
          grown = true;
        }
  }
}

void add_unlinked(Growth& growth, const Alignment& side) {
  for (const Link& link : side)
    if (!growth.has_source(link) && !growth.has_target(link)) growth.add(link);
}

}  // namespace

Alignment turned_round(const Alignment& alignment) {
  Alignment turned;
  for (const Link& link : alignment) turned.insert({link.target, link.source});
  return turned;
}

GoldAlignment turned_round(const GoldAlignment& gold) {
  return {turned_round(gold.sure), turned_round(gold.possible)};
}

Alignment symmetrize(const Alignment& forward, const Alignment& backward, Symmetrization method) {
  Alignment common, all = forward;
  all.insert(backward.begin(), backward.end());
  if (method == Symmetrization::union_) return all;
  std::set_intersection(forward.begin(), forward.end(), backward.begin(), backward.end(),
                        std::inserter(common, common.end()));
  if (method == Symmetrization::intersection) return common;
  Growth growth(common, all);
  grow_diagonally(growth, all);
  add_unlinked(growth, forward);
  add_unlinked(growth, backward);
  return growth.links;
}

}  // namespace heed::study
