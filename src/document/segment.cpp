#include "document/segment.h"

#include "base/error.h"

namespace heed::document {

void SegmentedText::begin_part() {
  parts_.push_back({.begin = here(), .end = {}, .raw = {}, .enclosed = nullptr});
}

void SegmentedText::end_part(std::string_view raw,
                             std::string (*enclosed)(std::string_view written)) {
  parts_.back().end = here();
  parts_.back().raw = raw;
  parts_.back().enclosed = enclosed;
}

std::string SegmentedText::with(const std::vector<std::string>& texts) const {
  expect(texts.size() == segments_.size(), "a text for each segment");
  std::string page;
  auto part = parts_.begin();
  std::size_t begin = 0;  // byte of the page where the part begins
  for (std::size_t i = 0; i < around_.size(); ++i) {
    if (i > 0) page += texts[i - 1];
    const std::string_view around = around_[i];
    std::size_t copied = 0;
    const auto copy = [&](std::size_t to) {
      page += around.substr(copied, to - copied);
      copied = to;
    };
    for (; part != parts_.end(); ++part) {
      if (part->begin.segment == i) {
        copy(part->begin.at);
        begin = page.size();
      }
      if (part->end.segment != i) break;
      copy(part->end.at);
      if (const std::string written = page.substr(begin); written != part->raw)
        page.replace(begin, written.size(), part->enclosed(written));
    }
    copy(around.size());
  }
  return page;
}

}  // namespace heed::document
