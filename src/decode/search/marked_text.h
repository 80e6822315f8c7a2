// Markup, and what is kept, in translations: it stands where the attention of the model that reads
// a translation says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decode/search/line_translator.h"
#include "decode/search/lines_request.h"
#include "study/alignment.h"
#include "text/inlays.h"
#include "text/kept.h"
#include "text/markup.h"
#include "text/markup_tokens.h"

namespace heed::decode {

/// The segments of pages as lines to translate, each with the number of its page.
LinesRequest segments_of(const std::vector<text::Markup>& pages, const LineNumbers& numbers);

/// What put_inlays() has to tell.
struct Inlaid {
  /// Segments that have something which is kept more often in a translation than in the source, for
  /// the model has written it, too.
  std::vector<std::size_t> repeated;
  std::vector<std::string> warnings;  // of what was translated again, as LinesResult::warnings
};

/// Makes the texts of translations of segments_of() these pages, which are of one kind, those with
/// their inlays (text::with_inlays()). `choice`: which weights tell the place; without it, for
/// models without attention, the place in the sentence tells it. A segment whose numbers are kept
/// and do not come back as often as they are there is translated again without them, and gets them
/// as inlays. `request`: as it was translated.
Inlaid put_inlays(const LineTranslator& translator, const LinesRequest& request,
                  const std::vector<text::Markup>& pages,
                  const std::optional<study::AlignmentChoice>& choice,
                  std::vector<Translation>& translations);

/// The pages with the translations of their segments: of each its hypothesis `which`, or the last
/// where it has fewer.
std::vector<std::string> with_segments(const std::vector<text::Markup>& pages,
                                       const std::vector<Translation>& translations,
                                       std::size_t which = 0);

/// Throws UserError that names `file`, line and cure where markup of a line ends in a later one:
/// read line by line, its text would be lost and its code translated. The first one is line
/// `first_line`.
void require_whole_markup(const std::vector<std::string>& lines, int64_t first_line,
                          text::MarkupKind kind, const std::string& file);

/// The same of a whole file, before anything of it is translated; nothing of one that can be read
/// only once (text::is_stream()).
void require_whole_markup(const std::string& file, text::MarkupKind kind);

/// Translations of lines with markup of this kind, or of texts. Logs warnings, and what is kept and
/// stands more often in a translation than in its source.
std::vector<std::string> translate_marked(const LineTranslator& translator,
                                          const std::vector<std::string>& lines,
                                          const LineNumbers& numbers, text::MarkupKind kind,
                                          const text::KeepOptions& kept,
                                          const std::optional<study::AlignmentChoice>& choice);

}  // namespace heed::decode
