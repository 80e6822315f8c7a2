#include "data/traces.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "base/strings.h"
#include "data/pair_reader.h"
#include "text/normal_form.h"
#include "text/utf8.h"

namespace heed::data {
namespace {

bool has(std::string_view line, std::string_view part) {
  return line.find(part) != std::string_view::npos;
}

/// Whether the line has an entity such as "&amp;", "&#39;" or "&#x27;": a name or a number between
/// & and ;
bool has_entity(std::string_view line) {
  for (std::size_t at = 0; (at = line.find('&', at)) != std::string_view::npos;) {
    std::size_t end = ++at;
    if (end < line.size() && line[end] == '#') ++end;
    const std::size_t name = end;
    while (end < line.size() && end - name < 8 &&
           std::isalnum(static_cast<unsigned char>(line[end])))
      ++end;
    if (end >= name + 2 && end < line.size() && line[end] == ';') return true;
  }
  return false;
}

/// Whether the line has marks of Moses' tokeniser: "well @-@ known", "it &apos;s", "&#91;".
bool has_moses(std::string_view line) {
  return has(line, "@-@") || (has(line, "&") && (has(line, " &apos;") || has(line, "&apos; ") ||
                                                 has(line, "&#91;") || has(line, "&#124;")));
}

/// Whether the line has times of subtitles: "00:01:02,345 --> 00:01:04,000".
bool has_times(std::string_view line) {
  const std::size_t arrow = line.find("-->");
  return arrow != std::string_view::npos && arrow >= 9 && line[arrow - 5] == ',' &&
         line[arrow - 8] == ':';
}

bool is_quoted(std::string_view line) {
  line = trim(line);
  return line.size() >= 2 && line.front() == '"' && line.back() == '"';
}

bool is_name_of_a_column(std::string_view text) {
  static constexpr std::array<std::string_view, 24> kNames = {
      "source",  "target", "src",     "tgt",    "trg",     "sentence",  "translation", "text",
      "english", "german", "chinese", "french", "spanish", "reference", "sentence1",   "id",
      "en",      "de",     "zh",      "fr",     "es",      "ja",        "ru",          "ko"};
  const std::string lower = text::lower_case(trim(text));
  return std::ranges::find(kNames, lower) != kNames.end();
}

/// Whether the line has something that is no letter, and no letter: a number, marks.
bool has_no_letters(std::string_view line) {
  return !text::is_blank(line) && std::ranges::none_of(line, [](unsigned char c) {
    return c >= 0x80 || std::isalpha(c) != 0;
  });
}

/// The word with a digit with which both sides begin, before other words: "12.", "utt00012"; "":
/// there is none.
std::string_view name_of_lines(const PairOfLines& pair) {
  const std::string_view source = pair.source, target = pair.target;
  const std::size_t end = source.find(' ');
  if (end == source.npos || end + 1 == source.size()) return "";
  const std::string_view word = source.substr(0, end);
  const bool has_digit = word.find_first_of("0123456789") != word.npos;
  return has_digit && target.starts_with(source.substr(0, end + 1)) ? word : "";
}

struct TraceKind {
  const char *name, *text;
  bool (*is_in)(std::string_view line);  // whether either side has it; nullptr: see Traces::add()
};

constexpr std::size_t kMarks = 2, kQuotedCells = 5, kHeader = 6, kDecomposed = 7, kBlanks = 8,
                      kNames = 9, kNumbers = 10;
constexpr std::array<TraceKind, kTraces> kKinds = {{
    {"moses", "tokens of Moses (@-@, &apos;); detokenize with `sacremoses detokenize`", has_moses},
    {"entities", "HTML entities such as &amp;; decode them with html.unescape of Python",
     has_entity},
    {"bpe",
     "subword marks @@; `sed -E 's/@@( |$)//g' < OLD > NEW` joins the pieces, or "
     "data.vocabulary.algorithm: pieces takes them as they are",
     [](std::string_view line) { return has(line, "@@ ") || line.ends_with("@@"); }},
    {"sentencepiece", "pieces of SentencePiece (U+2581); decode them with spm_decode",
     [](std::string_view line) { return has(line, "\u2581"); }},
    {"subtitles", "times of subtitles (SRT); take the text alone", has_times},
    {"quotes",
     "quotation marks around whole sides; read the file as CSV, and write the sides without them",
     nullptr},
    {"header", "a line of column names; `tail -n +2 OLD > NEW` leaves it out", nullptr},
    {"decomposed",
     "decomposed letters (NFD), while other lines have composed ones; set "
     "data.vocabulary.normalise to nfc",
     nullptr},
    {"blanks",
     "blanks other than spaces (U+00A0) in pairs with word links, which they shift; replace them "
     "by spaces before the text is aligned",
     nullptr},
    {"names",
     "names or numbers of lines, with which both sides begin; `sed -E 's/(^|\\t)[^ \\t]+ +/\\1/g' "
     "< OLD "
     "> NEW` leaves them out",
     nullptr},
    {"numbers", "no letters on both sides, as in a table of numbers of sentences; name the texts",
     nullptr},
}};

}  // namespace

bool is_header(const PairOfLines& pair) {
  return pair.number == 1 && is_name_of_a_column(pair.source) && is_name_of_a_column(pair.target);
}

void Traces::add(const PairOfLines& pair) {
  ++pairs_;
  const auto note = [&](std::size_t kind, bool is) {
    if (is) found_[kind].add(pair.number);
  };
  for (std::size_t i = 0; i < kTraces; ++i)
    if (kKinds[i].is_in != nullptr)
      note(i, kKinds[i].is_in(pair.source) || kKinds[i].is_in(pair.target));
  note(kQuotedCells, is_quoted(pair.source) && is_quoted(pair.target));
  note(kHeader, is_header(pair));
  const bool decomposed = text::is_decomposed(pair.source) || text::is_decomposed(pair.target);
  note(kDecomposed, decomposed);
  composed_ = composed_ ||
              (!decomposed && (text::has_composed(pair.source) || text::has_composed(pair.target)));
  note(kBlanks, !pair.links.empty() &&
                    (text::has_other_blanks(pair.source) || text::has_other_blanks(pair.target)));
  const std::string_view name = name_of_lines(pair);
  note(kNames, !name.empty() && name != last_name_);
  last_name_ = name;
  note(kNumbers, has_no_letters(pair.source) && has_no_letters(pair.target));
}

void Traces::forget_header() {
  found_[kHeader] = {};
}

bool Traces::counts(std::size_t kind) const {
  if (kind == kMarks && is_cut_) return false;
  if (kind == kQuotedCells || kind == kNames || kind == kNumbers)
    return 2 * found_[kind].count > pairs_;
  if (kind == kDecomposed && !composed_) return false;
  return found_[kind].count > 0;
}

std::vector<std::string> Traces::text() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < kTraces; ++i)
    if (counts(i)) lines.push_back(std::string(kKinds[i].text) + ": " + found_[i].text());
  return lines;
}

std::vector<std::pair<std::string, Notice>> Traces::by_name() const {
  std::vector<std::pair<std::string, Notice>> out;
  for (std::size_t i = 0; i < kTraces; ++i)
    out.emplace_back(kKinds[i].name, counts(i) ? found_[i] : Notice());
  return out;
}

}  // namespace heed::data
