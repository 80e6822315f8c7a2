// Markup, and what is kept, in translations: it stands where the attention of the model that reads
// a translation says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decode/search/line_translator.h"
#include "study/alignment.h"
#include "text/inlays.h"

namespace heed::decode {

/// The texts of translations of all segments of these pages of one kind, with_inlays(). `choice`:
/// which weights tell the place; without it, for models without attention, the place in the
/// sentence tells it. A segment whose numbers are kept and do not come back as often as they are
/// there is translated again without them, and gets them as inlays. Returns which segments have
/// something that is kept more often in a translation than in the source, for the model has written
/// it, too.
std::vector<std::size_t> put_inlays(LineTranslator& translator,
                                    const std::vector<text::Markup>& pages,
                                    const std::optional<study::AlignmentChoice>& choice,
                                    std::vector<Translation>& translations);

/// Throws UserError that names `file`, line and cure where markup of a line ends in a later one:
/// read line by line, its text would be lost and its code translated. The first one is line
/// `first_line`.
void require_whole_markup(const std::vector<std::string>& lines, int64_t first_line,
                          text::MarkupKind kind, const std::string& file);

/// The same of a whole file, before anything of it is translated; nothing of one that can be read
/// only once (text::is_stream()).
void require_whole_markup(const std::string& file, text::MarkupKind kind);

/// Translations of lines with markup of this kind, or of texts; the first one is line `first_line`.
/// Warns of what is kept and stands more often in a translation than in its source.
std::vector<std::string> translate_marked(LineTranslator& translator,
                                          const std::vector<std::string>& lines, int64_t first_line,
                                          text::MarkupKind kind, const text::Kept& kept,
                                          const std::optional<study::AlignmentChoice>& choice);

}  // namespace heed::decode
