#include "document/kept_tokens.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "text/characters.h"
#include "text/references.h"

namespace heed::document {
namespace {

/// The bytes of an address, which ends before a reference to a character that no address has, such
/// as `&gt;`, and before the punctuation there.
std::size_t before_reference(std::string_view raw, std::size_t at, std::size_t bytes) {
  const std::string_view address = raw.substr(at, bytes);
  for (std::size_t i = 0; (i = address.find('&', i)) != std::string_view::npos; ++i)
    if (const auto reference = text::reference_at(raw, at + i))
      if (const char32_t c = reference->character.value_or(U'&'); c != U'&' && !text::is_letter(c))
        return text::without_marks(address.substr(0, i));
  return bytes;
}

/// Whether what is written for a character, such as `\"`, ends an address before it.
bool ends_address(const Token& token) {
  return !token.text.empty() && token.text.find_first_of(" \t\r\n\"<>") != std::string::npos;
}

/// The kept item that begins at `at`.
text::KeptItem item_at(std::string_view raw, std::size_t at, bool has_references,
                       const text::KeepOptions& kept) {
  if (has_references && raw[at] == '<') return {};
  text::KeptItem item = text::kept_item_at(raw, at, kept);
  // Only addresses begin with a letter. Placeholders do not, and may contain any reference.
  if (has_references && text::is_letter(static_cast<unsigned char>(raw[at])))
    item.bytes = before_reference(raw, at, item.bytes);
  return item;
}

/// The bytes of an address of a mail whose `@` is this token, a reference such as `&#64;`; empty
/// where it has none. Its name and its host are in the tokens beside it.
ByteRange mail_around(std::string_view bytes, const Token& before, const Token& at,
                      const Token& after) {
  if (at.text != "@" || !before.is_plain() || !after.is_plain()) return {};
  const std::string_view name = bytes.substr(before.from, before.bytes()),
                         host = bytes.substr(after.from, after.bytes());
  const std::string address = std::string(name) + "@" + std::string(host);
  for (std::size_t i = name.find_last_of(" \t\r\n(<\"'") + 1; i < name.size(); ++i)
    if (const std::size_t mail = text::kept_item_at(address, i, {.emails = true}).bytes;
        mail > name.size() - i)
      return {before.from + i, after.from + mail - (name.size() - i) - 1};
  return {};
}

/// The tokens with each such address as one of its own.
std::vector<Token> with_mails(std::string_view bytes, const std::vector<Token>& tokens) {
  std::vector<Token> out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const ByteRange mail = !out.empty() && i + 1 < tokens.size()
                               ? mail_around(bytes, out.back(), tokens[i], tokens[i + 1])
                               : ByteRange{};
    if (mail.is_empty()) {
      out.push_back(tokens[i]);
      continue;
    }
    if (out.back().from == mail.from)
      out.pop_back();
    else
      out.back().to = mail.from;
    out.push_back({.from = mail.from, .to = mail.to, .syntax = Token::Syntax::whole});
    if (Token rest = tokens[++i]; rest.to > mail.to) {
      rest.from = mail.to;
      out.push_back(std::move(rest));
    }
  }
  return out;
}

/// Whether an address in a text has `<` and `>` around it, which belong to it.
bool has_angle_brackets(std::string_view bytes, ByteRange item, const Token& token) {
  const std::string_view address = bytes.substr(item.from, item.to - item.from);
  return item.to < token.to && bytes[item.from - 1] == '<' && bytes[item.to] == '>' &&
         (address.find("://") != address.npos || address.find('@', 1) != address.npos);
}

/// Whether these bytes have the mark of an accelerator, as "synta_x" has: a `_` that is no
/// character of the text. `i`: the token in which they begin.
bool has_accelerator(std::string_view bytes, ByteRange item, const std::vector<Token>& tokens,
                     std::size_t i) {
  for (; i < tokens.size() && tokens[i].from < item.to; ++i)
    if (bytes[tokens[i].from] == '_' && !tokens[i].text.empty() && tokens[i].text[0] != '_')
      return true;
  return false;
}

}  // namespace

std::vector<Token> with_kept(std::string_view bytes, const std::vector<Token>& all_tokens,
                             const Writing& writing, const text::KeepOptions& kept) {
  if (!kept.any()) return all_tokens;
  std::vector<Token> joined;  // where an `@` is a reference
  if (kept.emails && std::ranges::find(all_tokens, "@", &Token::text) != all_tokens.end())
    joined = with_mails(bytes, all_tokens);
  const std::vector<Token>& tokens = joined.empty() ? all_tokens : joined;
  const bool has_references = writing.escaped == text::with_references;
  std::vector<Token> out;
  // Adds what is left of a text from `from` on.
  const auto add_rest = [&](const Token& token, std::size_t from) {
    if (from >= token.to) return;
    Token& rest = out.emplace_back(token);
    rest.from = std::max(token.from, from);
    rest.stays = false;
  };
  std::size_t end_of_run = 0;      // bytes before it are text
  std::size_t end_of_address = 0;  // bytes before it may be of an address
  std::size_t after = 0;           // the byte after the last item
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.syntax != Token::Syntax::text) {
      out.push_back(token);
      continue;
    }
    if (end_of_run <= token.from)
      for (std::size_t k = i; k < tokens.size() && tokens[k].syntax == Token::Syntax::text; ++k)
        end_of_run = tokens[k].to;
    if (end_of_address <= token.from)
      for (std::size_t k = i;
           k < tokens.size() && tokens[k].syntax == Token::Syntax::text && !ends_address(tokens[k]);
           ++k)
        end_of_address = tokens[k].to;
    std::size_t from = std::max(token.from, after);
    if (token.is_plain())
      for (std::size_t at = from; at < token.to;) {
        // Only addresses and names begin with a letter.
        const bool is_name = text::is_letter(static_cast<unsigned char>(bytes[at]));
        text::KeptItem item =
            item_at(bytes.substr(0, is_name ? std::max(end_of_address, token.to) : end_of_run), at,
                    has_references, kept);
        if (item.bytes == 0 || has_accelerator(bytes, {at, at + item.bytes}, tokens, i)) {
          ++at;
          continue;
        }
        if (at > from && has_angle_brackets(bytes, {at, at + item.bytes}, token)) {
          --at;
          item.bytes += 2;
        }
        if (at > from) {
          add_rest(token, from);
          out.back().to = at;
        }
        from = at = after = at + item.bytes;
        out.push_back({.from = after - item.bytes,
                       .to = after,
                       .syntax = item.stays ? Token::Syntax::text : Token::Syntax::whole,
                       .stays = item.stays});
      }
    add_rest(token, from);
  }
  return out;
}

}  // namespace heed::document
