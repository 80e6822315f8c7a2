#include "decode/search/line_warnings.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "base/format.h"
#include "base/strings.h"
#include "data/example.h"
#include "data/notice.h"
#include "decode/search/lines_request.h"
#include "decode/search/search.h"

namespace heed::decode {
namespace {

/// Whether `unknown` of `pieces` are more unknown pieces than chance explains, given their
/// usual share.
bool is_unusual(int64_t unknown, int64_t pieces, double usual_share) {
  constexpr int64_t kFew = 10;
  constexpr double kOften = 5, kLeast = 0.02;
  return unknown >= kFew && static_cast<double>(unknown) > std::max(kOften * usual_share, kLeast) *
                                                               static_cast<double>(pieces);
}

constexpr int64_t kRepeated = 4;  // pieces

/// Whether the same few pieces in a row occur again and again, as in a translation that never ends.
bool repeats_itself(const std::vector<int32_t>& ids) {
  constexpr int kTimes = 3;
  std::map<std::vector<int32_t>, int> seen;
  for (auto at = ids.begin(); ids.end() - at >= kRepeated; ++at)
    if (++seen[{at, at + kRepeated}] == kTimes) return true;
  return false;
}

/// Returns where a translation without an end was cut, and the cure. `limit` is the length limit of
/// its pieces.
std::pair<std::string, std::string> cut_text(const Hypothesis& hypothesis, int64_t limit,
                                             int64_t longest) {
  const int64_t pieces = std::ssize(hypothesis.ids);
  if (pieces < limit)
    return {
        "where every piece is forbidden",
        fmt::format("decoding.no_repeat_ngram leaves none for decoding.min_length: {} is the most",
                    pieces)};
  const std::string at = "at the length limit";
  if (repeats_itself(hypothesis.ids))
    return {at,
            fmt::format("it repeats itself; decoding.no_repeat_ngram: {} forbids that", kRepeated)};
  return {at, pieces < longest ? "decoding.max_length_ratio raises it"
                               : "the model cannot write longer ones"};
}

std::string unknown_text(const EncodedLines& lines, const LineNumbers& numbers) {
  return fmt::format(
      "lines {} to {}: {} of {} are unknown to the vocabulary, far more than in training{}",
      numbers.of(0), numbers.of(std::ssize(lines.lengths) - 1), lines.unknown,
      counted(lines.pieces, "piece"),
      lines.decomposed == 0
          ? ""
          : fmt::format("; {} with decomposed letters (NFD); `python3 -c 'import sys, unicodedata; "
                        "print(unicodedata.normalize(\"NFC\", sys.stdin.read()), end=\"\")' < OLD "
                        "> NEW` composes them",
                        counted(lines.decomposed, "line")));
}

/// Adds the warnings about the source lines.
void add_source_warnings(const EncodedLines& lines, const LineNumbers& numbers,
                         const SearchBounds& bounds, std::vector<std::string>& out) {
  if (lines.cut.count > 0)
    out.push_back(fmt::format("cut to {} pieces before translating: line {}{}", bounds.source_limit,
                              lines.cut.list(),
                              bounds.source_limit < bounds.config.max_source_length
                                  ? " (the model cannot take longer ones)"
                                  : " (decoding.max_source_length raises it)"));
  if (lines.strange.count > 0)
    out.push_back(fmt::format(
        "the vocabulary knows no piece of line {}; is this the language that the model translates "
        "from?",
        lines.strange.list()));
  if (is_unusual(lines.unknown, lines.pieces, bounds.usual_unknown))
    out.push_back(unknown_text(lines, numbers));
}

}  // namespace

std::vector<std::string> line_warnings(const EncodedLines& lines, const LineNumbers& numbers,
                                       const std::vector<Translation>& translations,
                                       const SearchBounds& bounds) {
  std::vector<std::string> out;
  add_source_warnings(lines, numbers, bounds, out);
  // The keys are results of cut_text().
  std::map<std::pair<std::string, std::string>, data::Notice> cut;
  data::Notice disobeying;
  int64_t missing = 0;  // terms
  for (std::size_t i = 0; i < translations.size(); ++i) {
    if (translations[i].hypotheses.empty()) continue;
    const Hypothesis& best = translations[i].hypotheses[0];
    const int64_t number = numbers.of(static_cast<int64_t>(i));
    missing += best.missing;
    if (best.missing > 0) disobeying.add(number);
    if (!best.cut) continue;
    const int64_t prefix_length = lines.prefixes.empty() ? 0 : std::ssize(lines.prefixes[i]);
    const int64_t limit =
        length_limit(bounds.config, std::ssize(lines.members[0][i].source), bounds.longest);
    cut[cut_text(best, std::min(prefix_length + limit, bounds.longest), bounds.longest)].add(
        number);
  }
  if (missing > 0)
    out.push_back(fmt::format(
        "{} of decoding.glossary not obeyed, line {}: decoding.max_length_ratio leaves no room, or "
        "decoding.no_repeat_ngram or decoding.forbid forbids a piece",
        counted(missing, "term"), disobeying.list()));
  for (const auto& [text, notice] : cut)
    out.push_back(fmt::format("{}{}, line {} ({})",
                              notice.count == 1 ? "translation cut " : "translations cut ",
                              text.first, notice.list(), text.second));
  return out;
}

}  // namespace heed::decode
