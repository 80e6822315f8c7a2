#include "serve/answers.h"

#include <cmath>

namespace heed::serve {
namespace {

using config::AttentionKind;

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

}  // namespace

http::Response json_response(const Json& body) {
  return {.body = body.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
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

Json matrices_of(const inspect::AttendedSentence& sentence) {
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

Json candidates_of(const std::vector<inspect::NextWord>& words) {
  Json out = Json::array();
  for (const inspect::NextWord& word : words)
    out.push_back({{"word", word.word},
                   {"prefix", word.prefix},
                   {"probability", rounded(word.probability, 1e6)},
                   {"continues", word.continues},
                   {"ends", word.ends}});
  return out;
}

}  // namespace heed::serve
