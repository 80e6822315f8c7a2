#include "study/attention_matrix.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "text/table.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace heed::study {
namespace {

struct GroupedWords {
  std::vector<std::string> text;
  std::vector<std::size_t> word_of, last_of;  // piece -> its first and last word
  std::vector<std::size_t> pieces;            // word -> how many

  std::size_t words_of(std::size_t piece) const { return last_of[piece] - word_of[piece] + 1; }
};

/// Groups parts into words in a language in which each character is a word.
GroupedWords group_characters(const std::vector<std::string>& parts) {
  text::WordsOfParts found = text::words_of_parts(parts);
  GroupedWords words{std::move(found.words), std::move(found.first), std::move(found.last), {}};
  if (!words.last_of.empty() && words.last_of.back() == words.text.size())
    words.text.emplace_back(text::kWordStart);  // blanks at the end
  words.pieces.resize(words.text.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t word = words.word_of[i]; word <= words.last_of[i]; ++word)
      ++words.pieces[word];
  return words;
}

GroupedWords group(const std::vector<std::string>& tokens) {
  std::vector<std::string> parts;
  for (const std::string& token : tokens)
    parts.push_back(is_edge(token) ? " " + token + " " : text::surface_of(token));
  if (text::is_unsegmented(join(parts, ""))) return group_characters(parts);
  GroupedWords words;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool starts = i == 0 || tokens[i].starts_with(text::kWordStart) || is_edge(tokens[i]) ||
                        is_edge(tokens[i - 1]);
    if (starts) {
      words.text.emplace_back();
      words.pieces.push_back(0);
    }
    std::string_view piece = tokens[i];
    if (piece.starts_with(text::kWordStart)) piece.remove_prefix(text::kWordStart.size());
    words.text.back() += piece;
    words.word_of.push_back(words.text.size() - 1);
    ++words.pieces.back();
  }
  words.last_of = words.word_of;
  for (std::string& word : words.text) {
    if (word.empty()) word = text::kWordStart;
  }
  return words;
}

constexpr const char* kMissing = "(missing)";  // in place of a source token

// Returns the fewest digits that give the same float again, whatever the locale.
std::string exact(float value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  return std::string(digits, end.ptr);
}

constexpr std::size_t kNoPiece = -1;

/// Whether the token is the symbol of a language that begins a line.
bool is_symbol(const std::string& token) {
  return token.starts_with(kBeginToken) && token != kBeginToken;
}

/// Returns the matrix without these rows and columns. `missing` does not count the weights of
/// columns that are removed.
template <class Row, class Column>
AttentionMatrix without(const Row& row_goes, const Column& column_goes,
                        const AttentionMatrix& matrix) {
  AttentionMatrix result = matrix;
  std::erase_if(result.target, row_goes);
  std::erase_if(result.source, column_goes);
  result.weights.clear();
  result.missing.clear();
  for (std::size_t row = 0; row < matrix.target.size(); ++row) {
    if (row_goes(matrix.target[row])) continue;
    if (!matrix.missing.empty()) result.missing.push_back(matrix.missing[row]);
    for (std::size_t column = 0; column < matrix.source.size(); ++column)
      if (!column_goes(matrix.source[column])) result.weights.push_back(matrix.at(row, column));
  }
  return result;
}

/// Returns new labels of each piece and of the `</s>` after them; `names` are the present ones.
/// Pieces after the last word belong to the end.
std::vector<std::string> labels_of(const WordsOfParts& words,
                                   const std::vector<std::string>& names) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < words.first.size(); ++i) {
    const bool begins = i == 0 || words.first[i] != words.first[i - 1];
    labels.push_back(is_symbol(names[i])                    ? names[i]
                     : words.first[i] == words.words.size() ? kEndToken
                     : begins                               ? std::string(text::kWordStart) + "x"
                                                            : "x");
  }
  labels.emplace_back(kEndToken);
  return labels;
}

/// A matrix, row by row.
struct Square {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;

  Square(std::size_t rows, std::size_t columns)
      : rows(rows), columns(columns), values(rows * columns) {}
  double& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
  double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

Square product(const Square& a, const Square& b) {
  Square out(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t k = 0; k < a.columns; ++k)
      for (std::size_t j = 0; j < b.columns; ++j) out.at(i, j) += a.at(i, k) * b.at(k, j);
  return out;
}

/// Returns a/2 + b/2.
Square half_each(Square a, const Square& b) {
  for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] = (a.values[i] + b.values[i]) / 2;
  return a;
}

Square identity(std::size_t size) {
  Square out(size, size);
  for (std::size_t i = 0; i < size; ++i) out.at(i, i) = 1;
  return out;
}

/// Returns for each layer the mean over its heads.
std::map<int64_t, Square> means_of(std::span<const AttentionMatrix> heads, AttentionKind kind) {
  std::map<int64_t, Square> sums;
  std::map<int64_t, double> counts;
  for (const AttentionMatrix& head : heads) {
    if (head.kind != kind || head.head < 0) continue;
    Square& sum =
        sums.try_emplace(head.layer, head.target.size(), head.source.size()).first->second;
    for (std::size_t i = 0; i < head.weights.size(); ++i) sum.values[i] += head.weights[i];
    ++counts[head.layer];
  }
  for (auto& [layer, sum] : sums)
    for (double& value : sum.values) value /= counts[layer];
  return sums;
}

}  // namespace

std::string title_of(AttentionKind kind) {
  if (kind == AttentionKind::cross) return "cross-attention";
  if (kind == AttentionKind::rollout) return "attention rollout";
  return name_of(kind) + (is_attention(kind) ? " self-attention" : "");
}

std::string head_name(int64_t head) {
  return head < 0 ? "mean" : std::to_string(head);
}

std::string layer_and_head(int64_t layer, int64_t head) {
  return fmt::format("layer {}, {}", layer,
                     head < 0 ? "mean of heads" : "head " + std::to_string(head));
}

bool is_edge(const std::string& token) {
  return token == kEndToken || token.starts_with(kBeginToken);
}

void check(const AttentionMatrix& matrix) {
  expect(matrix.weights.size() == matrix.target.size() * matrix.source.size(),
         "an attention matrix has a weight for every pair of tokens");
}

std::size_t length_before_end(const std::vector<std::string>& tokens) {
  const auto ends = [](const std::string& token) { return token == kEndToken; };
  const auto last = std::find_if_not(tokens.rbegin(), tokens.rend(), ends);
  return static_cast<std::size_t>(tokens.rend() - last);
}

AttentionMatrix drop_end(const AttentionMatrix& matrix) {
  check(matrix);
  AttentionMatrix result = matrix;
  const std::size_t columns = length_before_end(matrix.source);
  result.source.resize(columns);
  result.weights.clear();
  for (std::size_t row = 0; row < matrix.target.size(); ++row) {
    const std::span<const float> weights = matrix.row(row).first(columns);
    const double kept = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double scale = kept > 0 ? 1 / kept : 0;
    if (!result.missing.empty()) result.missing[row] *= static_cast<float>(scale);
    for (const float weight : weights) result.weights.push_back(static_cast<float>(weight * scale));
  }
  return result;
}

std::vector<std::size_t> words_of_tokens(const std::vector<std::string>& tokens) {
  return group(tokens).word_of;
}

std::size_t count_words(const std::vector<std::string>& tokens) {
  std::vector<std::string> text = tokens;
  std::erase_if(text, is_symbol);
  return group(text).text.size();
}

AttentionMatrix merge_words(const AttentionMatrix& pieces, WordRows rows) {
  check(pieces);
  const AttentionMatrix matrix = without(is_symbol, is_symbol, pieces);
  const GroupedWords target = group(matrix.target), source = group(matrix.source);
  std::vector<double> sums(target.text.size() * source.text.size(), 0);
  std::vector<float> missing(matrix.missing.empty() ? 0 : target.text.size(), 0);
  for (std::size_t row = 0; row < matrix.target.size(); ++row) {
    for (std::size_t word = target.word_of[row]; word <= target.last_of[row]; ++word) {
      const auto parts =
          static_cast<double>(rows == WordRows::sum ? target.words_of(row) : target.pieces[word]);
      if (!missing.empty()) missing[word] += matrix.missing[row] / static_cast<float>(parts);
      for (std::size_t column = 0; column < matrix.source.size(); ++column) {
        const double share =
            matrix.at(row, column) / (parts * static_cast<double>(source.words_of(column)));
        for (std::size_t seen = source.word_of[column]; seen <= source.last_of[column]; ++seen)
          sums[word * source.text.size() + seen] += share;
      }
    }
  }
  AttentionMatrix result = matrix;
  result.words = true;
  result.target = target.text;
  result.source = source.text;
  result.weights.assign(sums.begin(), sums.end());
  result.missing = std::move(missing);
  result.softmax = matrix.softmax && target.word_of == target.last_of &&
                   source.word_of == source.last_of &&
                   result.weights.size() == pieces.weights.size();
  return result;
}

AttentionMatrix shares_of(AttentionMatrix matrix) {
  const std::size_t columns = matrix.source.size();
  for (std::size_t row = 0; row < matrix.target.size(); ++row) {
    const std::span<float> weights(matrix.weights.data() + row * columns, columns);
    float sum = 0;
    for (float& one : weights) sum += one = std::abs(one);
    if (sum == 0) continue;
    for (float& one : weights) one /= sum;
    if (!matrix.missing.empty()) matrix.missing[row] = std::abs(matrix.missing[row]) / sum;
  }
  return matrix;
}

bool separates_words(const WordsOfParts& words) {
  std::size_t next = 0;
  for (const std::size_t word : words.first) {
    if (word > next) return false;
    next = word + 1;
  }
  return next >= words.words.size();
}

AttentionMatrix with_words(AttentionMatrix pieces, const WordsOfParts& target,
                           const WordsOfParts& source) {
  pieces.target = labels_of(target, pieces.target);
  pieces.source = labels_of(source, pieces.source);
  check(pieces);
  return pieces;
}

std::string source_word_for(const std::vector<std::string>& surfaces,
                            const std::vector<bool>& is_unknown, std::span<const float> weights) {
  expect(is_unknown.size() == surfaces.size() && weights.size() >= surfaces.size(),
         "a weight for each piece");
  const WordsOfParts words = text::words_of_parts(surfaces);
  if (words.words.empty()) return "";
  std::vector<double> sums(words.words.size() + 1, 0);
  for (std::size_t i = 0; i < surfaces.size(); ++i) sums[words.first[i]] += weights[i];
  const auto best =
      static_cast<std::size_t>(std::max_element(sums.begin(), sums.end() - 1) - sums.begin());
  std::size_t unknown = kNoPiece;
  for (std::size_t i = 0; i < surfaces.size(); ++i)
    if (is_unknown[i] && words.first[i] == best &&
        (unknown == kNoPiece || weights[i] > weights[unknown]))
      unknown = i;
  if (unknown != kNoPiece) return std::string(trim(surfaces[unknown]));
  const std::string letters = text::without_punctuation(words.words[best]);
  return letters.empty() ? words.words[best] : letters;
}

std::string attention_csv_header() {
  return "sentence,layer,head,target_position,target_token,source_position,source_token,weight\n";
}

std::string attention_csv_rows(const AttentionMatrix& matrix) {
  check(matrix);
  const std::string which = std::to_string(matrix.sentence) + ',' + std::to_string(matrix.layer) +
                            ',' + head_name(matrix.head) + ',';
  std::string out;
  for (std::size_t row = 0; row < matrix.target.size(); ++row) {
    const std::string target =
        which + std::to_string(row) + ',' + text::quoted_csv_field(matrix.target[row]) + ',';
    for (std::size_t column = 0; column < matrix.source.size(); ++column) {
      out += target + std::to_string(column) + ',' + text::quoted_csv_field(matrix.source[column]) +
             ',' + exact(matrix.at(row, column)) + '\n';
    }
    if (!matrix.missing.empty())
      out += target + ',' + kMissing + ',' + exact(matrix.missing[row]) + '\n';
  }
  return out;
}

std::string attention_csv_matrix(const AttentionMatrix& matrix) {
  check(matrix);
  std::string out = text::csv_field(fmt::format("sentence {} layer {} head {}", matrix.sentence,
                                                matrix.layer, head_name(matrix.head)));
  for (const std::string& token : matrix.source) out += ',' + text::quoted_csv_field(token);
  if (!matrix.missing.empty()) out += std::string(",") + kMissing;
  out += '\n';
  for (std::size_t row = 0; row < matrix.target.size(); ++row) {
    out += text::quoted_csv_field(matrix.target[row]);
    for (std::size_t column = 0; column < matrix.source.size(); ++column)
      out += ',' + exact(matrix.at(row, column));
    if (!matrix.missing.empty()) out += ',' + exact(matrix.missing[row]);
    out += '\n';
  }
  return out;
}

std::string layers_json(std::span<const AttentionMatrix> layers) {
  using Json = nlohmann::ordered_json;
  expect(!layers.empty(), "there is a layer");
  const AttentionMatrix& first = layers.front();
  Json all = Json::array();
  for (const AttentionMatrix& one : layers) {
    check(one);
    expect(one.source == first.source && one.target == first.target, "layers share their tokens");
    all.push_back({{"layer", one.layer}, {"weights", rounded_rows(one)}});
  }
  const Json out = {{"line", first.sentence},
                    {"source", first.source},
                    {"target", first.target},
                    {"layers", std::move(all)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

AttentionMatrix rollout(std::span<const AttentionMatrix> heads) {
  const auto encoder = means_of(heads, AttentionKind::encoder),
             decoder = means_of(heads, AttentionKind::decoder),
             cross = means_of(heads, AttentionKind::cross);
  if (encoder.empty() || decoder.empty() || cross.size() != decoder.size())
    throw UserError("rollout: follows the layers of a Transformer, and this model has none");
  const AttentionMatrix* like = nullptr;
  for (const AttentionMatrix& head : heads)
    if (head.kind == AttentionKind::cross) like = &head;

  Square of_source = identity(like->source.size());
  for (const auto& [layer, mean] : encoder)
    of_source = product(half_each(identity(mean.rows), mean), of_source);
  Square shares(like->target.size(), like->source.size());
  for (const auto& [layer, mean] : decoder) {
    shares = product(half_each(identity(mean.rows), mean), shares);
    shares = half_each(shares, product(cross.at(layer), of_source));
  }

  AttentionMatrix out = *like;
  out.kind = AttentionKind::rollout;
  out.layer = 0;
  out.head = -1;
  out.softmax = false;
  for (std::size_t row = 0; row < shares.rows; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < shares.columns; ++column) sum += shares.at(row, column);
    for (std::size_t column = 0; column < shares.columns; ++column)
      out.weights[row * shares.columns + column] =
          static_cast<float>(sum > 0 ? shares.at(row, column) / sum : 0);
  }
  return out;
}

}  // namespace heed::study
