#include "study/alignment_sweep.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/strings.h"
#include "text/table.h"

namespace heed::study {
namespace {

/// Row t becomes row t + 1: what the step looks at that has target piece t as its input.
AttentionMatrix reading_steps(AttentionMatrix matrix) {
  if (matrix.target.empty()) return matrix;
  matrix.target.pop_back();
  matrix.weights.erase(matrix.weights.begin(),
                       matrix.weights.begin() + static_cast<std::ptrdiff_t>(matrix.source.size()));
  return matrix;
}

AttentionMatrix mean_of(std::span<const AttentionMatrix> heads) {
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

std::vector<std::string> numbers(const AlignmentError& error) {
  return {fixed(100 * error.rate(), 2), fixed(100 * error.precision(), 2),
          fixed(100 * error.recall(), 2)};
}

nlohmann::ordered_json to_json(const AlignmentError& error) {
  return {{"aer", error.rate()}, {"precision", error.precision()}, {"recall", error.recall()}};
}

nlohmann::ordered_json to_json(const AlignmentChoice& choice) {
  nlohmann::ordered_json json = {{"layer", choice.layer}};
  if (choice.head < 0)
    json["head"] = "mean";
  else
    json["head"] = choice.head;
  json["step"] = step_name(choice.reads);
  return json;
}

}  // namespace

std::string describe(const AlignmentChoice& choice) {
  return fmt::format("{}, the step that {} the word", layer_and_head(choice.layer, choice.head),
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
    if (last - first > 1) count(mean_of(heads.subspan(first, last - first)), gold);
    first = last;
  }
}

AlignmentChoice AlignmentSweep::best() const {
  if (errors_.empty()) throw UserError("alignment: no sentence to choose a layer and head by");
  const auto found = std::min_element(errors_.begin(), errors_.end(), [](auto& a, auto& b) {
    return a.second.rate() < b.second.rate();
  });
  return found->first;
}

std::string sweep_table(const AlignmentSweep& sweep, const AlignmentChoice& chosen,
                        const std::vector<NamedError>& others) {
  text::Table table{{"layer", "head", "step", "AER %", "precision %", "recall %", ""}, {}};
  const auto add = [&](std::vector<std::string> row, const AlignmentError& error, bool marked) {
    const auto values = numbers(error);
    row.insert(row.end(), values.begin(), values.end());
    row.emplace_back(marked ? "*" : "");
    table.rows.push_back(row);
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
