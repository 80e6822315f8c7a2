#include "text/binary_form.h"

#include <cstddef>

namespace heed::text {
namespace {

struct BinaryForm {
  std::string_view mark;  // its first bytes
  std::string_view what;
};

constexpr BinaryForm kBinaryForms[] = {
    {"PAR1",
     "a table in the format Parquet, not lines of text; write its columns as lines, with pandas "
     "for "
     "example"},
    {"ARROW1",
     "a table in the format Arrow, not lines of text; write its columns as lines, with pandas for "
     "example"},
    {"\xFF\xFF\xFF\xFF",  // a stream
     "a table in the format Arrow, not lines of text; write its columns as lines, with pandas for "
     "example"},
    {"\x89HDF\r\n", "a file of HDF5, not lines of text; write its texts as lines"},
    {"\x93NUMPY", "an array of NumPy, not lines of text; write its texts as lines"},
    {"SQLite format 3", "a database of SQLite, not lines of text; write its texts as lines"},
    {"\xDE\x12\x04\x95",
     "compiled messages of GNU gettext (MO), not lines of text; `msgunfmt OLD > NEW.po` makes the "
     "PO file"},
    {"\x95\x04\x12\xDE",
     "compiled messages of GNU gettext (MO), not lines of text; `msgunfmt OLD > NEW.po` makes the "
     "PO file"},
    {"\xD0\xCF\x11\xE0",
     "a document of an old office program, not lines of text; save it there as text, HTML or CSV, "
     "in "
     "UTF-8"},
    {"{\\rtf1",
     "a document in RTF, not lines of text; save it in its program as text or HTML, in UTF-8"},
    {"%!PS-", "a file of PostScript, not lines of text; take the text out of it"},
    {"Rar!\x1A\x07", "a rar archive, not a text; unpack it"},
    {"7z\xBC\xAF\x27\x1C", "a 7z archive, not a text; unpack it"},
    {"\x89PNG\r\n", "a picture, not lines of text"},
    {"\xFF\xD8\xFF", "a picture, not lines of text"},
    {"\x7F"
     "ELF",
     "a program, not lines of text"},
};

/// Whether the file begins with "%PDF-" and a version.
bool is_pdf(std::string_view beginning) {
  constexpr std::string_view kMark = "%PDF-";
  return beginning.starts_with(kMark) && beginning.size() > kMark.size() &&
         beginning[kMark.size()] >= '0' && beginning[kMark.size()] <= '9';
}

bool is_tar(std::string_view beginning) {
  constexpr std::size_t kMarkBegin = 257;  // POSIX.1-1988
  return beginning.size() > kMarkBegin && beginning.substr(kMarkBegin).starts_with("ustar");
}

/// Whether the file begins with the version of a pickle, 2 to 5, as Python writes them since 2003.
bool is_pickle(std::string_view beginning) {
  return beginning.size() > 2 && beginning[0] == '\x80' && beginning[1] >= 2 && beginning[1] <= 5;
}

}  // namespace

std::string_view binary_form(std::string_view beginning) {
  if (is_pdf(beginning))
    return "a PDF, not lines of text; `pdftotext` of poppler-utils takes the text out of it";
  if (is_tar(beginning)) return "a tar archive, not a text; `tar -xf` unpacks it";
  if (is_pickle(beginning))
    return "a pickle of Python, not lines of text; write its texts as lines, with pandas for "
           "example";
  for (const BinaryForm& form : kBinaryForms)
    if (beginning.starts_with(form.mark)) return form.what;
  return "";
}

}  // namespace heed::text
