// A document as sentences to translate, and bytes that stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/marks.h"

namespace heed::text {

/// A range of a document's text that is markup: bytes [from, to).
struct MarkupSpan {
  std::size_t from = 0, to = 0;
  char kind = kWord;

  /// The letter that the splitter of sentences sees in place of each byte of the markup: an opening
  /// bracket for `[` before the text of a link, a closing one for the `](address)` after it, and a
  /// letter for code, which is a word of the sentence.
  static constexpr char kOpens = '(', kCloses = ')', kWord = 'Q';
};

/// Bytes [from, to) of a document.
struct ByteRange {
  std::size_t from = 0, to = 0;
};

/// The lines of a paragraph, a cell of a table or the like, whose text is read as a whole. They are
/// without their line ends, indentation and markers.
using LinesOfText = std::vector<ByteRange>;

struct DocumentFormat {
  const char* name;
  bool has_markers;  // of lists and headings: a line that begins with one is no longer text
  std::vector<LinesOfText> (*read)(std::string_view bytes);  // in order
  std::vector<MarkupSpan> (*markup)(std::string_view text);  // in order
};
/// "markdown", "srt", "txt" and "vtt".
const std::vector<DocumentFormat>& document_formats();

/// How many bytes the blanks, quote marks and markers of lists and headings take with which a line
/// in the middle of a paragraph begins.
std::size_t marker_bytes(std::string_view line);

/// The bytes of a file, decompressed; "-" is stdin. Throws UserError where it cannot be opened or
/// is a damaged archive, Failure where reading fails.
std::string read_document(const std::string& path);

class Document {
 public:
  using Fits = std::function<bool(const std::string& text)>;

  /// `format` is a name of document_formats(), and `language` says which rules cut paragraphs into
  /// sentences (text/sentences.h). A sentence for which `fits` is false is translated by clauses.
  Document(std::string bytes, const std::string& format, std::string_view language,
           const Fits& fits);

  /// The texts to translate: sentences, each on one line, because line breaks inside them became
  /// blanks. A sentence with markup inside is followed by its fragments: the texts between the
  /// pieces of this markup.
  const std::vector<std::string>& texts() const { return texts_; }
  /// The number of the document's line, from 1, on which each of texts() begins.
  const std::vector<int64_t>& lines() const { return lines_; }
  /// How many sentences were too long, and the line of the first.
  int64_t too_long() const { return too_long_; }
  int64_t first_too_long() const { return first_too_long_; }

  /// The document with these translations, one for each of texts(). A translation has as many line
  /// breaks as its sentence, each at the blank that is nearest to the same share of its length. A
  /// translation that equals its text, or is blank, leaves the bytes as they are. One that lacks
  /// some of the markup inside its sentence, has it in another order, or has fewer of the brackets,
  /// quote marks and stops beside it (text/marks.h), is replaced by the translations of the
  /// fragments, with the markup and these marks between them.
  std::string with(const std::vector<std::string>& translations) const;

 private:
  struct Joined;
  struct LineBreak {
    std::size_t at = 0, behind = 0;  // in the text: where a line ends, and where the next begins
    ByteRange bytes;                 // of the document, between the two
  };
  struct Passage {
    ByteRange bytes;
    std::vector<LineBreak> breaks;
    std::vector<std::string> markup;  // inside the sentence
    MarkCounts marks{};               // directly beside that
    EdgeMarks edges;                  // marks of a fragment beside the markup around it
    std::size_t fragments = 0;        // how many of the passages after it are its fragments
  };
  Joined joined(const LinesOfText& lines) const;
  void add(const Joined& joined, std::string_view language, const Fits& fits);
  void add_passage(const Joined& joined, ByteRange range, EdgeMarks edges = {});
  static bool is_whole(const Passage& passage, const std::string& translation);
  std::string placed(std::size_t passage, const std::string& translation) const;

  std::string bytes_;
  const DocumentFormat* format_ = nullptr;
  std::vector<Passage> passages_;
  std::vector<std::string> texts_;
  std::vector<int64_t> lines_;
  int64_t too_long_ = 0, first_too_long_ = 0;
  int64_t line_ = 1, counted_ = 0;  // line of the passage added last, and bytes counted for it
};

}  // namespace heed::text
