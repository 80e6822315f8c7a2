// Makes a segment of its tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "document/segment.h"
#include "document/token.h"

namespace heed::document {

/// Whether the model sees a name in place of an item (Segment::stand_ins).
enum class StandIns { no, of_documents };

/// The segment of `raw`, whose tokens these are. One with very many items, or with an item that is
/// a part of a word, has no stand-ins.
Segment make_segment(std::string_view raw, std::vector<Token> tokens, const Writing& writing,
                     StandIns stand_ins = StandIns::of_documents);

/// What the line break between the characters before and after it is on one line: a blank, or
/// nothing (has_no_blank_between()).
std::string_view joint_of(std::string_view bytes, const Token& line_break);

/// Takes the tokens of a segment from its beginning to its end.
class SegmentBuilder {
 public:
  /// `stand_ins`: Segment::stand_ins.
  SegmentBuilder(const Writing& writing, char stand_ins) {
    segment_.writing = writing;
    segment_.stand_ins = stand_ins;
  }

  /// Adds a token, which has these bytes in the source; they are UTF-8. A text is one character, or
  /// a kept item that stays in the text.
  void add(const Token& token, std::string_view bytes);

  /// The segment without its `raw`, `tokens` and `breaks`.
  Segment segment() &&;

 private:
  struct Open {
    std::size_t inlay;
    std::string name;
  };
  /// The position of an inlay among the bytes of all tokens, and what was known before it.
  struct Seen {
    std::size_t from = 0, to = 0;
    bool gap = false;
    std::size_t words_end = 0;
    std::string first_blank = {};  // what directly follows it, as it is written there
  };

  void add_text(std::string_view bytes);
  bool add_fixed_blank(std::string_view source);
  bool is_glued(char32_t c) const;
  bool is_after_bracket(const Inlay& item) const;
  std::size_t add_inlay(Inlay::Kind kind, std::string_view bytes);
  void add_item(std::string_view bytes, bool has_stand_in);
  void stand_in(Inlay& item, const std::string& name);
  bool has_words_from(std::size_t at) const { return words_end_ > at; }
  void open(const Token& token, std::string_view tag);
  void close(const std::string& name, std::string_view tag);
  void join_items();
  bool has_figures_alone(const Inlay& element) const;
  bool is_note(std::size_t element) const;
  bool is_label(std::size_t element, char32_t next) const;
  void make_item(std::size_t element);
  bool is_alone(const Inlay& inlay) const;
  void take_marks(Inlay& inlay);
  bool take_pair(Inlay& inlay);
  void leave_one_blank(Inlay& inlay);
  std::string shown(std::size_t at, std::size_t bytes) const;
  void cut(std::size_t at, std::size_t bytes);
  void pop();

  Segment segment_;
  std::string bytes_;       // of all tokens
  std::vector<Seen> seen_;  // by inlay
  std::vector<Open> open_;
  std::map<std::string, int64_t> open_names_;
  std::size_t words_end_ = 0;        // bytes of the text up to the last letter or digit
  std::size_t names_ = 0;            // how many stand-ins have got a name
  std::size_t last_ = Inlay::kNone;  // the inlay that the next character follows
  bool blank_ = false;               // a blank directly follows this inlay, or the last character
  bool gap_ = false;                 // a blank has come since the last character
  std::string last_blank_ = {};      // blanks since then, as they are written
};

}  // namespace heed::document
