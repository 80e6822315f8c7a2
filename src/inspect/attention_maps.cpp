#include "inspect/attention_maps.h"

#include <algorithm>
#include <string>
#include <utility>

#include "config/attention_kind.h"
#include "model/description/traits.h"
#include "study/attention_matrix.h"

namespace heed::inspect {

void mark_softmax(std::vector<study::AttentionMatrix>& matrices, const model::ModelConfig& config) {
  const model::Traits traits = model::traits(config);
  for (study::AttentionMatrix& matrix : matrices)
    matrix.softmax =
        std::ranges::find(traits.softmax_kinds, matrix.kind) != traits.softmax_kinds.end() &&
        (matrix.head >= 0 || traits.heads(matrix.kind, matrix.layer) == 1);
}

namespace {

/// Whether it is of the unit that is wanted, or can be made so. Erasure of a word is not that of
/// its pieces, and is there for both.
bool suits(const study::AttentionMatrix& matrix, const Shape& form) {
  if (!form.words) return !matrix.words;
  return matrix.words || matrix.kind != config::AttentionKind::erasure || !has_long_words(matrix);
}

study::AttentionMatrix shape(study::AttentionMatrix matrix, const Shape& form) {
  if (form.words && !matrix.words)
    matrix = study::merge_words(
        matrix, is_evidence(matrix.kind) ? study::WordRows::sum : study::WordRows::mean);
  if (is_evidence(matrix.kind) && !form.with_signs) matrix = study::shares_of(std::move(matrix));
  if (form.drop_eos) matrix = study::drop_end(matrix);
  return matrix;
}

}  // namespace

bool has_long_words(const study::AttentionMatrix& matrix) {
  const auto longer = [](const std::vector<std::string>& tokens) {
    return study::words_of_tokens(tokens).back() + 1 < tokens.size();
  };
  return !matrix.words && (longer(matrix.target) || longer(matrix.source));
}

Matrices for_tables(const Matrices& matrices, const Shape& form) {
  Matrices out;
  for (const auto& matrix : matrices)
    if (suits(matrix, form)) out.push_back(shape(matrix, form));
  return out;
}

Matrices for_page(const Matrices& matrices, const Shape& form) {
  const Shape first{.words = form.words, .drop_eos = form.drop_eos},
      second{.words = !form.words, .drop_eos = form.drop_eos};
  Matrices out;
  for (const auto& matrix : matrices)
    if (suits(matrix, first)) out.push_back(shape(matrix, first));
  for (const auto& matrix : matrices)
    if (suits(matrix, second) && (matrix.words || has_long_words(matrix)))
      out.push_back(shape(matrix, second));
  return out;
}

}  // namespace heed::inspect
