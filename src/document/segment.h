// A text as segments to translate, with the inlays in them and the bytes around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/token.h"
#include "text/kept.h"

namespace heed::document {

/// Something in a segment that is not text for the model, such as a tag or the marks of emphasis,
/// and that comes back in the translation.
struct Inlay {
  enum class Kind {
    element,  // an opening and a closing tag, and what is between them
    opening,
    closing,  // a tag whose element is not whole in the segment
    item,     // anything else: an empty tag, a comment, inline code, a kept item
  };
  static constexpr std::size_t kNone = -1;

  Kind kind = Kind::item;
  std::string before, after = {};  // as in the source, and a blank that is directly inside a tag
  std::size_t begin = 0, end = 0;  // bytes of the text that are inside it
  std::size_t parent = kNone;      // index of the element around it, which comes earlier
  /// Whether it is an item whose stand-in has the bytes [begin, end) (Segment::stand_ins).
  bool stands_in = false;
  bool blank_before = false, blank_after = false;  // in the source
  /// Bytes of the blank directly inside a tag: at the end of `before`, at the beginning of `after`.
  std::size_t first_blank = 0, last_blank = 0;
  bool needs_words = false;  // Token::needs_words
  bool in_order = false;     // Token::in_order, without a stand-in
};

/// How the translation of a segment is written.
struct Writing {
  /// The characters of a text as the format writes them: `&lt;` for `<` in HTML. None: as they are.
  std::string (*escaped)(std::string_view text) = nullptr;
  /// It is a sentence of a document. Where its translation is blank, its bytes stay, and stops and
  /// brackets directly beside an item come back where the translation lacks them.
  bool is_document = false;
  bool has_markers = false;  // a line that begins with a marker of lists would no longer be text
  std::string with_backslash = {};  // characters that are written with a backslash before them
  /// What a passage begins with, as text where it would be something else. None: as it is.
  std::string (*beginning)(std::string_view written) = nullptr;

  std::string written(std::string_view text) const;
};

/// The end of a line inside a segment, with the indentation and markers of the next line.
struct LineBreak {
  std::size_t at = 0, of = 0;  // bytes of the segment before it, and all, on one line
  std::string bytes;
  bool divides = false;            // Token::divides: between cues
  std::size_t ended_elements = 0;  // Token::ended_elements
};

/// About a sentence, which is translated as one: a sentence of a document, or the text between two
/// block tags of a page.
struct Segment {
  std::string raw;            // as the source has it
  std::vector<Token> tokens;  // of `raw`
  std::string text;  // one line of UTF-8, for a model: without inlays, with characters in place of
                     // references, and one blank for a run of blanks
  std::vector<Inlay> inlays;                            // in the order of their beginnings
  std::map<std::string, int64_t, std::less<>> staying;  // how often each item is in the text
  /// The letter of the stand-ins in the text, or 0 where it has none. An item of a document that is
  /// a word of its sentence, such as inline code, has one: X1, X2, ... Models copy such names, and
  /// set the words and the punctuation around them as around any other word. Nothing else in the
  /// text is this letter with a digit after it.
  char stand_ins = 0;
  bool is_in_order = false;  // the stand-ins have to keep their order (Token::in_order)
  /// Whether the text has a letter, apart from stand-ins. A text without one, such as a version, a
  /// date or a price, is its own translation: models change such figures.
  bool has_letters = false;
  std::vector<LineBreak> breaks;  // in order
  Writing writing;
  /// Where it is in a tag of the last segment that is in none: the tag, and its place there.
  std::string tag = {};
  std::size_t place_in_tag = 0;
};

/// Makes of a text with its translations what its format can have (Passage::enclosed).
using Enclose = std::function<std::string(std::string_view written)>;

/// How many elements may be nested. Tags of deeper ones are Kind::opening and Kind::closing.
inline constexpr std::size_t kDeepestInlay = 64;

/// A page, a line or a document: segments, and bytes around them that stay.
class SegmentedText {
 public:
  explicit SegmentedText(text::KeepOptions kept = {}) : kept_(std::move(kept)) {}

  /// Adds bytes that stay.
  void add(std::string_view bytes) { around_.back() += bytes; }
  void add(Segment segment) {
    segments_.push_back(std::move(segment));
    around_.emplace_back();
  }

  /// What is added between the two is written as `enclosed` makes it, unless it is `raw`. A part
  /// has no other part inside it.
  void begin_part();
  void end_part(std::string_view raw, Enclose enclosed);

  const text::KeepOptions& kept() const { return kept_; }
  const std::vector<Segment>& segments() const { return segments_; }

  /// The text with these in place of its segments; with_inlays() makes them of translations.
  std::string with(const std::vector<std::string>& texts) const;

 private:
  /// A position between the bytes around segments: byte `at` of around_[segment].
  struct PartBound {
    std::size_t segment = 0, at = 0;
  };
  struct EnclosedPart {
    PartBound begin, end;
    std::string raw;
    Enclose enclosed;
  };
  bool is_one_tag(std::size_t i) const;
  void put_into_tag(std::size_t first, const std::vector<std::string>& texts, std::size_t from,
                    std::string& page) const;
  PartBound here() const { return {segments_.size(), around_.back().size()}; }

  text::KeepOptions kept_;
  std::vector<std::string> around_ = {""};  // the bytes before each segment, and after the last
  std::vector<Segment> segments_;
  std::vector<EnclosedPart> parts_;  // in order, with no byte in common
};

}  // namespace heed::document
