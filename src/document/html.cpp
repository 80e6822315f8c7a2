// Gumbo says which text is seen and in which elements it is; the text itself is read from the page,
// in its order.
#include "document/html.h"

#include <gumbo.h>

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
#include "document/gumbo_page.h"
#include "document/html_elements.h"
#include "document/lines_of_text.h"
#include "document/markup_tokens.h"
#include "document/passage.h"
#include "document/segment.h"
#include "document/templates.h"
#include "document/token.h"
#include "text/references.h"

namespace heed::document {
namespace {

/// How what is in an element is read.
struct Reading {
  bool stays = false;
  bool keeps_lines = false;  // of pre: each line and each column is read by itself
  bool is_foreign = false;   // of SVG or MathML
  bool has_tags = true;
};

/// What gumbo says of some bytes of a page.
struct Part {
  enum class Kind { text, tag, comment };

  std::size_t from = 0, to = 0;
  Kind kind = Kind::text;
  Reading reading = {};
  Reading after = {};                // of what follows
  std::vector<ByteRange> also = {};  // values of attributes that are translated
};

bool is_element(const GumboNode& node) {
  return node.type == GUMBO_NODE_ELEMENT || node.type == GUMBO_NODE_TEMPLATE;
}

std::string_view attribute(const GumboElement& element, const char* name) {
  const GumboAttribute* const found = gumbo_get_attribute(&element.attributes, name);
  return found == nullptr ? std::string_view() : found->value;
}

/// The parts of a page in the order of their places.
class PartsOfPage {
 public:
  PartsOfPage(std::string_view page, const std::vector<std::string>& also)
      : page_(page), also_(also), gumbo_(page) {
    const GumboVector& children = gumbo_.document().v.document.children;
    for (unsigned i = 0; i < children.length; ++i)
      add(*static_cast<const GumboNode*>(children.data[i]), {});
    std::ranges::stable_sort(parts_, {}, &Part::from);
  }

  const std::vector<Part>& parts() const { return parts_; }

 private:
  struct Open {
    const GumboNode* node;
    Reading reading;
    unsigned next = 0;  // child
  };

  bool is_asked(std::string_view name) const {
    return std::ranges::find(also_, name) != also_.end();
  }

  /// Adds the parts of a node and of all nodes in it.
  void add(const GumboNode& root, const Reading& reading) {
    std::vector<Open> open;
    const auto enter = [&](const GumboNode& node, const Reading& around) {
      if (is_element(node))
        open.push_back({&node, begin(node, around)});
      else
        add_leaf(node, around);
    };
    enter(root, reading);
    while (!open.empty()) {
      Open& last = open.back();
      const GumboVector& children = last.node->v.element.children;
      if (last.next < children.length) {
        const auto* const child = static_cast<const GumboNode*>(children.data[last.next++]);
        enter(*child, Reading(last.reading));
        continue;
      }
      const Reading around = open.size() > 1 ? open[open.size() - 2].reading : reading;
      end(last.node->v.element, last.reading, around);
      open.pop_back();
    }
  }

  void add_leaf(const GumboNode& node, const Reading& around) {
    const ByteRange bytes = gumbo_.bytes_of(node.v.text.original_text);
    if (bytes.is_empty()) return;
    const auto kind = node.type == GUMBO_NODE_COMMENT ? Part::Kind::comment : Part::Kind::text;
    parts_.push_back({bytes.from, bytes.to, kind, around, around});
  }

  /// Adds the start tag of an element; returns how what is in it is read.
  Reading begin(const GumboNode& node, const Reading& around) {
    const GumboElement& element = node.v.element;
    const ByteRange bytes = gumbo_.bytes_of(element.original_tag);
    const bool has_tag = !bytes.is_empty() && page_[bytes.from] == '<' &&
                         bytes.to > bytes.from + 1 && page_[bytes.from + 1] != '/';
    const std::string name =
        has_tag ? tag_at(page_.substr(0, bytes.to), bytes.from, MarkupKind::html).name
                : gumbo_normalized_tagname(element.tag);
    Reading inside = around;
    inside.is_foreign = element.tag_namespace != GUMBO_NAMESPACE_HTML;
    const GumboAttribute* const translate = gumbo_get_attribute(&element.attributes, "translate");
    const std::string wish = translate == nullptr ? "" : ascii_lower(translate->value);
    const bool asks = translate != nullptr && (wish == "yes" || wish.empty());
    if (asks) inside.stays = false;
    if (wish == "no" || has_untranslated_class(attribute(element, "class")) || inside.is_foreign ||
        (is_untranslated_element(name) && !asks))
      inside.stays = true;
    if (!inside.is_foreign && (has_only_characters(name) || name == "plaintext"))
      inside.has_tags = false;
    if (!inside.is_foreign && name == "title" && !is_asked("title")) inside.stays = true;
    if (!inside.is_foreign && name == "pre") {
      inside.keeps_lines = true;
      if (!asks) inside.stays = true;
    }
    if (!has_tag) return inside;
    // A tag of an element that gumbo has copied comes once.
    constexpr unsigned kCopied =
        GUMBO_INSERTION_RECONSTRUCTED_FORMATTING_ELEMENT | GUMBO_INSERTION_ADOPTION_AGENCY_CLONED;
    if ((static_cast<unsigned>(node.parse_flags) & kCopied) != 0) return inside;
    Part& part = parts_.emplace_back(Part{bytes.from, bytes.to, Part::Kind::tag, inside,
                                          is_void_element(name) ? around : inside});
    if (!inside.stays) part.also = asked_of(element);
    return inside;
  }

  /// Adds the end tag of an element. Where there is none, gumbo gives that of another element.
  void end(const GumboElement& element, const Reading& inside, const Reading& around) {
    const ByteRange bytes = gumbo_.bytes_of(element.original_end_tag),
                    start = gumbo_.bytes_of(element.original_tag);
    if (bytes.is_empty() || start.is_empty() || !page_.substr(bytes.from).starts_with("</")) return;
    const auto name_at = [&](ByteRange tag) {
      return tag_at(page_.substr(0, tag.to), tag.from, MarkupKind::html).name;
    };
    if (name_at(bytes) == name_at(start))
      parts_.push_back({bytes.from, bytes.to, Part::Kind::tag, inside, around});
  }

  /// The values, without quotes, of the attributes of an element that are translated, too.
  std::vector<ByteRange> asked_of(const GumboElement& element) const {
    std::vector<ByteRange> out;
    const GumboVector& attributes = element.attributes;
    for (unsigned i = 0; i < attributes.length && !also_.empty(); ++i) {
      const auto& one = *static_cast<const GumboAttribute*>(attributes.data[i]);
      const std::string_view name = one.name;
      const bool is_meta = element.tag == GUMBO_TAG_META && name == "content" &&
                           is_asked(ascii_lower(attribute(element, "name")));
      const bool is_text = name == "alt" || name == "placeholder" || name == "title";
      if (!is_meta && !(is_text && is_asked(name))) continue;
      // Without a value gumbo gives the name.
      ByteRange value = gumbo_.bytes_of(one.original_value);
      if (value.is_empty() || std::string_view(one.value).empty()) continue;
      if (const char c = page_[value.from]; c == '"' || c == '\'') {
        ++value.from;
        if (value.to > value.from && page_[value.to - 1] == c) --value.to;
      }
      if (!value.is_empty()) out.push_back(value);
    }
    return out;
  }

  std::string_view page_;
  const std::vector<std::string>& also_;
  GumboPage gumbo_;
  std::vector<Part> parts_;
};

bool is_html_blank(char c) {
  return is_one_of(c, kMarkupBlanks);
}

/// Cuts a page into passages.
class HtmlPassages {
 public:
  explicit HtmlPassages(std::string_view page) : page_(page) {}

  Passages read(const std::vector<Part>& parts) && {
    Reading reading{.stays = true};  // of what is in no part
    for (const Part& part : parts) {
      const std::size_t from = std::max(part.from, at_);
      if (part.to <= from) continue;
      read_rest(from, reading);
      reading = part.after;
      if (part.kind == Part::Kind::comment)
        add_whole(part.to, part.reading);
      else if (part.kind == Part::Kind::text)
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
  void read_rest(std::size_t to, const Reading& reading) {
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

  void read_text(std::size_t to, const Reading& reading) {
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
  void read_markup_at(std::size_t to, const Reading& reading) {
    Token token = token_of_hidden(to);
    if (token.syntax == Token::Syntax::text)
      return reading.stays ? add_whole(at_ + 1, reading) : add_text(at_ + 1);
    if (token.syntax == Token::Syntax::block && !reading.is_foreign) return cut(token.to);
    if (reading.stays || token.syntax == Token::Syntax::whole)
      return add_whole(token.to, reading, token.name.empty());
    add_tag(std::move(token));
  }

  void read_tag(const Part& part) {
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
    push(std::move(token));
  }

  void read_blanks(std::size_t to, const Reading& reading) {
    add_blanks(std::min(page_.find_first_not_of(kMarkupBlanks, at_), to), reading);
  }

  void add_blanks(std::size_t to, const Reading& reading) {
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
  void add_whole(std::size_t to, const Reading& reading, bool is_mark = true) {
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
      const bool opens = tag->bytes.from == 0 || is_html_blank(page[tag->bytes.from - 1]);
      out.push_back({.from = tag->bytes.from,
                     .to = tag->bytes.to,
                     .syntax = tag->has_line ? Token::Syntax::block : Token::Syntax::whole,
                     .mask = !tag->is_statement ? Token::kWord
                             : opens            ? Token::kOpens
                                                : Token::kCloses});
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

Passages passages_of_html(std::string_view page, const std::vector<std::string>& also) {
  const std::vector<TemplateTag> tags = templates_of(page);
  std::string with_letters(tags.empty() ? "" : page);
  for (const TemplateTag& tag : tags)
    std::fill(with_letters.begin() + static_cast<std::ptrdiff_t>(tag.bytes.from),
              with_letters.begin() + static_cast<std::ptrdiff_t>(tag.bytes.to), Token::kWord);
  const std::string_view shown = tags.empty() ? page : with_letters;
  const PartsOfPage parts(shown, also);
  Passages passages = HtmlPassages(shown).read(parts.parts());
  if (tags.empty()) return passages;
  for (Passage& passage : passages) {
    set_templates(passage, tags, page);
    for (Passage& inside : passage.inside) set_templates(inside, tags, page);
  }
  return passages;
}

Passages read_html(std::string_view bytes, const ReadOptions& options) {
  // Gumbo would take the mark for text.
  const std::size_t mark = bytes.starts_with("\uFEFF") ? 3 : 0;
  Passages passages = passages_of_html(bytes.substr(mark), options.also);
  for (Passage& passage : passages) {
    move_by(mark, passage);
    for (Passage& inside : passage.inside) move_by(mark, inside);
  }
  return passages;
}

}  // namespace heed::document
