#include "data/corpus.h"

namespace heed::data {
namespace {

constexpr std::size_t kLinesNamed = 10;

std::string happened(const Notice& notice, const std::string& what) {
  return notice.count == 0 ? "" : "\n  " + what + ": " + notice.text();
}

}  // namespace

void Notice::add(int64_t line) {
  ++count;
  if (lines.size() < kLinesNamed) lines.push_back(line);
}

std::string Notice::text() const {
  std::string text = std::to_string(count) + (count == 1 ? " (line " : " (lines ");
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(lines[i]);
  const int64_t more = count - static_cast<int64_t>(lines.size());
  if (more > 0) text += " and " + std::to_string(more) + " more";
  return text + ")";
}

std::string CorpusReport::text() const {
  const auto number = [](int64_t value) { return std::to_string(value); };
  std::string text = source + " + " + target + ": " + number(kept) + " of " + number(pairs) +
                     " pairs, " + number(source_pieces) + " + " + number(target_pieces) + " pieces";
  if (source_unknown + target_unknown > 0)
    text += ", " + number(source_unknown) + " + " + number(target_unknown) + " of them unknown";
  text += happened(blank, "left out, a side is blank");
  text += happened(dropped, "left out, longer than " + number(max_length) + " pieces");
  text += happened(truncated, "cut to " + number(max_length) + " pieces");
  return text;
}

}  // namespace heed::data
