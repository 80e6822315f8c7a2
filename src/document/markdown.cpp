// Markdown, read by md4c: CommonMark with GitHub's tables, tasks, ~~ and addresses.
#include <md4c.h>

#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "document/format.h"
#include "document/front_matter.h"
#include "document/markdown_extensions.h"
#include "document/markdown_tokens.h"
#include "document/passage.h"
#include "document/template_branches.h"
#include "document/token.h"

namespace heed::document {
namespace {

/// Takes what md4c calls back with. A text outside of paragraphs, as in an item of a tight list,
/// ends where a block begins or ends.
class MarkdownReader {
 public:
  MarkdownReader(std::string_view bytes, std::size_t from, Passages& out)
      : bytes_(bytes), markdown_(common_markdown(bytes, from)), floor_(from), out_(out) {}

  void read() {
    MD_PARSER parser{};
    parser.flags = MD_DIALECT_GITHUB;
    parser.enter_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return static_cast<MarkdownReader*>(self)->begin(type);
    };
    parser.leave_block = [](MD_BLOCKTYPE, void*, void* self) {
      return static_cast<MarkdownReader*>(self)->end();
    };
    parser.enter_span = [](MD_SPANTYPE type, void*, void* self) {
      return static_cast<MarkdownReader*>(self)->add(type, MarkdownEvent::EventKind::enter);
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) {
      return static_cast<MarkdownReader*>(self)->add(type, MarkdownEvent::EventKind::leave);
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<MarkdownReader*>(self)->add(type, {text, size});
    };
    const std::string_view text = std::string_view(markdown_.text).substr(floor_);
    if (text.size() > std::numeric_limits<MD_SIZE>::max())
      throw UserError("a document in Markdown may have 4 GiB; divide it");
    if (md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, this) != 0)
      throw Failure("Markdown could not be read: md4c had no memory");
  }

 private:
  int begin(MD_BLOCKTYPE type) {
    end();
    is_html_ = type == MD_BLOCK_HTML;
    is_code_ = type == MD_BLOCK_CODE;
    return 0;
  }

  int end() {
    if (!events_.empty()) floor_ = add_passages(bytes_, markdown_, events_, floor_, out_);
    if (!lines_.empty()) add_html(markdown_, lines_, out_);
    events_.clear();
    lines_.clear();
    is_html_ = is_code_ = false;
    return 0;
  }

  int add(MD_SPANTYPE type, MarkdownEvent::EventKind kind) {
    using enum MarkdownEvent::SpanKind;
    const MarkdownEvent::SpanKind span = type == MD_SPAN_EM       ? emphasis
                                         : type == MD_SPAN_STRONG ? strong
                                         : type == MD_SPAN_DEL    ? strike
                                         : type == MD_SPAN_A      ? link
                                         : type == MD_SPAN_IMG    ? image
                                         : type == MD_SPAN_CODE   ? code
                                                                  : none;
    events_.push_back({.kind = kind, .span = span});
    return 0;
  }

  int add(MD_TEXTTYPE type, std::string_view text) {
    if (is_code_) return 0;
    const char* const first = markdown_.text.data();
    const bool has_place = text.data() >= first && text.data() < first + markdown_.text.size();
    const std::size_t from =
        has_place ? static_cast<std::size_t>(text.data() - first) : MarkdownEvent::kNowhere;
    const std::size_t to = has_place ? from + text.size() : from;
    if (is_html_) {
      if (has_place && !text.empty()) {
        lines_.push_back({from, to});
        floor_ = to;
      }
      return 0;
    }
    using enum MarkdownEvent::EventKind;
    const MarkdownEvent::EventKind kind = type == MD_TEXT_BR       ? hard_break
                                          : type == MD_TEXT_SOFTBR ? soft_break
                                          : type == MD_TEXT_ENTITY ? reference
                                          : type == MD_TEXT_HTML   ? html
                                          : type == MD_TEXT_CODE   ? code
                                                                   : MarkdownEvent::EventKind::text;
    const bool is_break = kind == hard_break || kind == soft_break;
    if (is_break || kind == html || has_place)
      events_.push_back({.kind = kind,
                         .from = is_break ? MarkdownEvent::kNowhere : from,
                         .to = is_break ? MarkdownEvent::kNowhere : to});
    return 0;
  }

  std::string_view bytes_;
  const CommonMarkdown markdown_;
  std::size_t floor_;  // the first byte that no passage has
  Passages& out_;
  bool is_html_ = false, is_code_ = false;
  std::vector<MarkdownEvent> events_;
  std::vector<ByteRange> lines_;  // of HTML
};

/// Reads the text of the notes `^[text]` in a passage.
void add_notes(std::string_view bytes, Passage& passage) {
  constexpr std::string_view kBegin = "^[";
  for (const Token& token : passage.tokens) {
    if (token.syntax != Token::Syntax::whole || !bytes.substr(token.from).starts_with(kBegin))
      continue;
    const std::size_t from = token.from + kBegin.size();
    Passages notes;
    MarkdownReader(bytes.substr(from, token.to - from - 1), 0, notes).read();
    for (Passage& note : notes) {
      for (Token& one : note.tokens) {
        one.from += from;
        one.to += from;
      }
      passage.inside.push_back(std::move(note));
    }
  }
}

}  // namespace

Passages read_markdown(std::string_view bytes, const ReadOptions& options) {
  Passages out;
  const std::size_t from = add_front_matter(bytes, options.also, out);
  MarkdownReader(bytes, from, out).read();
  for (Passage& passage : out) {
    join_branches(bytes, passage);
    add_notes(bytes, passage);
  }
  return out;
}

}  // namespace heed::document
