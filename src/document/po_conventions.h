// What the texts in a PO file are: which placeholders, markup and accelerators they have, as flags
// of the messages, the header and the messages together say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/escaped_text.h"
#include "document/message_format.h"
#include "document/message_markup.h"
#include "document/po_entries.h"
#include "document/token.h"

namespace heed::document {

/// How the text of a message is written: its placeholders and markup, and the characters that it
/// doubles.
struct MessageFormat {
  EscapedText::FindItem item = nullptr;
  std::string (*(*escaped)(const ReferenceWriting& references))(std::string_view text) = nullptr;
  char doubled = 0;  // this sign, or `{`, which is written twice
  EscapedText::FindMarkup markup = message_markup;
  bool has_accelerators = false;
  bool is_restructured = false;  // reStructuredText, of Sphinx's documentation
};

/// What the fields of a header say about all messages.
struct PoHeader {
  char accelerator = 0;  // the mark of accelerators; 0: it is not said
  bool is_qt = false, is_drupal = false;
};

/// What a file says of all its messages.
class PoConventions {
 public:
  PoConventions() = default;
  PoConventions(std::string_view bytes, const std::vector<PoEntry>& entries,
                const PoHeader& header);

  /// What a message says by its flags comes before what its file shows.
  MessageFormat format_of(const PoEntry& entry) const;
  /// The mark of accelerators; 0: there are none.
  char accelerator() const { return accelerator_; }
  /// Whether messages have forms with `|` between them.
  bool has_forms() const { return has_forms_; }
  /// Whether the messages are of documents of DocBook or Mallard, as programs for their translation
  /// (itstool, xml2po, Publican) write them: code in their elements stays.
  bool is_of_documents() const { return is_of_documents_; }

 private:
  bool is_restructured_ = false;  // Sphinx's documentation
  bool is_drupal_ = false;
  bool has_forms_ = false;
  bool is_of_documents_ = false;
  char accelerator_ = 0;
};

/// Whether a message is all of an element of such a document that is code, such as `screen`.
bool is_element_of_code(const PoEntry& entry);

/// The tokens of such a message, with one for each element that is code.
std::vector<Token> with_whole_code(std::vector<Token> tokens);

}  // namespace heed::document
