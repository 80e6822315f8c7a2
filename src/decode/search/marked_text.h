// Puts markup, of lines, pages and documents, and kept items into translations, where they belong
// by the attention of a model that reads source and translation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/search/line_translator.h"
#include "decode/search/lines_request.h"
#include "document/markup_tokens.h"
#include "document/segment.h"
#include "document/unknown_symbols.h"
#include "study/alignment.h"
#include "text/kept.h"

namespace heed::decode {

/// Returns the segments of pages as lines to translate, each with the number of its page.
LinesRequest segments_of(std::span<const document::SegmentedText> pages,
                         const LineNumbers& numbers);

/// Whether a text is a source that the models translate without cutting it; for
/// document::DocumentOptions, as long as the translator lives.
std::function<bool(const std::string& text)> fits_of(const LineTranslator& translator);

/// Whether the vocabularies of all models have a character of the source; for
/// document::DocumentOptions, as long as the translator lives.
document::Knows knows_of(const LineTranslator& translator);

/// The report of put_inlays().
struct Inlaid {
  /// Segments in whose translation a kept item occurs more often than in the source, because the
  /// model has written it as well.
  std::vector<std::size_t> repeated;
  /// Segments that are to keep placeholders and have a `{` outside of them, which stays text, and
  /// those with a placeholder that has text inside (text::has_text_inside()), which is not
  /// translated.
  std::vector<std::size_t> loose_braces, whole_messages;
  /// Warnings about the segments that were translated again, as LinesResult::warnings.
  std::vector<std::string> warnings;
};

/// Puts the inlays into the texts of `translations` (document::with_inlays()). These are the
/// translations of consecutive segments_of() the pages, of which segment `first` is the first one;
/// `request` is the request that was translated. `choice` says which attention weights decide where
/// an inlay belongs; without it, for models without attention, its position in the sentence
/// decides. A segment whose kept numbers or stand-ins do not all come back is translated again
/// without them and gets them as inlays.
Inlaid put_inlays(const LineTranslator& translator, const LinesRequest& request,
                  std::span<const document::SegmentedText> pages,
                  const std::optional<study::AlignmentChoice>& choice,
                  std::vector<Translation>& translations, std::size_t first = 0);

/// Logs the warnings, and the lines in which an item was repeated. `numbers`: of the segments.
void log_inlaid(const Inlaid& inlaid, const LineNumbers& numbers);

/// Returns the pages with the translations of their segments. Each segment has its hypothesis
/// `which`, or the last one if it has fewer.
std::vector<std::string> with_segments(std::span<const document::SegmentedText> pages,
                                       const std::vector<Translation>& translations,
                                       std::size_t which = 0);

/// Throws UserError that names `file`, line and cure where markup of a line ends in a later one:
/// read line by line, its text would be lost and its code translated. The first one is line
/// `first_line`.
void require_whole_markup(const std::vector<std::string>& lines, int64_t first_line,
                          document::MarkupKind kind, const std::string& file);

/// Checks a whole file in the same way, before anything of it is translated, and warns of a page of
/// HTML. Does nothing for one that can be read only once (text::is_stream()).
void require_whole_markup(const std::string& file, document::MarkupKind kind);

/// Returns the translations of lines with markup of this kind, or of plain text.
/// Logs as log_inlaid().
std::vector<std::string> translate_marked(const LineTranslator& translator,
                                          const std::vector<std::string>& lines,
                                          const LineNumbers& numbers, document::MarkupKind kind,
                                          const text::KeepOptions& kept,
                                          const std::optional<study::AlignmentChoice>& choice);

}  // namespace heed::decode
