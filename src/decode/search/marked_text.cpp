#include "decode/search/marked_text.h"

#include <algorithm>
#include <numeric>

#include "base/log.h"
#include "decode/search/reading.h"

namespace heed::decode {
namespace {

/// By words, from a matrix of pieces. Nothing where the vocabulary finds other words in the texts,
/// which have `rows` and `words`.
std::optional<text::WordWeights> by_words(const study::AttentionMatrix& pieces,
                                          const text::WordsOfParts& target, std::size_t rows,
                                          std::size_t words, bool was_cut, bool reads) {
  const text::WordsOfParts source = text::words_of_parts(source_surfaces(pieces));
  const std::size_t columns = source.words.size();
  if (target.words.size() != rows || columns > words || (columns < words && !was_cut))
    return std::nullopt;
  text::WordWeights out{columns, std::vector<double>(rows * columns)};
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

/// A text whose inlays want a place.
struct Wanted {
  const text::Segment* segment;
  Translation* translation;
  std::size_t hypothesis;

  std::string& text() const { return translation->texts[hypothesis]; }
  const std::vector<int32_t>& ids() const { return translation->hypotheses[hypothesis].ids; }
  std::size_t weights() const { return (ids().size() + 1) * translation->source_pieces.size(); }
};

/// The first ones whose matrices are held together.
std::span<const Wanted> part_of(std::span<const Wanted> all) {
  constexpr std::size_t kMostWeights = 1 << 24;
  std::size_t count = 0;
  for (std::size_t sum = 0; count < all.size() && sum < kMostWeights; ++count)
    sum += all[count].weights();
  return all.first(count);
}

void place(LineTranslator& translator, std::span<const Wanted> wanted, text::MarkupKind kind,
           const std::optional<study::AlignmentChoice>& choice) {
  std::vector<std::string> sources;
  std::vector<std::vector<int32_t>> targets;
  for (const Wanted& one : wanted) {
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
    std::optional<text::WordWeights> weights;
    if (choice)
      weights = by_words(read[i].matrices.front(),
                         text::words_of_parts(translator.first_text().target.surfaces(
                             targets[i], wanted[i].translation->unknown_of_prefix)),
                         rows, words, std::ssize(read[i].source_pieces) > translator.source_limit(),
                         choice->reads);
    if (!weights)
      weights = text::diagonal_weights(
          rows, std::min(words, wanted[i].translation->source_pieces.size()));
    wanted[i].text() = text::with_inlays(*wanted[i].segment, kind, wanted[i].text(), *weights);
  }
}

/// Lines with markup by their numbers.
std::vector<std::string> translate_numbered(LineTranslator& translator,
                                            const std::vector<text::Markup>& lines,
                                            const std::vector<int64_t>& numbers,
                                            const std::optional<study::AlignmentChoice>& choice,
                                            data::Notice& repeated) {
  std::vector<const text::Segment*> segments;
  std::vector<std::string> texts;
  std::vector<std::size_t> line_of;
  translator.shown_numbers.clear();
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (const text::Segment& segment : lines[i].segments()) {
      segments.push_back(&segment);
      texts.push_back(segment.text);
      line_of.push_back(i);
      translator.shown_numbers.push_back(numbers[i]);
    }
  std::vector<Translation> found;
  if (!texts.empty()) found = translator.translate(texts);

  std::vector<text::Markup> again;
  std::vector<int64_t> numbers_again;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const text::Markup& line = lines[line_of[i]];
    const auto there = text::kept_items_in(texts[i], line.kept()),
               here = text::kept_items_in(found[i].text, line.kept());
    const auto count = [](const auto& items, const std::string& item) {
      const auto place = items.find(item);
      return place == items.end() ? 0 : place->second;
    };
    text::Kept kept = line.kept();
    for (const auto& [item, times] : there)
      if (count(here, item) != times) kept.taken.insert(item);
    if (kept.taken.size() > line.kept().taken.size()) {
      text::Markup other(segments[i]->raw, line.kind(), std::move(kept));
      if (other.segments().empty() || other.segments()[0].text != texts[i]) {
        again.push_back(std::move(other));
        numbers_again.push_back(numbers[line_of[i]]);
        which.push_back(i);
        continue;
      }
    }
    if (std::ranges::any_of(
            here, [&](const auto& item) { return item.second > count(there, item.first); }))
      repeated.add(numbers[line_of[i]]);
  }
  if (!found.empty()) put_inlays(translator, segments, lines[0].kind(), choice, found);
  if (!again.empty()) {
    const auto better = translate_numbered(translator, again, numbers_again, choice, repeated);
    for (std::size_t i = 0; i < which.size(); ++i) found[which[i]].text = better[i];
  }
  std::vector<std::string> out;
  for (auto next = found.begin(); const text::Markup& line : lines) {
    std::vector<std::string> of_line;
    for (std::size_t i = 0; i < line.segments().size(); ++i) of_line.push_back((next++)->text);
    out.push_back(line.with(of_line));
  }
  return out;
}

}  // namespace

void put_inlays(LineTranslator& translator, std::span<const text::Segment* const> segments,
                text::MarkupKind kind, const std::optional<study::AlignmentChoice>& choice,
                std::vector<Translation>& translations) {
  std::vector<Wanted> all;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    Translation& one = translations[i];
    if (one.hypotheses.empty()) one.texts = {text::with_inlays(*segments[i], kind, "", {})};
    for (std::size_t n = 0; n < one.hypotheses.size(); ++n)
      if (segments[i]->inlays.empty())
        one.texts[n] = text::with_inlays(*segments[i], kind, one.texts[n], {});
      else
        all.push_back({segments[i], &one, n});
  }
  for (std::span<const Wanted> left(all); !left.empty();) {
    const auto part = part_of(left);
    place(translator, part, kind, choice);
    left = left.subspan(part.size());
  }
  for (Translation& one : translations) one.text = one.texts[0];
}

std::vector<std::string> translate_marked(LineTranslator& translator,
                                          const std::vector<std::string>& lines, int64_t first_line,
                                          text::MarkupKind kind, const text::Kept& kept,
                                          const std::optional<study::AlignmentChoice>& choice) {
  std::vector<text::Markup> all;
  for (const std::string& line : lines) all.emplace_back(line, kind, kept);
  std::vector<int64_t> numbers(lines.size());
  std::iota(numbers.begin(), numbers.end(), first_line);
  data::Notice repeated;
  auto out = translate_numbered(translator, all, numbers, choice, repeated);
  translator.shown_numbers.clear();
  if (repeated.count > 0)
    log::warn("--keep: the model has written an item once more than its source has it, line {}",
              repeated.list());
  return out;
}

}  // namespace heed::decode
