// Cuts a document into sentences to translate, and bytes that stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/document_markup.h"
#include "text/segment.h"

namespace heed::text {

/// The lines of a paragraph, a cell of a table or the like, whose text is read as a whole. They are
/// without their line ends, indentation and markers.
using LinesOfText = std::vector<ByteRange>;

struct DocumentFormat {
  const char* name;
  bool has_markers;  // of lists and headings: a line that begins with one is no longer text
  std::vector<LinesOfText> (*read)(std::string_view bytes);   // in order
  std::vector<InlineToken> (*tokens)(std::string_view text);  // in order
};
/// "markdown", "srt", "txt" and "vtt".
const std::vector<DocumentFormat>& document_formats();

/// How many bytes the blanks, quote marks and markers of lists and headings take with which a line
/// in the middle of a paragraph begins.
std::size_t marker_bytes(std::string_view line);

/// The bytes of a file, decompressed; "-" is stdin. Throws UserError where it cannot be opened or
/// is a damaged archive, Failure where reading fails.
std::string read_document(const std::string& path);

/// A document as sentences to translate. Each is a segment on one line, whose line breaks became
/// blanks.
class Document {
 public:
  using Fits = std::function<bool(const std::string& text)>;

  /// `format` is a name of document_formats(), and `language` says which rules cut paragraphs into
  /// sentences (text/sentences.h). A sentence for which `fits` is false is translated by clauses.
  Document(std::string_view bytes, const std::string& format, std::string_view language,
           const Fits& fits);

  const SegmentedText& text() const { return text_; }
  /// The number of the document's line, from 1, on which each segment begins.
  const std::vector<int64_t>& lines() const { return lines_; }
  /// How many sentences were too long, and the line of the first.
  int64_t too_long() const { return too_long_; }
  int64_t first_too_long() const { return first_too_long_; }

 private:
  class Paragraph;
  void add(const Paragraph& paragraph, std::string_view language, const Fits& fits);
  void add_segment(const Paragraph& paragraph, ByteRange range);

  std::string_view bytes_;  // while the document is read
  const DocumentFormat* format_ = nullptr;
  SegmentedText text_;
  std::vector<int64_t> lines_;
  int64_t too_long_ = 0, first_too_long_ = 0;
  std::size_t added_ = 0;  // bytes that are in text_
  int64_t line_ = 1;       // the line in which they end
};

}  // namespace heed::text
