#include "decode/search/marked_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "data/notice.h"
#include "decode/search/encoded_lines.h"
#include "decode/search/lines_request.h"
#include "decode/search/reading.h"
#include "document/inlays.h"
#include "document/kept_tokens.h"
#include "document/markup.h"
#include "document/markup_tokens.h"
#include "document/segment_builder.h"
#include "document/stand_ins.h"
#include "document/token.h"
#include "document/weights.h"
#include "study/attention_matrix.h"
#include "text/bytes.h"
#include "text/kept.h"
#include "text/lines.h"
#include "text/no_text.h"
#include "text/vocabulary.h"
#include "text/words.h"

namespace heed::decode {
namespace {

/// Returns the weights of words from those of pieces. The target text has `rows` words, the source
/// text `words`; returns nothing if the pieces make other words than the texts.
std::optional<document::WordWeights> by_words(const study::AttentionMatrix& pieces,
                                              const text::WordsOfParts& target, std::size_t rows,
                                              std::size_t words, bool was_cut, bool reads) {
  const text::WordsOfParts source = text::words_of_parts(source_surfaces(pieces));
  const std::size_t columns = source.words.size();
  if (target.words.size() != rows || columns > words || (columns < words && !was_cut))
    return std::nullopt;
  document::WordWeights out{columns, std::vector<double>(rows * columns)};
  std::vector<double> counts(rows);
  for (std::size_t t = 0; t < target.first.size() && t + reads < pieces.target.size(); ++t) {
    if (target.first[t] >= rows || study::is_edge(pieces.target[t])) continue;
    for (std::size_t row = target.first[t]; row <= target.last[t]; ++row) ++counts[row];
    for (std::size_t s = 0; s < source.first.size(); ++s) {
      if (source.first[s] >= columns || study::is_edge(pieces.source[s])) continue;
      const auto parts = static_cast<double>(source.last[s] - source.first[s] + 1);
      for (std::size_t row = target.first[t]; row <= target.last[t]; ++row)
        for (std::size_t column = source.first[s]; column <= source.last[s]; ++column)
          out.values[row * columns + column] += pieces.at(t + reads, s) / parts;
    }
  }
  for (std::size_t i = 0; i < out.values.size(); ++i)
    out.values[i] /= std::max(counts[i / columns], 1.0);
  return out;
}

/// A translation whose inlays are still to be placed.
struct UnplacedInlays {
  const document::Segment* segment;
  Translation* translation;
  std::size_t hypothesis;

  std::string& text() const { return translation->texts[hypothesis]; }
  const std::vector<int32_t>& ids() const { return translation->hypotheses[hypothesis].ids; }
  std::size_t weights() const { return (ids().size() + 1) * translation->source_pieces.size(); }
};

/// Returns as many of the first texts as have matrices that may be held in memory together.
std::span<const UnplacedInlays> part_of(std::span<const UnplacedInlays> all) {
  constexpr std::size_t kMostWeights = 1 << 24;
  std::size_t count = 0;
  for (std::size_t sum = 0; count < all.size() && sum < kMostWeights; ++count)
    sum += all[count].weights();
  return all.first(count);
}

void place(const LineTranslator& translator, std::span<const UnplacedInlays> wanted,
           const std::optional<study::AlignmentChoice>& choice) {
  std::vector<std::string> sources;
  std::vector<std::vector<int32_t>> targets;
  for (const UnplacedInlays& one : wanted) {
    sources.push_back(one.segment->text);
    targets.push_back(one.ids());
  }
  std::vector<AttendedSentence> read;
  if (choice)
    read = attention_maps(translator, sources, targets,
                          {.layers = {choice->layer}, .heads = {choice->head}});
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto rows = static_cast<std::size_t>(text::count_words(wanted[i].text())),
               words = static_cast<std::size_t>(text::count_words(sources[i]));
    std::optional<document::WordWeights> weights;
    if (choice)
      weights = by_words(read[i].matrices.front(),
                         text::words_of_parts(translator.first_text().target.surfaces(
                             targets[i], wanted[i].translation->unknown_of_prefix)),
                         rows, words, std::ssize(read[i].source_pieces) > translator.source_limit(),
                         choice->reads);
    if (!weights)
      weights = document::diagonal_weights(
          rows, std::min(words, wanted[i].translation->source_pieces.size()));
    wanted[i].text() = document::with_inlays(*wanted[i].segment, wanted[i].text(), *weights);
  }
}

/// Returns how much more often each kept item is in a translation than in its source.
std::map<std::string, int64_t, std::less<>> surplus(const document::Segment& source,
                                                    const std::string& translation,
                                                    const text::KeepOptions& kept) {
  auto counts = text::kept_items_in(translation, kept);
  for (const auto& [item, times] : source.staying) counts[item] -= times;
  return counts;
}

}  // namespace

LinesRequest segments_of(std::span<const document::SegmentedText> pages,
                         const LineNumbers& numbers) {
  LinesRequest request;
  std::vector<std::size_t> page_of;
  for (std::size_t page = 0; page < pages.size(); ++page)
    for (const document::Segment& segment : pages[page].segments()) {
      request.lines.push_back(segment.text);
      page_of.push_back(page);
    }
  request.numbers = numbers.only(page_of);
  return request;
}

std::function<bool(const std::string& text)> fits_of(const LineTranslator& translator) {
  return [&translator](const std::string& text) {
    const int64_t most = translator.source_limit();
    return std::ranges::all_of(translator.texts(), [&](const MemberText& member) {
      return std::ssize(member.source.encode(text, most)) <= most;
    });
  };
}

document::Knows knows_of(const LineTranslator& translator) {
  // A document asks for the same characters again and again.
  auto known = std::make_shared<std::map<std::string, bool>>();
  return [&translator, known](const std::string& character) {
    const auto [found, is_new] = known->try_emplace(character, true);
    if (is_new)
      found->second = std::ranges::all_of(translator.texts(), [&](const MemberText& member) {
        if (member.source.is_cut()) return true;  // its pieces of words say little about characters
        const std::vector<int32_t> ids = member.source.encode(character);
        return std::ranges::find(ids, text::kUnknown) == ids.end();
      });
    return found->second;
  };
}

namespace {

/// Whether something in these pages belongs to words: tags, kept items, or sentences of a document.
/// Lines of plain text have nothing of it.
bool needs_words(std::span<const document::SegmentedText> pages) {
  return std::ranges::any_of(pages, [](const document::SegmentedText& page) {
    return page.kept().any() ||
           std::ranges::any_of(page.segments(), [](const document::Segment& segment) {
             return segment.writing.is_document || segment.writing.escaped;
           });
  });
}

/// Throws UserError where lines are pieces, in which nothing is found that belongs to words.
void require_words(const LineTranslator& translator) {
  for (const MemberText& member : translator.texts())
    if (!member.source.reads_words())
      throw UserError(
          "tags, kept items and documents are found in words, and this model's text is pieces that "
          "another program has cut; name data.vocabulary.codes when it is trained or --codes when "
          "it is imported");
}

/// Turns the translations of the segments of some pages into texts with inlays.
class InlaysOfPages {
 public:
  InlaysOfPages(const LineTranslator& translator, const LinesRequest& request,
                const std::optional<study::AlignmentChoice>& choice)
      : translator_(translator), request_(request), choice_(choice) {}

  Inlaid put(std::span<const document::SegmentedText> pages, std::vector<Translation>& translations,
             std::size_t first) {
    std::size_t begin = 0;  // the first segment of a page
    for (const document::SegmentedText& page : pages) {
      const std::size_t end = begin + page.segments().size();
      for (std::size_t i = std::max(begin, first); i < std::min(end, first + translations.size());
           ++i)
        finish(page, page.segments()[i - begin], i - first, translations);
      begin = end;
    }
    for (std::span<const UnplacedInlays> left(wanted_); !left.empty();) {
      const auto part = part_of(left);
      place(translator_, part, choice_);
      left = left.subspan(part.size());
    }
    if (!again_.empty()) translate_again(translations);
    for (Translation& one : translations) one.text = one.texts[0];
    std::ranges::sort(out_.repeated);
    return std::move(out_);
  }

 private:
  /// Finishes the translations of one segment, or adds them to those that still need attention
  /// (wanted_) or another translation (again_).
  void finish(const document::SegmentedText& page, const document::Segment& segment, std::size_t i,
              std::vector<Translation>& translations) {
    Translation& one = translations[i];
    if (page.kept().placeholders) note_braces(segment, i);
    text::KeepOptions kept = page.kept();
    bool has_more = false;
    for (const std::string& text : one.texts)
      for (const auto& [item, more] : surplus(segment, text, page.kept())) {
        if (more != 0) kept.taken.insert(item);
        has_more |= more > 0;
      }
    const bool has_stand_ins = std::ranges::all_of(one.texts, [&](const std::string& text) {
      return text.empty() || document::has_stand_ins(segment, text);
    });
    if (kept.taken.size() > page.kept().taken.size() || !has_stand_ins) {
      document::Segment other = document::make_segment(
          segment.raw, with_kept(segment.raw, segment.tokens, segment.writing, kept),
          segment.writing,
          has_stand_ins && segment.stand_ins != 0 ? document::StandIns::of_documents
                                                  : document::StandIns::no);
      if (!other.has_letters) {
        one.texts = {segment.raw};
        return;
      }
      if (other.text != segment.text) {
        again_.emplace_back(std::move(kept)).add(std::move(other));
        which_.push_back(i);
        return;
      }
    }
    if (has_more) out_.repeated.push_back(i);
    if (one.hypotheses.empty()) one.texts = {document::with_inlays(segment, "", {})};
    for (std::size_t n = 0; n < one.hypotheses.size(); ++n)
      if (std::ranges::all_of(segment.inlays, &document::Inlay::stands_in))
        one.texts[n] = document::with_inlays(segment, one.texts[n], {});
      else
        wanted_.push_back({&segment, &one, n});
  }

  void note_braces(const document::Segment& segment, std::size_t i) {
    // The vocabulary may lack it, and then it is a token that stays.
    const bool is_loose = segment.text.find('{') != std::string::npos ||
                          std::ranges::any_of(segment.tokens, [](const document::Token& token) {
                            return token.syntax == document::Token::Syntax::whole &&
                                   token.text.find('{') != std::string::npos;
                          });
    if (is_loose) out_.loose_braces.push_back(i);
    if (std::ranges::any_of(segment.inlays, [](const document::Inlay& inlay) {
          return text::has_text_inside(inlay.before);
        }))
      out_.whole_messages.push_back(i);
  }

  /// Translates the segments whose numbers or stand-ins did not come back once more, without them.
  void translate_again(std::vector<Translation>& translations) {
    LinesRequest request = part_of(request_, which_);
    for (std::size_t k = 0; k < again_.size(); ++k) request.lines[k] = again_[k].segments()[0].text;
    LinesResult found = translator_.translate(request);
    out_.warnings = std::move(found.warnings);
    const Inlaid inner =
        InlaysOfPages(translator_, request, choice_).put(again_, found.translations, 0);
    for (const std::size_t k : inner.repeated) out_.repeated.push_back(which_[k]);
    out_.warnings.insert(out_.warnings.end(), inner.warnings.begin(), inner.warnings.end());
    for (std::size_t k = 0; k < which_.size(); ++k) {
      Translation& one = found.translations[k];
      for (std::string& text : one.texts) text = again_[k].with({text});
      translations[which_[k]] = std::move(one);
    }
  }

  const LineTranslator& translator_;
  const LinesRequest& request_;
  const std::optional<study::AlignmentChoice>& choice_;
  std::vector<UnplacedInlays> wanted_;
  std::vector<document::SegmentedText> again_;  // one segment each
  std::vector<std::size_t> which_;              // the index of each among all segments
  Inlaid out_;
};

}  // namespace

Inlaid put_inlays(const LineTranslator& translator, const LinesRequest& request,
                  std::span<const document::SegmentedText> pages,
                  const std::optional<study::AlignmentChoice>& choice,
                  std::vector<Translation>& translations, std::size_t first) {
  if (needs_words(pages)) require_words(translator);
  return InlaysOfPages(translator, request, choice).put(pages, translations, first);
}

std::vector<std::string> with_segments(std::span<const document::SegmentedText> pages,
                                       const std::vector<Translation>& translations,
                                       std::size_t which) {
  std::vector<std::string> out;
  auto next = translations.begin();
  for (const document::SegmentedText& page : pages) {
    std::vector<std::string> texts;
    for (; texts.size() < page.segments().size(); ++next)
      texts.push_back(next->texts[std::min(which, next->texts.size() - 1)]);
    out.push_back(page.with(texts));
  }
  return out;
}

void require_whole_markup(const std::vector<std::string>& lines, int64_t first_line,
                          document::MarkupKind kind, const std::string& file) {
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (const auto open = document::unclosed_markup(lines[i], kind))
      throw UserError(
          "{}:{}: {} does not end in its line, and --markup reads each line by itself; put "
          "all of it on one line, or {}; a < that begins no tag is written &lt;",
          file, first_line + static_cast<int64_t>(i), *open,
          kind == document::MarkupKind::xml
              ? "send the whole page to heed serve with format=xml"
              : "translate the whole page with --document html in place of --markup");
}

void require_whole_markup(const std::string& file, document::MarkupKind kind) {
  if (kind == document::MarkupKind::none || text::is_stream(file)) return;
  text::LineReader reader(file, text::LongLines::cut);
  for (std::string line; reader.next(line);)
    require_whole_markup({line}, reader.line_number(), kind, file);
  if (kind != document::MarkupKind::html) return;
  std::string beginning(text::kBeginning, '\0');
  beginning.resize(text::open_bytes(file)->read(beginning.data(), beginning.size()));
  if (const auto no_text = text::no_text(beginning); no_text && no_text->ending == "html")
    log::warn(
        "{}: is a page, and --markup reads each line by itself; --document html in place of "
        "--markup reads the sentences that stand on several lines",
        file);
}

void log_inlaid(const Inlaid& inlaid, const LineNumbers& numbers) {
  log_warnings(inlaid.warnings);
  const auto list_of = [&](const std::vector<std::size_t>& segments) {
    data::Notice lines;
    for (const std::size_t i : segments) lines.add(numbers.of(static_cast<int64_t>(i)));
    return lines.list();
  };
  if (!inlaid.repeated.empty())
    log::warn("--keep: the model has written an item once more than its source has it, line {}",
              list_of(inlaid.repeated));
  if (!inlaid.loose_braces.empty())
    log::warn(
        "--keep: a {{ that begins no placeholder is text, which the model may change, line {}",
        list_of(inlaid.loose_braces));
  if (!inlaid.whole_messages.empty())
    log::warn(
        "--keep: a message with plural forms or the like is one placeholder, and its text is not "
        "translated, line {}",
        list_of(inlaid.whole_messages));
}

std::vector<std::string> translate_marked(const LineTranslator& translator,
                                          const std::vector<std::string>& lines,
                                          const LineNumbers& numbers, document::MarkupKind kind,
                                          const text::KeepOptions& kept,
                                          const std::optional<study::AlignmentChoice>& choice) {
  require_words(translator);
  std::vector<document::SegmentedText> pages;
  for (const std::string& line : lines) pages.push_back(document::read_markup(line, kind, kept));
  const LinesRequest request = segments_of(pages, numbers);
  std::vector<Translation> found;
  if (!request.lines.empty()) found = with_logged_warnings(translator.translate(request));
  const Inlaid inlaid = put_inlays(translator, request, pages, choice, found);
  log_inlaid(inlaid, request.numbers);
  return with_segments(pages, found);
}

}  // namespace heed::decode
