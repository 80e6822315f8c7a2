// Cuts a document into sentences to translate, and bytes that stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/format.h"
#include "document/passage.h"
#include "document/segment.h"
#include "document/token.h"
#include "document/unknown_symbols.h"
#include "text/kept.h"
#include "text/script.h"

namespace heed::document {

/// The bytes of a file, decompressed; "-" is stdin. Throws UserError where it cannot be opened, is
/// a damaged archive or is in another encoding than UTF-8 (text::encoding_flaw()), Failure where
/// reading fails.
std::string read_document(const std::string& path);

struct DocumentOptions {
  /// ReadOptions::source_language also says which rules cut passages into sentences
  /// (text/sentences.h).
  ReadOptions read = {};
  text::KeepOptions kept = {};
  /// A sentence for which it is false is translated by clauses. None: all fit.
  std::function<bool(const std::string& text)> fits = {};
  /// Symbols for which it is false stay as they are. None: the model has all characters.
  Knows knows = {};
};

/// A document as sentences to translate. Each is a segment on one line, whose line breaks became
/// blanks.
class Document {
 public:
  /// Throws as the format's function.
  Document(std::string_view bytes, const DocumentFormat& format, const DocumentOptions& options);

  const SegmentedText& text() const { return text_; }
  /// The number of the document's line, from 1, on which each segment begins.
  const std::vector<int64_t>& lines() const { return lines_; }
  /// Whether something is where text may be: all of it tags, where there is no segment.
  bool has_passages() const { return has_passages_; }
  /// How many sentences were too long, and the line of the first.
  int64_t too_long() const { return too_long_; }
  int64_t first_too_long() const { return first_too_long_; }

 private:
  class Paragraph;
  void add(const Passage& passage, const DocumentOptions& options);
  void add_inside(const Paragraph& around, const Passage& passage, const DocumentOptions& options);
  void add_up_to(std::size_t byte);
  void add(Segment segment, std::size_t byte);
  std::vector<ByteRange> segments_in(const Paragraph& paragraph, const DocumentOptions& options);
  void add_segments(const Paragraph& paragraph, ByteRange range, std::vector<ByteRange>& out) const;
  int64_t line_of(std::size_t byte);

  std::string_view bytes_;                    // while the document is read
  text::Script script_ = text::Script::none;  // of most letters
  SegmentedText text_;
  std::vector<int64_t> lines_;
  bool has_passages_ = false;
  int64_t too_long_ = 0, first_too_long_ = 0;
  std::size_t added_ = 0;    // bytes whose translation is in text_
  std::size_t counted_ = 0;  // bytes before which line_ - 1 lines end
  int64_t line_ = 1;
};

}  // namespace heed::document
