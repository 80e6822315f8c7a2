// HTML as text to translate and what stands around it. Torch-free.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

/// A page or a part of one. Its segments are the text between tags that has a letter or a digit:
/// each is one line of UTF-8, with characters for their references (`&auml;`, `&#228;`) and one
/// blank for a run of blanks. All else stays as it is: tags with their attributes, comments, what
/// script and style contain, blanks around a segment, and references that heed does not know. What
/// is no HTML (`a < b`, `AT&T`) is text. In pre and textarea each line is a segment.
class Html {
 public:
  explicit Html(std::string_view page);

  const std::vector<std::string>& segments() const { return segments_; }

  /// The page with these texts, one for each segment; `&`, `<` and `>` in them become references.
  /// Of the segments themselves it is the page, but for how characters and blanks are written.
  std::string with(const std::vector<std::string>& texts) const;

 private:
  void add_text(std::string_view raw);
  void add_segment(std::string_view raw);
  void add_markup(std::string_view raw) { markup_.back() += raw; }

  std::vector<std::string> markup_ = {""};  // before each segment, and behind the last
  std::vector<std::string> segments_;
  bool keeps_lines_ = false;  // while it is read: within pre or textarea
};

}  // namespace heed::text
