#include "document/kept_tokens.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "text/references.h"

namespace heed::document {
namespace {

/// The characters of tokens of text that follow each other.
struct TextRun {
  struct Byte {
    ByteRange source;  // what stands for its character
    bool is_plain = false;
  };
  std::string text;
  std::vector<Byte> bytes;  // by byte of the text

  void add(std::string_view source, const Token& token) {
    if (!token.is_plain()) {
      text += token.text;
      bytes.insert(bytes.end(), token.text.size(), {{token.from, token.to}, false});
      return;
    }
    text += source.substr(token.from, token.bytes());
    for (std::size_t i = token.from; i < token.to; ++i) bytes.push_back({{i, i + 1}, true});
  }
};

/// Whether an item may begin at this byte: at a character that is written as it is, or at `\_`.
bool may_begin_item(const TextRun& run, std::size_t at, bool has_references) {
  return run.bytes[at].is_plain ? !(has_references && run.text[at] == '<') : run.text[at] == '_';
}

/// Whether these bytes have the mark of an accelerator, as "synta_x" has: a `_` that is no
/// character of the text.
bool has_accelerator(std::string_view source, const TextRun& run, ByteRange item) {
  for (std::size_t i = item.from; i < item.to; ++i)
    if (!run.bytes[i].is_plain && source[run.bytes[i].source.from] == '_' && run.text[i] != '_')
      return true;
  return false;
}

/// Whether an address in a text has `<` and `>` around it, which belong to it.
bool has_angle_brackets(const TextRun& run, ByteRange item) {
  const std::string_view address =
      std::string_view(run.text).substr(item.from, item.to - item.from);
  return item.from > 0 && item.to < run.text.size() && run.text[item.from - 1] == '<' &&
         run.bytes[item.from - 1].is_plain && run.text[item.to] == '>' &&
         run.bytes[item.to].is_plain &&
         (address.find("://") != address.npos || address.find('@', 1) != address.npos);
}

/// The items of a run as tokens, in order.
std::vector<Token> items_in(std::string_view source, const TextRun& run, bool has_references,
                            const text::KeepOptions& kept) {
  std::vector<Token> items;
  for (std::size_t at = 0; at < run.text.size();) {
    const text::KeptItem item = may_begin_item(run, at, has_references)
                                    ? text::kept_item_at(run.text, at, kept)
                                    : text::KeptItem{};
    ByteRange bytes{at, at + item.bytes};
    const auto first = run.bytes.begin() + static_cast<std::ptrdiff_t>(at);
    // A number that stays in the text has no reference in it.
    const bool is_split =
        item.stays && !std::all_of(first, first + static_cast<std::ptrdiff_t>(item.bytes),
                                   [](const TextRun::Byte& byte) { return byte.is_plain; });
    if (item.bytes == 0 || is_split || has_accelerator(source, run, bytes)) {
      ++at;
      continue;
    }
    if (has_angle_brackets(run, bytes)) {
      --bytes.from;
      ++bytes.to;
    }
    items.push_back({.from = run.bytes[bytes.from].source.from,
                     .to = run.bytes[bytes.to - 1].source.to,
                     .syntax = item.stays ? Token::Syntax::text : Token::Syntax::whole,
                     .stays = item.stays});
    at = bytes.to;
  }
  return items;
}

}  // namespace

std::vector<Token> with_kept(std::string_view bytes, const std::vector<Token>& tokens,
                             const Writing& writing, const text::KeepOptions& kept) {
  if (!kept.any()) return tokens;
  const bool has_references = writing.escaped == text::with_references;
  std::vector<Token> out;
  for (std::size_t i = 0; i < tokens.size();) {
    if (tokens[i].syntax != Token::Syntax::text) {
      out.push_back(tokens[i++]);
      continue;
    }
    TextRun run;
    std::size_t end = i;
    for (; end < tokens.size() && tokens[end].syntax == Token::Syntax::text; ++end)
      run.add(bytes, tokens[end]);
    std::vector<Token> items = items_in(bytes, run, has_references, kept);
    auto item = items.begin();
    for (std::size_t after = 0; i < end; ++i) {
      Token rest = tokens[i];
      rest.from = std::max(rest.from, after);
      rest.stays = false;
      for (; item != items.end() && item->from < rest.to; ++item) {
        if (item->from > rest.from) {
          out.push_back(rest);
          out.back().to = item->from;
        }
        rest.from = after = item->to;
        out.push_back(std::move(*item));
      }
      if (rest.from < rest.to) out.push_back(std::move(rest));
    }
  }
  return out;
}

}  // namespace heed::document
