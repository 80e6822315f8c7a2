#include "document/template_branches.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "document/markup_tokens.h"
#include "text/words.h"

namespace heed::document {
namespace {

/// What a tag of a template is for the tags around it.
enum class Part { none, opens, divides, closes };

Part part_named(std::string_view name) {
  static const std::set<std::string_view> opens{
      "blocktrans", "blocktranslate", "case",    "each",        "for",    "foreach", "if",
      "ifchanged",  "ifequal",        "ifexist", "ifnotequal",  "isset",  "range",   "switch",
      "unless",     "while",          "with",    "withcontext", "forelse"};
  static const std::set<std::string_view> divides{"elif",   "else",  "elseif", "elsif",
                                                  "plural", "empty", "when"};
  const std::string lower = ascii_lower(name);
  if (lower.starts_with("end")) return Part::closes;
  return opens.contains(lower) ? Part::opens : divides.contains(lower) ? Part::divides : Part::none;
}

/// The part that a token is, by its bytes.
Part part_of(const Token& token, std::string_view tag) {
  if (token.syntax != Token::Syntax::whole || tag.size() < 4) return Part::none;
  const bool is_php = tag.starts_with("<?");
  const bool is_double = tag.starts_with("{{");
  const bool is_tag = is_php || is_double || tag.starts_with("{%") || tag.starts_with("<%") ||
                      tag.starts_with("[%");
  if (!is_tag && tag[0] != '@') return Part::none;
  const std::string_view end = tag[0] == '@' ? "" : tag.substr(tag.size() - 2);
  std::string_view inside = tag.substr(0, tag.size() - end.size());
  inside.remove_prefix(tag.starts_with("<?php") ? 5 : tag[0] == '@' ? 1 : 2);
  inside = trim(inside.substr(after_run(inside, "-+~")));
  if (inside.empty() || is_one_of(inside[0], "=!>")) return Part::none;
  if (is_double && is_one_of(inside[0], "#^")) return inside == "^" ? Part::divides : Part::opens;
  if (is_double && inside[0] == '/') return Part::closes;
  // Braces of a program: `<% if (x) { %>`, `<% } else { %>`, `<% } %>`.
  const bool opens = inside.back() == '{', closes = inside[0] == '}';
  if (tag[0] == '@' && opens) return Part::none;  // its `}` is another token
  if (opens || closes) return opens && closes ? Part::divides : opens ? Part::opens : Part::closes;
  if (inside.ends_with(" do") || (inside.ends_with('|') && tag.starts_with("<%")))
    return Part::opens;
  const auto* const last = std::ranges::find_if_not(
      inside, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  const std::string_view name = inside.substr(0, static_cast<std::size_t>(last - inside.begin()));
  static const std::set<std::string_view> of_blade{"auth",  "can",  "cannot",     "env", "error",
                                                   "guest", "once", "production", "push"};
  return tag[0] == '@' && of_blade.contains(name) ? Part::opens : part_named(name);
}

/// A statement from its first tag to its last: indexes of tokens.
struct Statement {
  std::size_t first = 0, last = 0;
  std::size_t last_branch = 0;  // 0: it has one

  bool has_branches() const { return last_branch > first; }
};

/// The statements that end, by their beginnings.
std::vector<Statement> statements_of(const std::vector<Part>& parts) {
  std::vector<Statement> open, out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == Part::opens) open.push_back({.first = i});
    if (open.empty()) continue;
    if (parts[i] == Part::divides) open.back().last_branch = i;
    if (parts[i] != Part::closes) continue;
    open.back().last = i;
    out.push_back(open.back());
    open.pop_back();
  }
  std::ranges::sort(out, {}, &Statement::first);
  return out;
}

class BranchJoiner {
 public:
  BranchJoiner(std::string_view bytes, Passage& passage) : bytes_(bytes), passage_(passage) {
    for (const Token& token : passage.tokens)
      parts_.push_back(part_of(token, bytes.substr(token.from, token.bytes())));
  }

  void join() {
    if (std::ranges::count(parts_, Part::none) == std::ssize(parts_)) return;
    std::vector<Token>& tokens = passage_.tokens;
    const std::vector<Statement> found = statements_of(parts_);
    auto next = found.begin();
    std::vector<Token> out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      while (next != found.end() && next->first < i) ++next;
      if (next == found.end() || next->first > i || !is_word(*next)) {
        if (parts_[i] != Part::none) keep_order(tokens[i]);
        out.push_back(std::move(tokens[i]));
        continue;
      }
      add_texts(*next);
      out.push_back({.from = tokens[i].from,
                     .to = tokens[next->last].to,
                     .syntax = Token::Syntax::whole,
                     .is_placeholder = true});
      i = next->last;
    }
    tokens = std::move(out);
    std::ranges::stable_sort(passage_.inside, {},
                             [](const Passage& inside) { return inside.tokens.front().from; });
  }

 private:
  void keep_order(Token& token) const {
    token.in_order = true;
    token.mask = mask_of_statement(bytes_, token.from);
  }

  /// Whether the statement becomes a word: each of its texts is whole, and it is in one sentence.
  bool is_word(const Statement& statement) const {
    std::vector<std::string_view> open;
    bool has_letters = false;
    for (std::size_t i = statement.first; i <= statement.last; ++i) {
      const Token& token = passage_.tokens[i];
      if (token.syntax == Token::Syntax::block || (parts_[i] != Part::none && !open.empty()))
        return false;
      if (token.syntax == Token::Syntax::opening) open.push_back(token.name);
      if (token.syntax == Token::Syntax::closing) {
        if (open.empty() || open.back() != token.name) return false;
        open.pop_back();
      }
      has_letters |= token.syntax == Token::Syntax::text &&
                     text::has_letters(token.text.empty() ? bytes_of(token) : token.text);
    }
    return statement.has_branches() || !has_letters;
  }

  /// Adds the texts between the tags of a statement, and of those in it.
  void add_texts(const Statement& statement) {
    std::vector<Token> text;
    for (std::size_t i = statement.first; i <= statement.last; ++i) {
      if (parts_[i] == Part::none) {
        text.push_back(passage_.tokens[i]);
      } else if (!text.empty()) {
        passage_.inside.push_back({.tokens = std::exchange(text, {}), .writing = passage_.writing});
      }
    }
  }

  std::string_view bytes_of(const Token& token) const {
    return bytes_.substr(token.from, token.bytes());
  }

  std::string_view bytes_;
  Passage& passage_;
  std::vector<Part> parts_;  // by token
};

/// The position after the comment, script or style of HTML that begins here; else that after its
/// tag.
std::size_t after_element(std::string_view page, std::size_t at, const Tag& tag) {
  if (page.substr(at).starts_with("<!--")) {
    const std::size_t end = page.find("-->", at);
    return end == page.npos ? page.size() : end + 3;
  }
  const bool is_code = !tag.closes && (tag.name == "script" || tag.name == "style");
  return is_code ? after_end_tag(page, tag.end, tag.name).value_or(page.size()) : tag.end;
}

}  // namespace

std::vector<ByteRange> branches_in_tags(std::string_view page, std::string_view shown,
                                        const std::vector<TemplateTag>& tags) {
  std::vector<Part> parts;
  for (const TemplateTag& tag : tags)
    parts.push_back(part_of({.syntax = Token::Syntax::whole},
                            page.substr(tag.bytes.from, tag.bytes.to - tag.bytes.from)));
  std::vector<Statement> statements = statements_of(parts);
  std::erase_if(statements, [](const Statement& one) { return !one.has_branches(); });
  std::vector<ByteRange> out;
  // Whether nothing but blanks is between the end of a tag of HTML and the next branch.
  const auto is_before_branch = [&](std::size_t end, const Statement& statement) {
    const auto tag = std::ranges::lower_bound(
        tags, end, {}, [](const TemplateTag& one) { return one.bytes.from; });
    return tag != tags.end() &&
           tag <= tags.begin() + static_cast<std::ptrdiff_t>(statement.last_branch) &&
           after_run(shown, kMarkupBlanks, end) == tag->bytes.from;
  };
  auto next = statements.begin();
  for (std::size_t at = 0; next != statements.end() && (at = shown.find('<', at)) != shown.npos;) {
    const Tag tag = tag_at(shown, at, MarkupKind::html);
    std::size_t end = after_element(shown, at, tag);
    for (; next != statements.end() && tags[next->first].bytes.from < end; ++next) {
      const ByteRange bytes{tags[next->first].bytes.from, tags[next->last_branch].bytes.to};
      if (bytes.from <= at || bytes.from >= tag.end || tags[next->last].bytes.from < tag.end ||
          !is_before_branch(tag.end, *next))
        continue;
      out.push_back(bytes);
      end = bytes.to;  // the tag goes on to its end in the last branch
    }
    at = std::max(end, at + 1);
  }
  return out;
}

void join_branches(std::string_view bytes, Passage& passage) {
  if (!passage.tokens.empty()) BranchJoiner(bytes, passage).join();
}

}  // namespace heed::document
