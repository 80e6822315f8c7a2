// What documents in Markdown have beyond CommonMark and GitHub's tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/token.h"

namespace heed::document {

/// A document for a parser of GitHub's Markdown. Each byte stands where it stood, but for dashes
/// that are inserted in rules of tables, since md4c 0.4.8 wants three in each.
struct CommonMarkdown {
  /// Formulas, templates, names of pictures, notes, keys, roles and links of wikis are letters in
  /// it; `==` and `^^` around text are `~~`. Lines that are nothing but structure, such as `:::`
  /// and
  /// `[[toc]]`, are empty headings; titles after `[!NOTE]`, `:::note`, `/// note |` and `{note}`
  /// are headings; what `!!! note`, `=== "Tab"`, `[^1]:` and `:` begin are items of lists.
  std::string text;
  /// The first letter for a note or a citation, which may follow a sentence: `[^1]`, `^[text]`.
  static constexpr char kNote = 'N';
  std::vector<ByteRange> whole;  // bytes of `text` that stand for what stays, in order
  struct Inserted {
    std::size_t from = 0;   // the byte of `text` after it
    std::size_t bytes = 0;  // in all, up to here
  };
  std::vector<Inserted> inserted;  // in order

  /// The byte of the document for a byte of `text`.
  std::size_t source(std::size_t at) const;
};

/// The document from byte `from` on, which begins a line; the bytes before it are blanks.
CommonMarkdown common_markdown(std::string_view bytes, std::size_t from);

}  // namespace heed::document
