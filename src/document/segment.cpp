#include "document/segment.h"

#include <algorithm>

#include "base/error.h"

namespace heed::document {

std::string Writing::written(std::string_view text) const {
  std::string out;
  while (!text.empty()) {
    const std::size_t to = std::min(text.find_first_of(with_backslash), text.size());
    const std::string_view run = text.substr(0, to);
    out += escaped ? escaped(run) : run;
    if (to == text.size()) break;
    const std::size_t other = run.find_last_not_of('\\');
    const std::size_t backslashes = run.size() - (other == run.npos ? 0 : other + 1);
    // A backslash of the text is doubled, so that it does not take away the other's meaning.
    out.append(1 + backslashes % 2, '\\');
    out += text[to];
    text.remove_prefix(to + 1);
  }
  return out;
}

void SegmentedText::begin_part() {
  parts_.push_back({.begin = here(), .end = {}, .raw = {}, .enclosed = nullptr});
}

void SegmentedText::end_part(std::string_view raw, Enclose enclosed) {
  parts_.back().end = here();
  parts_.back().raw = raw;
  parts_.back().enclosed = std::move(enclosed);
}

std::string SegmentedText::with(const std::vector<std::string>& texts) const {
  expect(texts.size() == segments_.size(), "a text for each segment");
  std::string page;
  auto part = parts_.begin();
  std::size_t begin = 0;      // byte of the page where the part begins
  std::size_t last_text = 0;  // where the last text begins that is in no tag
  for (std::size_t i = 0; i < around_.size(); ++i) {
    if (i > 0 && segments_[i - 1].tag.empty()) {
      last_text = page.size();
      page += texts[i - 1];
    } else if (i > 0 && (i == 1 || !is_one_tag(i - 2))) {
      put_into_tag(i - 1, texts, last_text, page);
    }
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

/// Whether a segment and the next one are in the same tag.
bool SegmentedText::is_one_tag(std::size_t i) const {
  const Segment &one = segments_[i], &next = segments_[i + 1];
  return !one.tag.empty() && next.tag == one.tag && next.place_in_tag > one.place_in_tag;
}

/// Puts the texts of the segments in a tag, of which `first` is the first, in their places there.
void SegmentedText::put_into_tag(std::size_t first, const std::vector<std::string>& texts,
                                 std::size_t from, std::string& page) const {
  const std::string& tag = segments_[first].tag;
  std::string changed;
  std::size_t copied = 0;
  for (std::size_t i = first;; ++i) {
    const Segment& segment = segments_[i];
    changed += tag.substr(copied, segment.place_in_tag - copied) + texts[i];
    copied = segment.place_in_tag + segment.raw.size();
    if (i + 1 == segments_.size() || !is_one_tag(i)) break;
  }
  changed += tag.substr(copied);
  if (const std::size_t found = page.find(tag, from); found != std::string::npos)
    page.replace(found, tag.size(), changed);
}

}  // namespace heed::document
