#include "text/document.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "text/bytes.h"
#include "text/script.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::text {
namespace {

/// The text with the kind of the markup in place of each of its bytes.
std::string masked(std::string text, const std::vector<MarkupSpan>& markup) {
  for (const MarkupSpan& span : markup)
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(span.from),
              text.begin() + static_cast<std::ptrdiff_t>(span.to), span.kind);
  return text;
}

bool has_no_blanks_between(char32_t before, char32_t behind) {
  return has_no_blanks(script_of(before)) && has_no_blanks(script_of(behind));
}

/// The places where a line of a translation may end and the next begin: at blanks, and between
/// letters of scripts without blanks; not inside markup, nor where the next line would begin with a
/// marker.
std::vector<ByteRange> possible_breaks(const std::string& translation,
                                       const DocumentFormat& format) {
  const std::string mask = masked(translation, format.markup(translation));
  std::vector<ByteRange> out;
  char32_t before = 0;
  each_code_point(mask, [&](const CodePoint& point, std::string_view bytes) {
    const auto at = static_cast<std::size_t>(bytes.data() - mask.data());
    const std::size_t behind = is_space(point.value) ? at + point.bytes : at;
    if ((behind > at || has_no_blanks_between(before, point.value)) &&
        !(format.has_markers && marker_bytes(std::string_view(translation).substr(behind)) > 0))
      out.push_back({at, behind});
    before = point.value;
  });
  return out;
}

/// The translation without this markup; nothing where it lacks some of the markup, or has it in
/// another order.
std::optional<std::string> without(const std::string& translation,
                                   const std::vector<std::string>& markup) {
  std::string out;
  std::size_t from = 0;
  for (const std::string& span : markup) {
    const std::size_t at = translation.find(span, from);
    if (at == std::string::npos) return std::nullopt;
    out += translation.substr(from, at - from) + ' ';
    from = at + span.size();
  }
  return out + translation.substr(from);
}

}  // namespace

/// Lines of text joined into one, with their markup.
struct Document::Joined {
  std::string text, mask;
  std::vector<MarkupSpan> markup;
  std::vector<std::size_t> partners;  // by markup that opens or closes: index of its other half
  std::vector<LineBreak> breaks;      // the first one is at the beginning of the text

  /// The position in the document of a byte of the text.
  std::size_t byte_of(std::size_t at) const {
    const auto next = std::ranges::upper_bound(breaks, at, {}, &LineBreak::behind);
    return std::prev(next)->bytes.to + (at - std::prev(next)->behind);
  }

  void find_markup(const DocumentFormat& format) {
    markup = format.markup(text);
    mask = masked(text, markup);
    partners.assign(markup.size(), markup.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < markup.size(); ++i) {
      if (markup[i].kind == MarkupSpan::kOpens) open.push_back(i);
      if (markup[i].kind != MarkupSpan::kCloses || open.empty()) continue;
      partners[i] = open.back();
      partners[open.back()] = i;
      open.pop_back();
    }
  }

  /// The index of the first markup that begins at or after `at`.
  std::size_t markup_from(std::size_t at) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(markup, at, {}, &MarkupSpan::from) -
                                    markup.begin());
  }

  /// The range without the blanks at both ends, and without markup there that surrounds all of it,
  /// or has its other half outside.
  ByteRange trimmed(ByteRange range) const {
    for (;;) {
      // A clause of a sentence that is too long may end inside markup.
      if (const std::size_t i = markup_from(range.from); i > 0)
        range.from = std::max(range.from, markup[i - 1].to);
      if (const std::size_t i = markup_from(range.to); i > 0 && markup[i - 1].to > range.to)
        range.to = markup[i - 1].from;
      range.to = std::max(range.from, range.to);
      while (range.from < range.to && text[range.from] == ' ') ++range.from;
      while (range.from < range.to && text[range.to - 1] == ' ') --range.to;
      const std::size_t first = markup_from(range.from), end = markup_from(range.to);
      if (first == end) return range;
      const std::size_t last = end - 1;
      const auto is_inside = [&](std::size_t i) { return i >= first && i < end; };
      const bool begins = markup[first].from == range.from, ends = markup[last].to == range.to;
      const bool is_around = begins && ends && partners[first] == last;
      const auto is_free = [&](std::size_t i) {
        return markup[i].kind != MarkupSpan::kWord && (is_around || !is_inside(partners[i]));
      };
      if (begins && is_free(first))
        range.from = markup[first].to;
      else if (ends && is_free(last))
        range.to = markup[last].from;
      else
        return range;
    }
  }
};

std::string read_document(const std::string& path) {
  constexpr std::size_t kChunk = 1 << 20;
  std::string all;
  telling(shown_name(path) + ": ", [&] {
    const auto bytes = open_bytes(path);
    for (std::size_t size = 0, count = 1; count > 0; all.resize(size += count)) {
      all.resize(size + kChunk);
      count = bytes->read(all.data() + size, kChunk);
    }
  });
  return all;
}

Document::Document(std::string bytes, const std::string& format, std::string_view language,
                   const Fits& fits)
    : bytes_(std::move(bytes)),
      format_(&*std::ranges::find(document_formats(), format, &DocumentFormat::name)) {
  for (const LinesOfText& lines : format_->read(bytes_)) add(joined(lines), language, fits);
}

Document::Joined Document::joined(const LinesOfText& lines) const {
  Joined out;
  std::size_t end = 0;
  char32_t before = 0;
  for (const ByteRange& range : lines) {
    const std::string_view line =
        trim(std::string_view(bytes_).substr(range.from, range.to - range.from));
    if (line.empty()) continue;
    const auto from = static_cast<std::size_t>(line.data() - bytes_.data());
    const std::size_t at = out.text.size();
    if (at > 0 && !has_no_blanks_between(before, code_point_at(line, 0).value)) out.text += ' ';
    out.breaks.push_back({at, out.text.size(), {end, from}});
    out.text += line;
    before = decode_utf8(line).back();
    end = from + line.size();
  }
  out.find_markup(*format_);
  return out;
}

void Document::add(const Joined& joined, std::string_view language, const Fits& fits) {
  const auto range_of = [&](std::string_view part) {
    const auto from = static_cast<std::size_t>(part.data() - joined.mask.data());
    return ByteRange{from, from + part.size()};
  };
  for (const std::string_view sentence : sentences_of(joined.mask, language)) {
    const std::size_t count = passages_.size();
    const auto clauses = clauses_of(sentence, [&](std::string_view part) {
      return fits(repair(joined.text.substr(range_of(part).from, part.size())));
    });
    for (const std::string_view clause : clauses) add_passage(joined, range_of(clause));
    if (clauses.size() > 1 && passages_.size() > count && too_long_++ == 0)
      first_too_long_ = lines_[count];
  }
}

void Document::add_passage(const Joined& joined, ByteRange range, EdgeMarks edges) {
  range = joined.trimmed(range);
  Passage passage;
  passage.edges = std::move(edges);
  passage.bytes = {joined.byte_of(range.from), joined.byte_of(range.to - 1) + 1};
  struct MarkedFragment {
    ByteRange range;
    EdgeMarks marks;
  };
  std::vector<MarkedFragment> fragments;
  for (std::size_t i = joined.markup_from(range.from), from = range.from;; ++i) {
    const bool is_end = i == joined.markup_from(range.to);
    const std::size_t to = is_end ? range.to : joined.markup[i].from;
    const std::string_view fragment = std::string_view(joined.text).substr(from, to - from);
    EdgeMarks marks = edge_marks(fragment, from > range.from, !is_end);
    for (std::size_t kind = 0; const int64_t count : count_marks(marks.front + marks.back))
      passage.marks[kind++] += count;
    if (has_words(fragment)) fragments.push_back({{from, to}, std::move(marks)});
    if (is_end) break;
    from = joined.markup[i].to;
    passage.markup.push_back(joined.text.substr(to, from - to));
  }
  if (fragments.empty()) return;
  for (auto line = std::ranges::upper_bound(joined.breaks, range.from, {}, &LineBreak::at);
       line != joined.breaks.end() && line->at < range.to; ++line)
    passage.breaks.push_back({line->at - range.from, line->behind - range.from, line->bytes});
  const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(passage.bytes.from);
  line_ += std::count(bytes_.begin() + counted_, begin, '\n');
  counted_ = begin - bytes_.begin();
  lines_.push_back(line_);
  texts_.push_back(repair(joined.text.substr(range.from, range.to - range.from)));
  const std::size_t index = passages_.size();
  const bool has_fragments = !passage.markup.empty();
  passages_.push_back(std::move(passage));
  for (MarkedFragment& fragment : fragments)
    if (has_fragments) add_passage(joined, fragment.range, std::move(fragment.marks));
  passages_[index].fragments = passages_.size() - index - 1;
}

bool Document::is_whole(const Passage& passage, const std::string& translation) {
  const auto rest = without(translation, passage.markup);
  if (!rest || passage.markup.empty()) return rest.has_value();
  const MarkCounts counts = count_marks(*rest);
  return std::ranges::equal(counts, passage.marks, std::greater_equal<>());
}

std::string Document::placed(std::size_t i, const std::string& given) const {
  const auto& [bytes, breaks, markup, marks, edges, fragments] = passages_[i];
  if (given == texts_[i] || is_blank(given))
    return bytes_.substr(bytes.from, bytes.to - bytes.from);
  const std::string translation = with_marks(edges, given);
  if (breaks.empty()) return translation;
  const auto possible = possible_breaks(translation, *format_);
  const std::size_t count = std::min(breaks.size(), possible.size());
  std::string out;
  std::size_t from = 0, next = 0;
  for (std::size_t k = 0; k < count; ++k, ++next) {
    const std::size_t at = breaks[k].at * translation.size() / texts_[i].size();
    const auto distance = [&](std::size_t j) {
      return std::max(at, possible[j].from) - std::min(at, possible[j].from);
    };
    // Each break that follows needs a possible break of its own.
    while (next + count - k < possible.size() && distance(next + 1) < distance(next)) ++next;
    out += translation.substr(from, possible[next].from - from);
    out += bytes_.substr(breaks[k].bytes.from, breaks[k].bytes.to - breaks[k].bytes.from);
    from = possible[next].to;
  }
  return out + translation.substr(from);
}

std::string Document::with(const std::vector<std::string>& translations) const {
  expect(translations.size() == texts_.size(), "a translation for each text of a document");
  std::string out;
  std::size_t from = 0;
  for (std::size_t i = 0; i < passages_.size();) {
    const Passage& passage = passages_[i];
    if (!is_whole(passage, translations[i])) {
      ++i;  // skips its fragments
      continue;
    }
    out += bytes_.substr(from, passage.bytes.from - from) + placed(i, translations[i]);
    from = passage.bytes.to;
    i += 1 + passage.fragments;
  }
  return out + bytes_.substr(from);
}

}  // namespace heed::text
