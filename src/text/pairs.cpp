#include "text/pairs.h"

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "base/strings.h"
#include "text/lines.h"
#include "text/tsv.h"
#include "text/utf8.h"

namespace heed::text {

std::vector<std::string> read_lines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  require_utf8(reader);
  return lines;
}

std::vector<std::string> read_sources(const std::string& path) {
  std::vector<std::string> lines = read_lines(path);
  if (!has_tsv_name(path)) return lines;
  const auto both = std::ranges::find_if(
      lines, [](const std::string& line) { return line.find('\t') != std::string::npos; });
  if (both != lines.end())
    throw UserError(path + ":" + std::to_string(both - lines.begin() + 1) +
                    ": has both sides; give a file of sources alone (cut -f1)");
  return lines;
}

std::vector<std::string> read_equal_lines(const std::string& path, const std::string& source,
                                          std::size_t lines) {
  std::vector<std::string> out = read_lines(path);
  require_equal_lines(source, lines, path, out.size());
  return out;
}

void require_equal_lines(const std::string& path_a, std::size_t lines_a, const std::string& path_b,
                         std::size_t lines_b) {
  if (lines_a != lines_b)
    throw UserError(path_a + " has " + counted(static_cast<int64_t>(lines_a), "line") + " and " +
                    path_b + " has " + std::to_string(lines_b) +
                    "; line i of one must belong to line i of the other");
}

namespace {

Pairs read_tsv(const std::string& path) {
  LineReader reader(path);
  Pairs pairs;
  for (std::string line; reader.next(line);) {
    const Columns columns = columns_of(line, reader);
    pairs.source.emplace_back(columns.source);
    pairs.target.emplace_back(columns.target);
  }
  require_utf8(reader);
  return pairs;
}

}  // namespace

Pairs read_pairs(const std::string& source, const std::string& target) {
  if (target.empty()) return read_tsv(source);
  if (const auto flaw = tsv_flaw(source, target))
    throw UserError(*flaw + ", or give each side a file (cut -f1 and cut -f2)");
  Pairs pairs{read_lines(source), {}};
  pairs.target = read_equal_lines(target, source, pairs.source.size());
  return pairs;
}

void require_pairs(const Pairs& pairs, const std::string& source) {
  const auto blank = [](const std::string& line) { return is_blank(line); };
  if (std::ranges::all_of(pairs.source, blank) && std::ranges::all_of(pairs.target, blank))
    throw UserError(source + (pairs.source.empty() ? ": empty" : ": blank lines only") +
                    "; no pair to measure by");
}

Pairs without_blank_pairs(const Pairs& pairs) {
  Pairs out;
  for (std::size_t i = 0; i < pairs.source.size(); ++i) {
    if (is_blank(pairs.source[i]) && is_blank(pairs.target[i])) continue;
    out.source.push_back(pairs.source[i]);
    out.target.push_back(pairs.target[i]);
  }
  return out;
}

std::vector<PairChunk> chunks_of(const Pairs& pairs, std::size_t lines) {
  constexpr double kTypicalBytes = 512;  // the bytes of a usual sentence, or more
  const double most = static_cast<double>(lines) * kTypicalBytes * kTypicalBytes;
  std::vector<PairChunk> chunks;
  double held = 0;
  for (std::size_t i = 0; i < pairs.source.size(); ++i) {
    const auto bytes =
        static_cast<double>(std::max(pairs.source[i].size(), pairs.target[i].size()));
    held += bytes * bytes;
    if (chunks.empty() || chunks.back().pairs.source.size() == lines || held > most) {
      chunks.push_back({.first = i, .pairs = {}});
      held = bytes * bytes;
    }
    chunks.back().pairs.source.push_back(pairs.source[i]);
    chunks.back().pairs.target.push_back(pairs.target[i]);
  }
  return chunks;
}

}  // namespace heed::text
