// One matrix of attention weights with its tokens, which src/inspect/ takes from a model and CSV
// files, pictures and pages show.
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
  std::string model;     // the name of the model, where matrices of several are together
  int64_t sentence = 1;  // line of the input, from 1
  AttentionKind kind = AttentionKind::cross;
  int64_t layer = 0;                // from 0
  int64_t head = -1;                // from 0; -1: the mean over heads
  bool words = false;               // its tokens are words, not pieces
  std::vector<std::string> target;  // the rows: the tokens that attend (the queries)
  std::vector<std::string> source;  // the columns: the tokens that are attended to (the keys)
  std::vector<float> weights;       // row-major, [target, source]
  bool softmax = false;             // whether each row is known to be one softmax of scores
  std::vector<float> missing =
      {};  // [target] what each row lacks of the sum that it should have; often empty

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
  // With </s>. A piece that the vocabulary does not know is spelled as in the given lines; in the
  // model's own translation it is <unk>. A symbol of a language that begins a line has <s> in
  // front.
  std::vector<std::string> source_pieces, target_pieces;
  /// The matrices of encoder, decoder and cross-attention, by layer and head. Each row sums to 1
  /// over its columns.
  ///   cross    target pieces (row t: the step that emits piece t) by source pieces
  ///   decoder  the same rows by the target read so far, <s> first; zero right of the diagonal
  ///   encoder  source pieces by the same
  std::vector<AttentionMatrix> matrices;
};

/// "cross-attention", "encoder self-attention", "attention rollout" or the name of other evidence.
std::string title_of(AttentionKind kind);

/// Returns "mean" or the number.
std::string head_name(int64_t head);

/// Returns "layer 1, mean of heads" or "layer 1, head 2".
std::string layer_and_head(int64_t layer, int64_t head);

/// Whether the token is `</s>`, `<s>` or a symbol that begins a line.
bool is_edge(const std::string& token);

/// Returns the element of `rows` with the matrix's kind, layer and head; appends a new one if there
/// is none.
template <class Row>
Row& row_for(const AttentionMatrix& matrix, std::vector<Row>& rows) {
  for (Row& row : rows)
    if (row.kind == matrix.kind && row.layer == matrix.layer && row.head == matrix.head) return row;
  return rows.emplace_back(Row{.kind = matrix.kind, .layer = matrix.layer, .head = matrix.head});
}

/// Throws Bug unless there is a weight for every pair of tokens.
void check(const AttentionMatrix& matrix);

/// Returns the number of tokens before the `</s>` at the end; of all tokens where there is none.
std::size_t length_before_end(const std::vector<std::string>& tokens);

/// Returns the matrix without the columns of `</s>`, each row scaled to sum to 1 again; the rows of
/// `</s>` stay. A row whose whole weight was on `</s>` becomes zeros: there is nothing to scale.
AttentionMatrix drop_end(const AttentionMatrix& matrix);

/// Returns the word that each token is part of, from 0. A piece that begins with U+2581 (or the
/// first) starts a word; `</s>` is a word of its own. Where each character is a word
/// (text::is_unsegmented()), it is the word of the token's first character.
std::vector<std::size_t> words_of_tokens(const std::vector<std::string>& tokens);

/// Returns the number of words of these tokens; symbols that begin a line are no words.
std::size_t count_words(const std::vector<std::string>& tokens);

/// How the rows of a word's target pieces are merged.
enum class WordRows {
  mean,  // rows that sum to 1 still do
  sum,   // for log-probabilities: a word has the sum of those of its pieces
};

/// Returns the matrix of words (words_of_tokens()) instead of pieces. Symbols that begin a line are
/// no words, and are left out with their weights. Weights are summed over a word's source pieces.
/// If a piece has several characters that are words, each gets an equal share of it: in a column of
/// its weight, in a row of what `rows` makes of it.
AttentionMatrix merge_words(const AttentionMatrix& pieces, WordRows rows = WordRows::mean);

/// Returns the absolute values of each row, scaled to sum to 1; a row of zeros stays.
AttentionMatrix shares_of(AttentionMatrix matrix);

using text::WordsOfParts;

/// Whether no piece holds the beginnings of two words, whose links could not be told apart.
bool separates_words(const WordsOfParts& words);

/// Returns `pieces`, which have `</s>` last on both sides, with labels that merge_words() joins to
/// these words. Symbols that begin a line keep their names.
AttentionMatrix with_words(AttentionMatrix pieces, const WordsOfParts& target,
                           const WordsOfParts& source);

/// Returns the text that replaces an unknown piece of a translation. It is taken from the source
/// word with the largest weight: if the vocabulary does not know all of that word, its unknown part
/// with the largest weight; else the word without the punctuation around it. `surfaces` and
/// `is_unknown` have a value for each source piece, and `weights` at least as many. Returns ""
/// where there is no word.
std::string source_word_for(const std::vector<std::string>& surfaces,
                            const std::vector<bool>& is_unknown, std::span<const float> weights);

// Attention weights as CSV (quoted as RFC 4180 says, lines end in LF), and the weights of all
// layers as JSON.

/// The header of the long form, with its line break.
std::string attention_csv_header();

/// One row per weight:
/// sentence,layer,head,target_position,target_token,source_position,source_token,weight. Positions
/// and layers count from 0; head is a number or `mean`; weights read back to the same float. Where
/// rows do not add up to what they should, each ends with one of source token `(missing)`, without
/// a position.
std::string attention_csv_rows(const AttentionMatrix& matrix);

/// Returns a table of target x source: the source tokens in the first line, then a line per target
/// token. The corner says which matrix it is.
std::string attention_csv_matrix(const AttentionMatrix& matrix);

/// Returns the weights as [target][source], with four decimals. It is defined here, because the
/// program inside a page is linked with nothing else of this room.
inline std::vector<std::vector<double>> rounded_rows(const AttentionMatrix& matrix) {
  std::vector<std::vector<double>> rows(matrix.target.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t column = 0; column < matrix.source.size(); ++column)
      rows[row].push_back(std::round(1e4 * static_cast<double>(matrix.at(row, column))) / 1e4);
  return rows;
}

/// Returns the matrices of one sentence, one for each layer, all over the same tokens, as
///   {"line": 7, "source": [token, ...], "target": [token, ...],
///    "layers": [{"layer": 0, "weights": [[0.1234, ...], ...]}, ...]}
/// Rows are target tokens; weights have four decimals, and what is no number is null. There is at
/// least one matrix.
std::string layers_json(std::span<const AttentionMatrix> layers);

// Attention rollout (Abnar and Zuidema 2020): the weight of each source word in the states of the
// last layer, if every layer makes its output from one half of its own input and one half of what
// it attends to.
//
//   encoder  R(0) = I,  R(l) = (1/2 I + 1/2 E(l)) R(l-1)
//   decoder  U(0) = 0,  U'(l) = (1/2 I + 1/2 D(l)) U(l-1)
//                       U(l) = 1/2 U'(l) + 1/2 C(l) R
//
// The columns of R and U and the rows of R are source tokens, the rows of U target tokens. E, D and
// C are the means over the heads of encoder, decoder and cross-attention of layer l; R without a
// layer is that of the encoder's last layer. A row of U is the share of the source in the state
// that emits a target piece; the rest to 1 is the share of the target so far.

/// Returns the rollout of one sentence from its matrices of all kinds, layers and heads, without
/// means over heads. Its rows are scaled to sum to 1. Throws UserError where there is no encoder or
/// decoder attention, as in recurrent models.
AttentionMatrix rollout(std::span<const AttentionMatrix> heads);

}  // namespace heed::study
