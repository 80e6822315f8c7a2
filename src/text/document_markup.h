// Finds the markup inside the sentences of documents.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/markup_tokens.h"

namespace heed::text {

bool is_one_of(char c, std::string_view characters);

/// The position, at or after `from`, of the first byte that is none of `characters`, or the text's
/// size.
std::size_t after_run(std::string_view text, std::string_view characters, std::size_t from = 0);

/// A token of a document's text: bytes [from, to).
struct InlineToken {
  std::size_t from = 0, to = 0;
  MarkupToken::Syntax syntax = MarkupToken::Syntax::whole;
  /// The letter that the splitter of sentences sees in place of each of its bytes.
  char mask = kWord;
  std::string name = {};  // of what opens and closes: MarkupToken::name
  std::string text = {};  // MarkupToken::text

  /// An opening bracket, as for the `[` before the text of a link; a closing one for the
  /// `](address)` after it; a letter for code, which is a word of the sentence.
  static constexpr char kOpens = '(', kCloses = ')', kWord = 'Q';

  bool is_emphasis() const;
  bool is_link() const;
  MarkupToken token() const;
};

/// The tokens of a subtitle that are no plain text, in order: tags, references to characters, and
/// settings such as {\an8}.
std::vector<InlineToken> tokens_of_cues(std::string_view text);

/// The tokens of Markdown that are no plain text, in order: emphasis, code, links, images, marks of
/// notes, tags, references to characters and addresses.
std::vector<InlineToken> tokens_of_markdown(std::string_view text);

}  // namespace heed::text
