#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "config/schema.h"
#include "draw/page_data.h"
#include "draw/pages.h"
#include "draw/png.h"
#include "draw/svg.h"
#include "study/attention_matrix.h"

namespace heed::draw {
namespace {

constexpr float kUnits = 10000;  // four decimals

/// A weight that four decimals show as 0, for a temperature that makes it visible: its logarithm in
/// steps of 0.3 below that of 0.00005; 0 for one that is 0.
unsigned step_of_small(float weight) {
  if (weight <= 0) return 0;
  const float steps = -std::log(2 * kUnits * weight) / 0.3f;
  return 1 + static_cast<unsigned>(std::clamp(std::lround(steps), 0L, 254L));
}

void append(std::string& bytes, const study::AttentionMatrix& matrix) {
  for (const float weight : matrix.weights) {
    const float share = std::isnan(weight) ? 0 : std::clamp(weight, 0.0f, 1.0f);
    const auto units = static_cast<unsigned>(std::lround(share * kUnits));
    bytes += static_cast<char>(units < 128 ? units : units % 128 + 128);
    if (units >= 128) bytes += static_cast<char>(units / 128);
    if (units == 0 && matrix.softmax) bytes += static_cast<char>(step_of_small(share));
  }
}

float largest(const std::vector<float>& numbers) {
  return numbers.empty() ? 0 : std::ranges::max(numbers);
}

struct Sentence {
  PageData lines = PageData::array(), views = PageData::array();
  std::map<std::vector<std::string>, std::size_t> known;  // token line -> index
  std::string weights;

  std::size_t line(const std::vector<std::string>& tokens) {
    const auto [found, is_new] = known.try_emplace(tokens, lines.size());
    if (is_new) lines.push_back(tokens);
    return found->second;
  }
};

std::string with_title(const std::string& title, const std::string& data) {
  const PageData inks{ink(0), ink(0.25), ink(0.5), ink(0.75), ink(1)};
  return render_page("attention", {{"title", title}, {"data", data}, {"ink", inks.dump()}});
}

}  // namespace

std::string attention_json(std::span<const study::AttentionMatrix> matrices) {
  std::vector<std::pair<int64_t, Sentence>> sentences;  // in order of first appearance
  std::map<int64_t, std::size_t> indices;
  for (const study::AttentionMatrix& matrix : matrices) {
    check(matrix);
    const auto [found, is_new] = indices.try_emplace(matrix.sentence, sentences.size());
    if (is_new) sentences.emplace_back(matrix.sentence, Sentence());
    Sentence& sentence = sentences[found->second].second;
    sentence.views.push_back({{"model", matrix.model},
                              {"kind", config::name_of(matrix.kind)},
                              {"layer", matrix.layer},
                              {"head", matrix.head},
                              {"unit", matrix.words ? "words" : "pieces"},
                              {"softmax", matrix.softmax},
                              {"missing", largest(matrix.missing)},
                              {"target", sentence.line(matrix.target)},
                              {"source", sentence.line(matrix.source)}});
    append(sentence.weights, matrix);
  }
  PageData data = PageData::array();
  for (auto& [id, sentence] : sentences)
    data.push_back({{"id", id},
                    {"lines", std::move(sentence.lines)},
                    {"views", std::move(sentence.views)},
                    {"weights", base64(compressed(sentence.weights))}});
  return script_data(data);
}

std::string attention_page(std::span<const study::AttentionMatrix> matrices,
                           const std::string& title) {
  if (matrices.empty()) throw UserError("there is no attention to show: no sentence was given");
  return with_title(title, attention_json(matrices));
}

std::string live_attention_page(const std::string& title) {
  return with_title(title, "[]");
}

}  // namespace heed::draw
