// One matrix of attention weights with its tokens: what inspect makes of a model, and what the CSV,
// the pictures and the page show. Knows nothing of LibTorch.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/attention_kind.h"
#include "text/words.h"

namespace heed::study {

using config::AttentionKind;

inline constexpr const char *kBeginToken = "<s>", *kEndToken = "</s>";

struct AttentionMatrix {
  std::string model;     // its name, where those of several are together
  int64_t sentence = 1;  // line of the input, from 1
  AttentionKind kind = AttentionKind::cross;
  int64_t layer = 0;                // from 0
  int64_t head = -1;                // from 0; -1: the mean over heads
  bool words = false;               // its tokens are words, not pieces
  std::vector<std::string> target;  // the rows: who looks; for self-attention, the queries
  std::vector<std::string> source;  // the columns: what is looked at
  std::vector<float> weights;       // row-major, [target, source]
  bool softmax = false;             // whether each row is known to be one softmax of scores
  std::vector<float> missing =
      {};  // [target] what a row should add up to beyond its sum; often empty

  float at(std::size_t row, std::size_t column) const {
    return weights[row * source.size() + column];
  }
  std::span<const float> row(std::size_t row) const {
    return std::span(weights).subspan(row * source.size(), source.size());
  }
};

/// A sentence and its translation with the attention of a model that reads them.
struct AttendedSentence {
  std::string target_text;
  // With </s>. What the vocabulary does not know is spelled as in the given lines; in the model's
  // own translation it is <unk>. A symbol of a language that begins a line has <s> in front.
  std::vector<std::string> source_pieces, target_pieces;
  /// Encoder, decoder, cross; by layer and head. Each row sums to 1 over its columns.
  ///   cross    target pieces (row t: the step that emits piece t) by source pieces
  ///   decoder  the same rows by the target read so far, <s> first; zero right of the diagonal
  ///   encoder  source pieces by the same
  std::vector<AttentionMatrix> matrices;
};

/// "cross-attention", "encoder self-attention", "attention rollout" or the name of other evidence.
std::string title_of(AttentionKind kind);

/// "mean" or the number.
std::string head_name(int64_t head);

/// "layer 1, mean of heads" or "layer 1, head 2".
std::string layer_and_head(int64_t layer, int64_t head);

/// Whether it is `</s>`, `<s>` or a symbol that begins a line.
bool is_edge(const std::string& token);

/// The one of `rows` that is of the matrix's kind, layer and head; a new one where none is.
template <class Row>
Row& row_for(const AttentionMatrix& matrix, std::vector<Row>& rows) {
  for (Row& row : rows)
    if (row.kind == matrix.kind && row.layer == matrix.layer && row.head == matrix.head) return row;
  return rows.emplace_back(Row{.kind = matrix.kind, .layer = matrix.layer, .head = matrix.head});
}

/// Throws Bug unless there is a weight for every pair of tokens.
void check(const AttentionMatrix& matrix);

/// How many tokens there are before the `</s>` at the end; all where there is none.
std::size_t length_before_end(const std::vector<std::string>& tokens);

/// Without the columns of `</s>`, each row scaled to sum to 1 again; the rows stay. A row whose
/// whole weight was on `</s>` becomes zeros: there is nothing to scale.
AttentionMatrix drop_end(const AttentionMatrix& matrix);

/// The word that each token is part of, from 0: a piece that begins with U+2581 (or the first)
/// starts a word, `</s>` is one of its own. Where each character is a word
/// (text::is_written_together()), the word of the token's first character.
std::vector<std::size_t> words_of_tokens(const std::vector<std::string>& tokens);

/// How many words these are; symbols that begin a line are none.
std::size_t count_words(const std::vector<std::string>& tokens);

/// What becomes of the rows of a word's target pieces.
enum class WordRows {
  mean,  // rows that sum to 1 still do
  sum,   // as log-probabilities, of which a word has the sum of its pieces
};

/// Words instead of pieces, as words_of_tokens(); symbols that begin a line are no words, and left
/// out with their weights. Weights are summed over a word's source pieces.
/// Of a piece of several characters that are words, each has an equal share: in a column of its
/// weight, in a row of what `rows` makes of it.
AttentionMatrix merge_words(const AttentionMatrix& pieces, WordRows rows = WordRows::mean);

/// Each row's sizes, without signs, scaled to sum to 1; a row of zeros stays.
AttentionMatrix shares_of(AttentionMatrix matrix);

using text::WordsOfParts;

/// Whether no piece holds the beginnings of two words: links of such words cannot be told.
bool tells_words_apart(const WordsOfParts& words);

/// `pieces`, with `</s>` last on both sides, under labels that merge_words() joins to these words.
/// Symbols that begin a line keep their names.
AttentionMatrix with_words(AttentionMatrix pieces, const WordsOfParts& target,
                           const WordsOfParts& source);

/// What stands for a piece outside the vocabulary: the source word with the largest weight. If the
/// vocabulary does not know all of that word, the unknown part of it with the largest weight; else
/// the word without the punctuation around it. `surfaces` and `is_unknown` are of the source's
/// pieces, and `weights` have at least as many. "" where there is no word.
std::string source_word_for(const std::vector<std::string>& surfaces,
                            const std::vector<bool>& is_unknown, std::span<const float> weights);

// Attention weights as CSV (quoted as RFC 4180 says, lines end in LF), and those of all layers as
// JSON.

/// The header of the long form, with its line break.
std::string attention_csv_header();

/// One row per weight:
/// sentence,layer,head,target_position,target_token,source_position,source_token,weight. Positions
/// and layers count from 0; head is a number or `mean`; weights read back to the same float. Where
/// rows do not add up to what they should, each ends with one of source token `(missing)`, without
/// a position.
std::string attention_csv_rows(const AttentionMatrix& matrix);

/// Target x source: the source tokens in the first line, then a line per target token. The corner
/// says which matrix it is.
std::string attention_csv_matrix(const AttentionMatrix& matrix);

/// [target][source], with four decimals. Here, because a page's program has no more of this room.
inline std::vector<std::vector<double>> rounded_rows(const AttentionMatrix& matrix) {
  std::vector<std::vector<double>> rows(matrix.target.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t column = 0; column < matrix.source.size(); ++column)
      rows[row].push_back(std::round(1e4 * static_cast<double>(matrix.at(row, column))) / 1e4);
  return rows;
}

/// Of one sentence, one matrix a layer, all over the same tokens:
///   {"line": 7, "source": [token, ...], "target": [token, ...],
///    "layers": [{"layer": 0, "weights": [[0.1234, ...], ...]}, ...]}
/// Rows are target tokens; weights have four decimals, and what is no number is null. There is at
/// least one matrix.
std::string layers_json(std::span<const AttentionMatrix> layers);

// Attention rollout (Abnar and Zuidema 2020): what the words that come in weigh in the states of
// the last layer, if every layer passes on half of what it has and half of what it looks at.
//
//   encoder  R(0) = I,  R(l) = (1/2 I + 1/2 E(l)) R(l-1)
//   decoder  U(0) = 0,  U'(l) = (1/2 I + 1/2 D(l)) U(l-1)
//                       U(l) = 1/2 U'(l) + 1/2 C(l) R
//
// Columns are of the source, and so are the rows of R; those of U are of the target. E, D, C: the
// mean over heads of encoder, decoder and cross-attention of layer l; R: that of the encoder's last
// layer. A row of U is the share of the source in the state that emits a target piece; what is left
// of 1 is the target so far.

/// Of one sentence's matrices of all kinds, layers and heads (the mean over heads left out): kind
/// rollout, rows scaled to sum to 1. Throws UserError where there is no encoder or decoder
/// attention, as of recurrent models.
AttentionMatrix rollout(std::span<const AttentionMatrix> heads);

}  // namespace heed::study
