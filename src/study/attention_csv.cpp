#include "study/attention_csv.h"

#include <charconv>

#include "base/format.h"
#include "text/csv.h"

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
    for (std::size_t column = 0; column < matrix.source.size(); ++column) {
      out += ',' + exact(matrix.at(row, column));
    }
    if (!matrix.missing.empty()) out += ',' + exact(matrix.missing[row]);
    out += '\n';
  }
  return out;
}

}  // namespace heed::study
