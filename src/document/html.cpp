// Gumbo says which text is seen and in which elements it is; the text itself is read from the page,
// in its order.
#include "document/html.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "document/format.h"
#include "document/html_components.h"
#include "document/html_elements.h"
#include "document/markup_tokens.h"
#include "document/page_parts.h"
#include "document/passage.h"
#include "document/segment.h"
#include "document/template_branches.h"
#include "document/template_code.h"
#include "document/templates.h"
#include "document/token.h"
#include "text/references.h"

namespace heed::document {
namespace {

bool is_html_blank(char c) {
  return is_one_of(c, kMarkupBlanks);
}

/// Cuts a page into passages.
class HtmlPassages {
 public:
  explicit HtmlPassages(std::string_view page) : page_(page) {}

  Passages read(const std::vector<HtmlPart>& parts) && {
    HtmlReading reading{.stays = true};  // of what is in no part
    for (const HtmlPart& part : parts) {
      const std::size_t from = std::max(part.from, at_);
      if (part.to <= from) continue;
      read_rest(from, reading);
      reading = part.after;
      if (part.kind == HtmlPart::PartKind::comment)
        add_whole(part.to, part.reading);
      else if (part.kind == HtmlPart::PartKind::text)
        read_text(part.to, part.reading);
      else
        read_tag(part);
    }
    read_rest(page_.size(), reading);
    cut(page_.size());
    return std::move(passages_);
  }

 private:
  /// Reads tags that gumbo ignores, and blanks, up to `to`.
  void read_rest(std::size_t to, const HtmlReading& reading) {
    while (at_ < to) {
      if (is_html_blank(page_[at_])) {
        const std::size_t end = std::min(page_.find_first_not_of(kMarkupBlanks, at_), to);
        reading.stays ? add_whole(end, reading) : add_blanks(end, reading);
      } else if (page_[at_] == '<') {
        read_markup_at(to, reading);
      } else {
        add_whole(std::min({page_.find_first_of("< \t\n\r\f", at_), to}), {.stays = true});
      }
    }
  }

  void read_text(std::size_t to, const HtmlReading& reading) {
    while (at_ < to) {
      const char c = page_[at_];
      if (c == '<' && reading.has_tags)
        read_markup_at(to, reading);
      else if (reading.stays)
        add_whole(std::min(page_.find('<', at_ + 1), to), reading);
      else if (is_html_blank(c))
        read_blanks(to, reading);
      else if (c == '&')
        read_reference(to);
      else
        add_text(std::min(page_.find_first_of("<& \t\n\r\f", at_ + 1), to));
    }
  }

  /// The tag or comment that begins here, of which gumbo says nothing.
  Token token_of_hidden(std::size_t to) {
    const std::string_view page = page_.substr(0, to);
    const Tag tag = tag_at(page, at_, MarkupKind::html);
    if (tag.end == at_ || tag.closes || tag.translate || !is_untranslated_element(tag.name))
      return token_at(page, at_, MarkupKind::html);
    std::size_t& end = next_ends_[tag.name];
    if (end < tag.end)
      end = after_end_tag(page_, tag.end, tag.name).value_or(std::string_view::npos);
    Token token{.from = at_, .to = tag.end, .syntax = Token::Syntax::opening, .name = tag.name};
    if (end <= to || tag.is_empty) {
      if (!tag.is_empty) token.to = end;
      token.syntax = Token::Syntax::whole;
    }
    if (is_block_element(tag.name)) token.syntax = Token::Syntax::block;
    return token;
  }

  /// Reads a tag or a comment, or a `<` that begins none.
  void read_markup_at(std::size_t to, const HtmlReading& reading) {
    Token token = token_of_hidden(to);
    if (token.syntax == Token::Syntax::text)
      return reading.stays ? add_whole(at_ + 1, reading) : add_text(at_ + 1);
    if (token.syntax == Token::Syntax::block && !reading.is_foreign) return cut(token.to);
    if (reading.stays || token.syntax == Token::Syntax::whole)
      return add_whole(token.to, reading, token.name.empty());
    add_tag(std::move(token));
  }

  void read_tag(const HtmlPart& part) {
    const Tag tag = tag_at(page_.substr(0, part.to), at_, MarkupKind::html);
    std::vector<Passage> values;
    for (const ByteRange& value : part.also) values.push_back(passage_of_value(value));
    if (is_block_element(tag.name) && !part.reading.is_foreign) {
      cut(part.to);
      std::ranges::move(values, std::back_inserter(passages_));
      return;
    }
    std::ranges::move(values, std::back_inserter(inside_));
    if (part.reading.stays || is_void_element(tag.name))
      return add_whole(part.to, part.reading, tag.name != "img" && tag.name != "input");
    Token token{.from = at_, .to = part.to, .name = tag.name};
    token.syntax = tag.closes ? Token::Syntax::closing : Token::Syntax::opening;
    add_tag(std::move(token));
  }

  /// The value of an attribute, which is without its quotes.
  Passage passage_of_value(ByteRange value) const {
    const bool has_quotes = value.from > 0 && is_one_of(page_[value.from - 1], "\"'");
    Passage passage{.writing = {.escaped = has_quotes ? text::with_references_in_quotes
                                                      : text::with_references_unquoted,
                                .is_document = true}};
    std::vector<Token>& tokens = passage.tokens;
    for (std::size_t at = value.from; at < value.to; at = tokens.back().to) {
      const std::string_view page = page_.substr(0, value.to);
      const auto reference = page[at] == '&'
                                 ? text::html_reference_at(page, at, /*is_in_attribute=*/true)
                                 : std::nullopt;
      Token token{.from = at, .to = at + 1};
      if (reference) {
        token.to = at + reference->bytes;
        token.text = reference->text();
        if (token.text.empty()) token.syntax = Token::Syntax::whole;
      } else if (is_one_of(page[at], "\r\n")) {
        token.to = after_run(page, kMarkupBlanks, at);
        token.syntax = Token::Syntax::line_break;
      } else {
        token.to = std::min(page.find_first_of("&\r\n", at + 1), value.to);
      }
      tokens.push_back(std::move(token));
    }
    return passage;
  }

  void read_reference(std::size_t to) {
    const auto reference = text::html_reference_at(page_.substr(0, to), at_);
    if (!reference) return add_text(at_ + 1);
    Token token{.from = at_, .to = at_ + reference->bytes};
    token.text = reference->text();
    if (token.text.empty()) token.syntax = Token::Syntax::whole;
    has_text_ = true;
    constexpr const char* kFixedBlank = "\u00A0";
    if (token.text == kFixedBlank && !tokens_.empty() && tokens_.back().text == kFixedBlank) {
      // Several are layout; a model would write one blank.
      tokens_.back().syntax = Token::Syntax::whole;
      tokens_.back().mask = Token::kCloses;
      return extend(token.to);
    }
    push(std::move(token));
  }

  void read_blanks(std::size_t to, const HtmlReading& reading) {
    add_blanks(std::min(page_.find_first_not_of(kMarkupBlanks, at_), to), reading);
  }

  void add_blanks(std::size_t to, const HtmlReading& reading) {
    const bool has_end =
        page_.substr(at_, to - at_).find_first_of("\n\r") != std::string_view::npos;
    const bool follows_break =
        !tokens_.empty() && tokens_.back().syntax == Token::Syntax::line_break;
    if (reading.keeps_lines && (has_end || to - at_ > 1)) return cut(to);
    if (follows_break)
      extend(to);
    else if (has_end)
      push({.from = at_, .to = to, .syntax = Token::Syntax::line_break});
    else
      add_plain(to);
  }

  void add_text(std::size_t to) {
    has_text_ = true;
    add_plain(to);
  }

  void add_plain(std::size_t to) {
    if (!tokens_.empty() && tokens_.back().is_plain())
      extend(to);
    else
      push({.from = at_, .to = to});
  }

  /// Adds what stays as it is; several of it are one. `is_mark`: it is no word of its sentence.
  void add_whole(std::size_t to, const HtmlReading& reading, bool is_mark = true) {
    if (to <= at_) return;
    if (reading.stays && stays_)
      extend(to);
    else
      push({.from = at_,
            .to = to,
            .syntax = Token::Syntax::whole,
            .mask = !reading.stays && is_mark ? bracket() : Token::kWord});
    stays_ = reading.stays;
  }

  void add_tag(Token token) {
    token.mask = token.syntax == Token::Syntax::closing ? Token::kCloses : Token::kOpens;
    token.is_link = token.name == "a";
    push(std::move(token));
  }

  /// The bracket that stands for a mark: one that opens after a blank.
  char bracket() const {
    return at_ == 0 || tokens_.empty() || is_html_blank(page_[at_ - 1]) ? Token::kOpens
                                                                        : Token::kCloses;
  }

  void push(Token token) {
    at_ = token.to;
    tokens_.push_back(std::move(token));
    stays_ = false;
  }

  void extend(std::size_t to) { at_ = tokens_.back().to = to; }

  /// Ends a passage; the next one begins at `next`.
  void cut(std::size_t next) {
    if (has_text_)
      passages_.push_back({.tokens = std::move(tokens_),
                           .writing = writing_,
                           .inside = std::exchange(inside_, {})});
    std::ranges::move(inside_, std::back_inserter(passages_));
    inside_.clear();
    tokens_.clear();
    has_text_ = stays_ = false;
    at_ = next;
  }

  std::string_view page_;
  const Writing writing_{.escaped = text::with_references, .is_document = true};
  std::size_t at_ = 0;           // the page is read up to here
  std::vector<Token> tokens_;    // of the passage that is being read
  bool has_text_ = false;        // it has more than tags and blanks
  bool stays_ = false;           // its last token stays, with what follows that stays, too
  std::vector<Passage> inside_;  // in its tags
  // Where the next element of each name ends, as far as it was looked for.
  std::map<std::string, std::size_t, std::less<>> next_ends_;
  Passages passages_;
};

/// Makes tokens of the tags of templates, which were letters.
void set_templates(Passage& passage, const std::vector<TemplateTag>& tags, std::string_view page) {
  std::vector<Token> out;
  auto tag = std::ranges::upper_bound(tags, passage.tokens.front().from, {},
                                      [](const TemplateTag& one) { return one.bytes.to; });
  for (Token& token : passage.tokens) {
    const std::size_t to = token.to;
    while (tag != tags.end() && tag->bytes.to <= token.from) ++tag;
    for (; token.is_plain() && tag != tags.end() && tag->bytes.to <= to; ++tag) {
      if (tag->bytes.from < token.from) continue;  // it begins in a tag of HTML
      if (tag->bytes.from > token.from) out.push_back({.from = token.from, .to = tag->bytes.from});
      out.push_back(
          {.from = tag->bytes.from,
           .to = tag->bytes.to,
           .syntax = tag->has_line ? Token::Syntax::block : Token::Syntax::whole,
           .mask = tag->is_statement ? mask_of_statement(page, tag->bytes.from) : Token::kWord});
      token.from = tag->bytes.to;
    }
    if (token.from < to) out.push_back(std::move(token));
  }
  passage.tokens = std::move(out);
}

void move_by(std::size_t bytes, Passage& passage) {
  for (Token& token : passage.tokens) {
    token.from += bytes;
    token.to += bytes;
  }
}

}  // namespace

Passages passages_of_html(std::string_view page, const ReadOptions& options) {
  const std::vector<TemplateTag> tags = templates_of(page);
  std::string with_letters(tags.empty() ? "" : page);
  const auto hide = [&](ByteRange bytes) {
    std::fill(with_letters.begin() + static_cast<std::ptrdiff_t>(bytes.from),
              with_letters.begin() + static_cast<std::ptrdiff_t>(bytes.to), Token::kWord);
  };
  for (const TemplateTag& tag : tags) hide(tag.bytes);
  for (const ByteRange& bytes : branches_in_tags(page, with_letters, tags)) hide(bytes);
  const std::string_view shown = tags.empty() ? page : with_letters;
  Passages passages = HtmlPassages(shown).read(parts_of_page(shown, options));
  for (Passage& passage : passages) {
    if (!tags.empty()) {
      set_templates(passage, tags, page);
      for (Passage& inside : passage.inside) set_templates(inside, tags, page);
      keep_template_code(page, passage);
      join_branches(page, passage);
    }
    set_components_apart(page, passage);
  }
  return passages;
}

Passages read_html(std::string_view bytes, const ReadOptions& options) {
  // Gumbo would take the mark for text.
  const std::size_t mark = bytes.starts_with("\uFEFF") ? 3 : 0;
  Passages passages = passages_of_html(bytes.substr(mark), options);
  for (Passage& passage : passages) {
    move_by(mark, passage);
    for (Passage& inside : passage.inside) move_by(mark, inside);
  }
  return passages;
}

}  // namespace heed::document
