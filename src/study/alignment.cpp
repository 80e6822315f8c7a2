#include "study/alignment.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "text/table.h"

namespace heed::study {
namespace {

std::size_t common(const Alignment& a, const Alignment& b) {
  return static_cast<std::size_t>(
      std::count_if(a.begin(), a.end(), [&](const Link& link) { return b.contains(link); }));
}

/// Replaces each row t by row t + 1: the attention of the step that has target piece t as its
/// input.
AttentionMatrix reading_steps(AttentionMatrix matrix) {
  if (matrix.target.empty()) return matrix;
  matrix.target.pop_back();
  matrix.weights.erase(matrix.weights.begin(),
                       matrix.weights.begin() + static_cast<std::ptrdiff_t>(matrix.source.size()));
  return matrix;
}

AttentionMatrix mean_of_heads(std::span<const AttentionMatrix> heads) {
  AttentionMatrix mean = heads.front();
  mean.head = -1;
  for (std::size_t i = 0; i < mean.weights.size(); ++i) {
    double sum = 0;
    for (const AttentionMatrix& head : heads) sum += head.weights[i];
    mean.weights[i] = static_cast<float>(sum / static_cast<double>(heads.size()));
  }
  return mean;
}

const char* step_name(bool reads) {
  return reads ? "reads" : "emits";
}

nlohmann::ordered_json to_json(const AlignmentError& error) {
  return {{"aer", error.rate()}, {"precision", error.precision()}, {"recall", error.recall()}};
}

nlohmann::ordered_json to_json(const AlignmentChoice& choice) {
  const nlohmann::ordered_json head =
      choice.head < 0 ? nlohmann::ordered_json("mean") : nlohmann::ordered_json(choice.head);
  return {{"layer", choice.layer}, {"head", head}, {"step", step_name(choice.reads)}};
}

/// Returns part / whole; 1 where `whole` is 0.
double share_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

/// An alignment that grows, and the words that it links already.
struct Growth {
  Alignment links = {};
  std::set<std::size_t> sources = {}, targets = {};

  void add(const Link& link) {
    links.insert(link);
    sources.insert(link.source);
    targets.insert(link.target);
  }
};

/// Returns the links of `all` beside `link`: straight neighbours first, then diagonal ones.
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
        if (!growth.sources.contains(next.source) || !growth.targets.contains(next.target)) {
          growth.add(next);
          grown = true;
        }
  }
}

void add_unlinked(Growth& growth, const Alignment& side) {
  for (const Link& link : side)
    if (!growth.sources.contains(link.source) && !growth.targets.contains(link.target))
      growth.add(link);
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
  std::vector<std::string> links;
  for (const auto& [source, target] : alignment)
    links.push_back(fmt::format("{}-{}", source, target));
  return join(links, " ");
}

Alignment hard_alignment(const AttentionMatrix& matrix, double least) {
  check(matrix);
  Alignment alignment;
  if (matrix.source.empty()) return alignment;
  const std::size_t words = length_before_end(matrix.source);
  for (std::size_t row = 0; row < length_before_end(matrix.target); ++row) {
    const auto weights = matrix.row(row);
    const auto best = static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
    if (best < words && weights[best] >= least) alignment.insert({best, row});
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

double AlignmentError::rate() const {
  return 1 - share_of(links_in_sure + links_in_possible, links + sure);
}

double AlignmentError::precision() const {
  return share_of(links_in_possible, links);
}

double AlignmentError::recall() const {
  return share_of(links_in_sure, sure);
}

Alignment reversed(const Alignment& alignment) {
  Alignment turned;
  for (const Link& link : alignment) turned.insert({link.target, link.source});
  return turned;
}

GoldAlignment reversed(const GoldAlignment& gold) {
  return {reversed(gold.sure), reversed(gold.possible)};
}

Alignment symmetrize(const Alignment& forward, const Alignment& backward, Symmetrization method) {
  Alignment common, all = forward;
  all.insert(backward.begin(), backward.end());
  if (method == Symmetrization::union_) return all;
  std::set_intersection(forward.begin(), forward.end(), backward.begin(), backward.end(),
                        std::inserter(common, common.end()));
  if (method == Symmetrization::intersection) return common;
  Growth growth;
  for (const Link& link : common) growth.add(link);
  grow_diagonally(growth, all);
  add_unlinked(growth, forward);
  add_unlinked(growth, backward);
  return growth.links;
}

std::string describe(const AlignmentChoice& choice) {
  return fmt::format("{}, --aligned-step {}", layer_and_head(choice.layer, choice.head),
                     step_name(choice.reads));
}

Alignment word_alignment(const AttentionMatrix& pieces, bool reads, double least) {
  return hard_alignment(merge_words(reads ? reading_steps(pieces) : pieces), least);
}

void require_inside(const GoldAlignment& gold, std::size_t source_words, std::size_t target_words,
                    const std::string& where, std::size_t first) {
  for (const Link& link : gold.possible)
    if (link.source >= source_words || link.target >= target_words)
      throw UserError(
          "{}: the link {} is outside a sentence of {} source and {} target words; positions count "
          "from {}, the source first (--swap-gold: the target)",
          where, pharaoh({{link.source + first, link.target + first}}), source_words, target_words,
          first == 0 ? "0 (--one-based, evaluation.one_based: from 1)" : "1");
}

void AlignmentSweep::count(const AttentionMatrix& pieces, const GoldAlignment& gold) {
  for (const bool reads : {false, true})
    errors_[{pieces.layer, pieces.head, reads}].add(word_alignment(pieces, reads, least_), gold);
}

void AlignmentSweep::add(std::span<const AttentionMatrix> heads, const GoldAlignment& gold,
                         const std::string& where) {
  if (heads.empty()) return require_inside(gold, 0, 0, where);
  const AttentionMatrix words = merge_words(heads.front());
  const std::size_t source = length_before_end(words.source),
                    target = length_before_end(words.target);
  require_inside(gold, source, target, where);
  diagonal_.add(study::diagonal(source, target), gold);
  ++sentences_;
  for (std::size_t first = 0; first < heads.size();) {
    std::size_t last = first;
    while (last < heads.size() && heads[last].layer == heads[first].layer)
      count(heads[last++], gold);
    if (last - first > 1) count(mean_of_heads(heads.subspan(first, last - first)), gold);
    first = last;
  }
}

AlignmentChoice AlignmentSweep::best() const {
  if (errors_.empty()) throw UserError("alignment: no sentence to choose a layer and head by");
  const auto rate = [](const auto& one) { return one.second.rate(); };
  return std::ranges::min_element(errors_, {}, rate)->first;
}

std::string sweep_table(const AlignmentSweep& sweep, const AlignmentChoice& chosen,
                        const std::vector<NamedError>& others) {
  text::Table table{{"layer", "head", "step", "AER %", "precision %", "recall %", ""}, {}};
  const auto add = [&](std::vector<std::string> row, const AlignmentError& error, bool marked) {
    for (const double share : {error.rate(), error.precision(), error.recall()})
      row.push_back(fixed(100 * share, 2));
    row.emplace_back(marked ? "*" : "");
    table.rows.push_back(std::move(row));
  };
  for (const auto& [choice, error] : sweep.errors())
    add({std::to_string(choice.layer), head_name(choice.head), step_name(choice.reads)}, error,
        choice == chosen && others.empty());
  add({"diagonal", "", ""}, sweep.diagonal(), false);
  for (const NamedError& other : others)
    add({other.name, "", ""}, other.error, &other == &others.back());
  return text::table_text(table, {0, 1, 2});
}

std::string sweep_json(const AlignmentSweep& sweep, const AlignmentChoice& chosen,
                       const std::vector<NamedError>& others) {
  nlohmann::ordered_json choices = nlohmann::ordered_json::array();
  for (const auto& [choice, error] : sweep.errors()) {
    nlohmann::ordered_json row = to_json(choice);
    row.update(to_json(error));
    choices.push_back(std::move(row));
  }
  nlohmann::ordered_json json = {{"sentences", sweep.sentences()},
                                 {"chosen", to_json(chosen)},
                                 {"choices", std::move(choices)},
                                 {"diagonal", to_json(sweep.diagonal())}};
  for (const NamedError& other : others) {
    nlohmann::ordered_json row = {{"name", other.name}};
    row.update(to_json(other.error));
    json["others"].push_back(std::move(row));
  }
  return json.dump(2) + "\n";
}

}  // namespace heed::study
