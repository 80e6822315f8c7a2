#include "data/alignment.h"

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "text/words.h"

namespace heed::data {
namespace {

text::LineReader opened(const std::string& path) {
  if (path != "-") require_file(path, "word alignment");
  return text::LineReader(path);
}

}  // namespace

AlignmentReader::AlignmentReader(const std::string& path) : reader_(opened(path)) {}

std::vector<PieceLink> AlignmentReader::next(std::string_view source, std::string_view target) {
  if (ended_ || !reader_.next(line_)) {
    ended_ = true;  // the corpus is read on, so that the error can give the number of pairs
    return {};
  }
  const std::string where = fmt::format("{}:{}", reader_.path(), reader_.line_number());
  std::vector<PieceLink> links = parse_links(line_, where);
  if (links.empty()) return links;
  const int64_t source_words = text::count_words(source), target_words = text::count_words(target);
  for (const PieceLink& link : links) {
    const bool beyond_source = link.source >= source_words;
    if (!beyond_source && link.target < target_words) continue;
    throw UserError("{}: link {}-{}, but the {} sentence has {}, counted from 0", where,
                    link.source, link.target, beyond_source ? "source" : "target",
                    counted(beyond_source ? source_words : target_words, "word"));
  }
  return links;
}

void AlignmentReader::end(int64_t pairs) {
  const bool more = !ended_ && reader_.next(line_);
  if (!more && !ended_) return;
  while (reader_.next(line_)) {
  }
  throw UserError(
      "{} has {} lines, and its corpus has {} pairs; line i must have the links of pair i",
      reader_.path(), reader_.line_number(), pairs);
}

}  // namespace heed::data
