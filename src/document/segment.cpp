#include "document/segment.h"

#include "base/error.h"

namespace heed::document {

std::string SegmentedText::with(const std::vector<std::string>& texts) const {
  expect(texts.size() == segments_.size(), "a text for each segment");
  std::string page = around_.front();
  for (std::size_t i = 0; i < texts.size(); ++i) page += texts[i] + around_[i + 1];
  return page;
}

}  // namespace heed::document
