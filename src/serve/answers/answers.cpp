#include "serve/answers/answers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.h"
#include "text/words.h"

namespace heed::serve {
namespace {

using config::AttentionKind;
using study::AttendedSentence;

constexpr int64_t kLongest = 128;  // pieces of either side that attention is shown of

double rounded(double value, double units) {
  return std::isfinite(value) ? std::round(value * units) / units : 0.0;
}

/// The list of tokens that the rows of a kind name, and that of its columns.
std::pair<const char*, const char*> sides_of(AttentionKind kind) {
  if (kind == AttentionKind::encoder) return {"source", "source"};
  return {"target", kind == AttentionKind::decoder ? "read" : "source"};
}

Json rows_of(const study::AttentionMatrix& matrix) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < matrix.target.size(); ++r) {
    Json row = Json::array();
    for (std::size_t c = 0; c < matrix.source.size(); ++c)
      row.push_back(rounded(matrix.at(r, c), 1e4));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Why no attention is shown of a sentence and a translation of so many pieces; empty: it is.
std::string why_not_shown(const ShownModel& model, std::size_t source, std::size_t target) {
  if (model.kinds.empty()) return "The model does not attend.";
  const bool long_source = std::cmp_greater(source, kLongest);
  if (!long_source && std::cmp_less_equal(target, kLongest)) return "";
  return fmt::format("{} has {} pieces; attention is shown of up to {}.",
                     long_source ? "The sentence" : "The translation",
                     long_source ? source : target, kLongest);
}

/// Where a layer has one head, the mean says the same.
void drop_equal_means(std::vector<study::AttentionMatrix>& matrices) {
  const std::vector<study::AttentionMatrix> all = std::move(matrices);
  matrices.clear();
  for (const study::AttentionMatrix& matrix : all) {
    const bool several = std::ranges::any_of(all, [&](const study::AttentionMatrix& other) {
      return other.kind == matrix.kind && other.layer == matrix.layer && other.head > 0;
    });
    if (matrix.head >= 0 || several) matrices.push_back(matrix);
  }
}

}  // namespace

std::string text_of(const Json& body) {
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json words_of(const text::Vocabulary& vocabulary, const decode::Translation& translation,
              std::size_t forced) {
  Json out = Json::array();
  if (translation.hypotheses.empty()) return out;
  const decode::Hypothesis& best = translation.hypotheses.front();
  const std::vector<std::string>& unknown = translation.unknown_of_prefix;
  const text::WordsOfParts words = text::words_of_parts(vocabulary.surfaces(best.ids, unknown));
  std::vector<std::size_t> first(words.words.size(), best.ids.size());
  std::vector<double> log_probability(words.words.size());
  for (std::size_t i = 0; i < words.first.size(); ++i) {
    const std::size_t word = words.first[i];
    if (word == words.words.size()) continue;
    first[word] = std::min(first[word], i);
    log_probability[word] += best.token_log_probabilities[i];
  }
  for (std::size_t word = 0; word < words.words.size(); ++word) {
    const std::vector<int32_t> before(best.ids.begin(),
                                      best.ids.begin() + static_cast<std::ptrdiff_t>(first[word]));
    out.push_back({{"word", words.words[word]},
                   {"prefix", vocabulary.decode(before, unknown)},
                   {"probability", rounded(std::exp(log_probability[word]), 1e6)},
                   {"forced", first[word] < forced}});
  }
  return out;
}

Json matrices_of(const AttendedSentence& sentence) {
  std::vector<std::string> read = {"<s>"};
  if (!sentence.target_pieces.empty())
    read.insert(read.end(), sentence.target_pieces.begin(), sentence.target_pieces.end() - 1);
  Json matrices = Json::array();
  for (const study::AttentionMatrix& matrix : sentence.matrices) {
    const auto [rows, columns] = sides_of(matrix.kind);
    matrices.push_back({{"kind", name_of(matrix.kind)},
                        {"layer", matrix.layer},
                        {"head", matrix.head},
                        {"rows", rows},
                        {"columns", columns},
                        {"weights", rows_of(matrix)}});
  }
  return {
      {"tokens",
       {{"source", sentence.source_pieces}, {"target", sentence.target_pieces}, {"read", read}}},
      {"matrices", std::move(matrices)}};
}

void add_attention(const ShownModel& model, std::size_t source, std::size_t target,
                   const std::function<AttendedSentence()>& attend, Json& body) {
  const std::string why = why_not_shown(model, source, target);
  AttendedSentence attended;
  if (why.empty())
    attended = attend();
  else
    body["noAttention"] = why;
  drop_equal_means(attended.matrices);
  body["usual"] = {{"layer", model.layer}, {"head", model.head}};
  body["softmax"] = names_of(model.softmax_kinds);
  body.update(matrices_of(attended));
}

Json candidates_of(const std::vector<decode::NextWord>& words) {
  Json out = Json::array();
  for (const decode::NextWord& word : words)
    out.push_back({{"word", word.word},
                   {"prefix", word.prefix},
                   {"probability", rounded(word.probability, 1e6)},
                   {"continues", word.continues},
                   {"ends", word.ends}});
  return out;
}

}  // namespace heed::serve
