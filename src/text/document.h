// A document as sentences to translate, and bytes that stay. Torch-free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/marks.h"

namespace heed::text {

/// What of a document's text is markup: [from, to) in bytes.
struct MarkupSpan {
  std::size_t from = 0, to = 0;
  char kind = kWord;

  /// As the splitter of sentences sees it: `[` before the text of a link and `](address)` behind
  /// it; code, a word of the sentence.
  static constexpr char kOpens = '(', kCloses = ')', kWord = 'Q';
};

/// Bytes [from, to) of a document.
struct ByteRange {
  std::size_t from = 0, to = 0;
};

/// What is read in one, as a paragraph or a cell of a table: its lines, without their ends,
/// indentation and markers.
using LinesOfText = std::vector<ByteRange>;

struct DocumentFormat {
  const char* name;
  bool has_markers;  // of lists and headings: a line that begins with one is no longer text
  std::vector<LinesOfText> (*read)(std::string_view bytes);  // in order
  std::vector<MarkupSpan> (*markup)(std::string_view text);  // in order
};
/// "markdown", "srt", "txt" and "vtt".
const std::vector<DocumentFormat>& document_formats();

/// Bytes of the blanks, quote marks and markers of lists and headings that a line begins with in
/// the middle of a paragraph.
std::size_t marker_bytes(std::string_view line);

/// The bytes of a file, decompressed; "-" is stdin. Throws UserError where it cannot be opened or
/// is a damaged archive, Failure where reading fails.
std::string read_document(const std::string& path);

class Document {
 public:
  using Fits = std::function<bool(const std::string& text)>;

  /// `format`: a name of document_formats(). `language`: whose sentences (text/sentences.h). One
  /// for which `fits` is false is translated by clauses.
  Document(std::string bytes, const std::string& format, std::string_view language,
           const Fits& fits);

  /// What is to be translated, each on one line: sentences, lines joined with blanks. Behind a
  /// sentence with markup inside stand the parts between it.
  const std::vector<std::string>& texts() const { return texts_; }
  /// The line on which each begins, from 1.
  const std::vector<int64_t>& lines() const { return lines_; }
  /// How many sentences were too long, and the line of the first.
  int64_t too_long() const { return too_long_; }
  int64_t first_too_long() const { return first_too_long_; }

  /// The document with these translations, one for each of texts(). A translation has as many line
  /// breaks as its sentence, each at the blank that is nearest to the same share of its length. One
  /// that equals its text, or is blank, leaves the bytes as they are; where one has not all of the
  /// markup inside its sentence, in its order, or fewer of the brackets, quote marks and stops
  /// beside it (text/marks.h), those of the parts stand around it, with these marks.
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
    EdgeMarks edges;                  // of a part, beside the markup around it
    std::size_t parts = 0;            // pieces behind it that are its parts
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
  int64_t line_ = 1, counted_ = 0;  // of the text that was added last, and bytes before it
};

}  // namespace heed::text
