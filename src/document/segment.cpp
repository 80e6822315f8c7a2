#include "document/segment.h"

#include "base/error.h"

namespace heed::document {

std::string SegmentedText::with(const std::vector<std::string>& texts) const {
  expect(texts.size() == segments_.size(), "a text for each segment");
  std::string page = around_.front();
  std::size_t begin = 0;  // of the last text that is in no tag
  for (std::size_t i = 0; i < texts.size();) {
    if (segments_[i].tag.empty()) {
      begin = page.size();
      page += texts[i] + around_[i + 1];
      ++i;
      continue;
    }
    // All that is in this tag.
    const std::string& tag = segments_[i].tag;
    std::string changed;
    std::size_t from = 0;
    for (const std::size_t first = i; i < texts.size() && segments_[i].tag == tag; ++i) {
      const std::size_t at = segments_[i].place_in_tag;
      if (i > first && at <= segments_[i - 1].place_in_tag) break;  // another one of the same bytes
      changed += tag.substr(from, at - from) + texts[i];
      from = at + segments_[i].raw.size();
    }
    changed += tag.substr(from);
    if (const std::size_t found = page.find(tag, begin); found != std::string::npos)
      page.replace(found, tag.size(), changed);
    page += around_[i];
  }
  return page;
}

}  // namespace heed::document
