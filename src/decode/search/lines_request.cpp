#include "decode/search/lines_request.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/log.h"

namespace heed::decode {

int64_t LineNumbers::of(int64_t i) const {
  const int64_t number = first_ + i * step_;
  return numbers_ ? numbers_->at(number - 1) : number;
}

uint64_t LineNumbers::stream_of(int64_t i) const {
  const auto number = static_cast<uint64_t>(of(i));
  if (!numbers_) return number;
  const auto first = std::ranges::lower_bound(*numbers_, static_cast<int64_t>(number));
  const int64_t before = first_ + i * step_ - 1 - (first - numbers_->begin());
  return number + (static_cast<uint64_t>(before) << 40U);
}

LineNumbers LineNumbers::from(int64_t i) const {
  LineNumbers out = *this;
  out.first_ += i * step_;
  return out;
}

LineNumbers LineNumbers::only(const std::vector<std::size_t>& lines) const {
  // Lines that follow each other are drawn as in the whole text, the sentences of a line, too.
  const bool follow_each_other =
      !lines.empty() && std::ranges::adjacent_find(lines, [](std::size_t one, std::size_t next) {
                          return next != one + 1;
                        }) == lines.end();
  if (numbers_ && follow_each_other) return from(static_cast<int64_t>(lines.front()));
  std::vector<int64_t> numbers;
  for (const std::size_t i : lines) numbers.push_back(of(static_cast<int64_t>(i)));
  return LineNumbers(std::move(numbers));
}

LinesRequest part_of(const LinesRequest& request, const std::vector<std::size_t>& lines) {
  LinesRequest part{.lines = {},
                    .numbers = request.numbers.only(lines),
                    .search = request.search,
                    .glossary = request.glossary,
                    .keep_attention = request.keep_attention};
  for (const std::size_t i : lines) {
    part.lines.push_back(request.lines[i]);
    if (!request.prefixes.empty()) part.prefixes.push_back(request.prefixes[i]);
  }
  return part;
}

void log_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) log::warn("{}", warning);
}

std::vector<Translation> with_logged_warnings(LinesResult result) {
  log_warnings(result.warnings);
  return std::move(result.translations);
}

}  // namespace heed::decode
