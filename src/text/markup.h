// Cuts a page or a line with markup into segments to translate, inlays inside them, and the rest
// around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "text/kept.h"
#include "text/markup_tokens.h"

namespace heed::text {

/// Something in a segment that is not text for the model, such as a tag, and that comes back in the
/// translation.
struct Inlay {
  enum class Kind {
    element,  // an opening and a closing tag, and what is between them
    opening,
    closing,  // a tag whose element is not whole in the segment
    item,     // anything else: an empty tag, a comment, a kept item
  };
  static constexpr std::size_t kNone = -1;

  Kind kind = Kind::item;
  std::string before, behind = {};  // as in the source; only an element has a tag after its text
  std::size_t begin = 0, end = 0;   // bytes of the text that are inside it
  std::size_t parent = kNone;       // index of the element around it, which comes earlier
  bool blank_before = false, blank_behind = false;  // in the source
};

/// The text between two block tags, about a sentence, which is translated as one.
struct Segment {
  std::string raw;   // as the page has it
  std::string text;  // one line of UTF-8, for a model: without inlays, with characters in place of
                     // references, and one blank for a run of blanks
  std::vector<Inlay> inlays;                            // in the order of their beginnings
  std::map<std::string, int64_t, std::less<>> staying;  // how often each item is in the text
};

/// How many elements may be nested. Tags of deeper ones are Kind::opening and Kind::closing.
inline constexpr std::size_t kDeepestInlay = 64;

class Markup {
 public:
  /// Segments are cut at the tags of HTML's blocks, and at line feeds in `pre` and `textarea`. A
  /// segment without a letter or a digit stays as it is, and so do blanks around segments. A line
  /// without markup and without kept items is one segment, as it stands.
  explicit Markup(std::string_view page, MarkupKind kind = MarkupKind::html, KeepOptions kept = {});

  MarkupKind kind() const { return kind_; }
  const KeepOptions& kept() const { return kept_; }
  const std::vector<Segment>& segments() const { return segments_; }

  /// The page with these texts in place of its segments. They are markup: see with_references().
  std::string with(const std::vector<std::string>& texts) const;

 private:
  void add_segment(std::string_view raw);

  MarkupKind kind_;
  KeepOptions kept_;
  std::vector<std::string> around_ = {""};  // the bytes before each segment, and after the last
  std::vector<Segment> segments_;
};

}  // namespace heed::text
