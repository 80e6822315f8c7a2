// The passages of a text of Markdown, token by token.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/markdown_extensions.h"
#include "document/passage.h"
#include "document/token.h"

namespace heed::document {

/// Adds the reference, such as &amp;, that begins at `at`; returns its bytes or 0. For the model a
/// letter, and what stands inside a word, is a character; any other reference stays as it is.
std::size_t add_reference(std::string_view text, std::size_t at, std::vector<Token>& tokens);

/// The name, in small letters, of the tag that `tag` begins with; "" where there is none.
std::string name_of_tag(std::string_view tag);

bool closes_element(std::string_view tag);

/// Whether what is between this tag and its end tag stays as it is.
bool keeps_element(std::string_view tag);

/// A token of a tag or a comment.
Token token_of_tag(std::string_view text, std::size_t from, std::size_t to);

/// Tokens of a passage, each from where the one before ended.
class PassageTokens {
 public:
  /// `has_markers` as in Writing.
  PassageTokens(const CommonMarkdown& markdown, bool has_markers, Passages& out)
      : markdown_(markdown), out_(out), has_markers_(has_markers) {}

  bool is_empty() const { return tokens_.empty(); }
  std::size_t at() const { return at_; }
  void start(std::size_t at) { at_ = at; }

  /// Adds a token that ends at `to`.
  void add(Token token, std::size_t to);
  /// Adds text up to `to`, and what in it stays.
  void add_text(std::size_t to);
  /// Adds what stands between two texts and is no mark, such as the backslash of an escape.
  void add_rest(std::size_t to);
  /// Ends the passage; the next one starts at `at`.
  void end(std::size_t at);

 private:
  void add_plain(std::size_t to);

  const CommonMarkdown& markdown_;
  Passages& out_;
  bool has_markers_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace heed::document
