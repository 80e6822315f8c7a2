#include "study/attention_text.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "text/table.h"

namespace heed::study {
namespace {

constexpr const char* kMissing = "(missing)";  // in place of a source token

// The shortest digits that give the same float again, whatever the locale.
std::string exact(float value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  return std::string(digits, end.ptr);
}

}  // namespace

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
        which + std::to_string(row) + ',' + text::csv_field(matrix.target[row]) + ',';
    for (std::size_t column = 0; column < matrix.source.size(); ++column) {
      out += target + std::to_string(column) + ',' + text::csv_field(matrix.source[column]) + ',' +
             exact(matrix.at(row, column)) + '\n';
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
  for (const std::string& token : matrix.source) out += ',' + text::csv_field(token);
  if (!matrix.missing.empty()) out += std::string(",") + kMissing;
  out += '\n';
  for (std::size_t row = 0; row < matrix.target.size(); ++row) {
    out += text::csv_field(matrix.target[row]);
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
    Json rows = Json::array();
    for (std::size_t row = 0; row < one.target.size(); ++row) {
      Json weights = Json::array();
      for (std::size_t column = 0; column < one.source.size(); ++column)
        weights.push_back(std::round(1e4 * static_cast<double>(one.at(row, column))) / 1e4);
      rows.push_back(std::move(weights));
    }
    all.push_back({{"layer", one.layer}, {"weights", std::move(rows)}});
  }
  const Json out = {{"line", first.sentence},
                    {"source", first.source},
                    {"target", first.target},
                    {"layers", std::move(all)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace heed::study
