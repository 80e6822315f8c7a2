// Translation memories in TMX as files of lines: one line for each unit, with its text in one
// language. A name of the language stands after the file's: `memory.tmx#de`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace heed::text {

class ByteSource;  // text/bytes.h

/// One language of a translation memory, which is read like a file of lines.
struct TmxSide {
  std::string file, language;
};

/// The side that a path names: a file whose name ends in .tmx, .tmx.gz or .tmx.zst, `#` and a
/// language; nothing for all other paths.
std::optional<TmxSide> tmx_side(std::string_view path);

/// Whether the path ends in .tmx, .tmx.gz or .tmx.zst.
bool has_tmx_name(std::string_view path);

/// The file that has the lines of `path`: that of its side of a translation memory, or the path.
std::string file_of_lines(const std::string& path);

/// Throws UserError where the file that has the lines of `path` is not there or cannot be read.
/// Messages call it `what` (base/files.h: require_file).
void require_text_file(const std::string& path, const std::string& what);

/// The message for translation memories that are given without a language; `beginning` is that of
/// the file.
std::string tmx_needs_language(const std::string& path, std::string_view beginning);

/// The lines of one language of a TMX (version 1.1 to 1.4): line i is the text of unit i, and empty
/// where the unit has none, so that the lines of two languages belong to each other. Of several
/// texts of a unit the first counts that has exactly this language, or else the first whose
/// language is the same without a region or script (text/language_tags.h); blank ones do not count.
/// What native code of other programs the text has (bpt, ept, it, ph, ut, with the texts inside
/// them) is left out; runs of blanks with a line end, and tabs, become one blank. Memory does not
/// grow with the file. Throws BadBytes where `xml` is not TMX, or no unit has a text in the
/// language.
std::unique_ptr<ByteSource> tmx_lines(std::unique_ptr<ByteSource> xml, const TmxSide& side);

}  // namespace heed::text
