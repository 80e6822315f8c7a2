#include "inspect/details.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "config/attention_kind.h"
#include "decode/search/encoded_lines.h"
#include "decode/search/lines_request.h"
#include "decode/search/reading.h"
#include "decode/search/search.h"
#include "study/attention_matrix.h"
#include "text/script.h"
#include "text/vocabulary.h"
#include "text/words.h"

namespace heed::inspect {
namespace {

/// A hypothesis with the attention of the model that reads it.
struct Attended {
  const std::string* line;
  const decode::Translation* translation;
  const decode::Hypothesis* hypothesis;
  Details* details;
  study::AttentionMatrix weights;  // by pieces; empty if nobody needs it
};

int64_t count_unknown(const decode::Hypothesis& hypothesis) {
  return std::count(hypothesis.ids.begin(), hypothesis.ids.end(), text::kUnknown);
}

/// Whether attention tells anything of it.
bool needs_weights(const Attended& one, const DetailOptions& options) {
  return options.alignment || (options.flags && options.attends) ||
         (options.replace_unknown &&
          count_unknown(*one.hypothesis) > std::ssize(one.translation->unknown_of_prefix));
}

/// Returns how many of the first ones have `most` weights together, or one that alone has more.
std::size_t part_of(std::span<const Attended> all, const DetailOptions& options, int64_t most) {
  int64_t sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!needs_weights(all[i], options)) continue;
    sum += std::ssize(all[i].translation->source_pieces) * (std::ssize(all[i].hypothesis->ids) + 1);
    if (i > 0 && sum > most) return i;
  }
  return all.size();
}

void attend(const decode::LineTranslator& translator, std::span<Attended> all,
            const DetailOptions& options) {
  std::vector<std::string> sources;
  std::vector<std::vector<int32_t>> targets;
  std::vector<Attended*> read;
  for (Attended& one : all) {
    if (!needs_weights(one, options)) continue;
    sources.push_back(*one.line);
    targets.push_back(one.hypothesis->ids);
    read.push_back(&one);
  }
  if (read.empty()) return;
  auto attended =
      decode::attention_maps(translator, sources, targets,
                             {.layers = {options.choice.layer}, .heads = {options.choice.head}});
  for (std::size_t i = 0; i < read.size(); ++i)
    read[i]->weights = std::move(attended[i].matrices.front());
}

/// Returns the text that replaces each <unk>, those of the prefix first.
std::vector<std::string> meanings_of(const Attended& one, const text::Vocabulary& source,
                                     bool reads) {
  std::vector<std::string> out = one.translation->unknown_of_prefix;
  const study::AttentionMatrix& weights = one.weights;
  if (count_unknown(*one.hypothesis) <= std::ssize(out) || weights.weights.empty()) return out;
  std::vector<std::string> surfaces = decode::source_surfaces(weights);
  std::vector<int32_t> ids = source.encode(*one.line);
  ids.resize(surfaces.size());                                  // of a line that was cut
  const std::vector<std::string> known = source.surfaces(ids);  // bytes as letters
  std::vector<bool> is_unknown;
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    is_unknown.push_back(ids[i] == text::kUnknown);
    if (!is_unknown[i]) surfaces[i] = known[i];
  }
  const std::size_t symbols = source.symbols_before(ids);
  surfaces.erase(surfaces.begin(), surfaces.begin() + static_cast<std::ptrdiff_t>(symbols));
  is_unknown.erase(is_unknown.begin(), is_unknown.begin() + static_cast<std::ptrdiff_t>(symbols));
  const std::vector<int32_t>& target = one.hypothesis->ids;
  std::size_t left = out.size();  // of the prefix
  for (std::size_t t = 0; t < target.size() && t + 1 < weights.target.size(); ++t) {
    if (target[t] != text::kUnknown) continue;
    if (left > 0) {
      --left;
      continue;
    }
    const std::size_t step = t + (reads ? 1 : 0);
    const std::span<const float> row(weights.weights.data() + step * weights.source.size(),
                                     weights.source.size());
    out.push_back(study::source_word_for(surfaces, is_unknown, row.subspan(symbols)));
  }
  return out;
}

/// Tells the links. Returns what each word of the source received; nothing where the words are
/// others.
std::vector<double> tell_of_attention(const Attended& one, const text::WordsOfParts& words,
                                      const decode::MemberText& member,
                                      const DetailOptions& options) {
  Details& details = *one.details;
  const text::WordsOfParts source = text::words_of_parts(decode::source_surfaces(one.weights));
  const auto given_words = static_cast<std::size_t>(text::count_words(*one.line));
  // If a line was cut, its first words are there, with their own numbers.
  const auto is_cut = [&] {
    return member.source.encode(*one.line).size() + 1 > one.weights.source.size();
  };
  details.other_words = source.words.size() > given_words ||
                        (source.words.size() < given_words && !is_cut()) ||
                        !study::separates_words(source) || !study::separates_words(words);
  if (details.other_words) return {};
  text::WordsOfParts read = words;  // a translation that was cut may have been read without its end
  read.first.resize(one.weights.target.size() - 1);
  const study::AttentionMatrix by_words = study::with_words(one.weights, read, source);
  if (options.alignment)
    details.alignment = study::word_alignment(by_words, options.choice.reads, options.least);
  if (!options.flags) return {};
  return study::received_attention(study::merge_words(by_words));
}

void tell(const Attended& one, const decode::MemberText& member, const DetailOptions& options) {
  const decode::Hypothesis& hypothesis = *one.hypothesis;
  Details& details = *one.details;
  std::vector<std::string> meanings = one.translation->unknown_of_prefix;
  if (options.replace_unknown && !one.translation->is_source) {
    meanings = meanings_of(one, member.source, options.choice.reads);
    details.text = member.target.decode(hypothesis.ids, meanings);
  }
  const text::WordsOfParts words =
      text::words_of_parts(member.target.surfaces(hypothesis.ids, meanings));
  for (const std::string& word : words.words) details.words.push_back({word, 0});
  details.end = hypothesis.log_probability;
  for (std::size_t i = 0; i < words.first.size(); ++i) {
    if (words.first[i] == words.words.size()) continue;
    details.words[words.first[i]].log_probability += hypothesis.token_log_probabilities[i];
    details.end -= hypothesis.token_log_probabilities[i];
  }
  std::vector<double> attention;
  if (options.alignment || (options.flags && options.attends))
    attention = tell_of_attention(one, words, member, options);
  if (!options.flags || one.translation->is_source) return;
  // Without the terms of a glossary that is inline.
  const int64_t source_pieces = std::min(std::ssize(one.translation->source_pieces) - 1,
                                         std::ssize(member.source.encode(*one.line)));
  details.flags = study::flags_of({.source = *one.line,
                                   .translation = details.text,
                                   .cut = hypothesis.cut,
                                   .source_pieces = source_pieces,
                                   .target_pieces = std::ssize(hypothesis.ids),
                                   .log_probability = hypothesis.log_probability,
                                   .attention = std::move(attention),
                                   .script = options.script,
                                   .copies = options.copies});
}

}  // namespace

int64_t mean_head_of(const model::Traits& traits, int64_t layer) {
  return traits.heads(config::AttentionKind::cross, layer) > 1 ? -1 : 0;
}

text::Script script_of(const text::Vocabulary& vocabulary) {
  std::vector<std::string> pieces;
  for (int32_t id = 0; id < vocabulary.size(); ++id) pieces.push_back(vocabulary.piece(id));
  return study::usual_script(pieces);
}

study::AlignmentChoice usual_choice(const model::Traits& traits) {
  const int64_t layer = std::max<int64_t>(traits.layers(config::AttentionKind::cross) - 2, 0);
  return {.layer = layer, .head = mean_head_of(traits, layer)};
}

std::vector<std::vector<Details>> details_of(const decode::LineTranslator& translator,
                                             const std::vector<std::string>& lines,
                                             const std::vector<decode::Translation>& translations,
                                             const DetailOptions& options, int64_t at_once) {
  std::vector<std::vector<Details>> out(lines.size());
  std::vector<Attended> all;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const decode::Translation& translation = translations[i];
    for (const std::string& text : translation.texts) out[i].push_back({.text = text});
    for (std::size_t n = 0; n < translation.hypotheses.size(); ++n)
      all.push_back({&lines[i], &translation, &translation.hypotheses[n], &out[i][n], {}});
  }
  if (!options.words && !options.alignment && !options.replace_unknown && !options.flags)
    return out;
  for (std::span<Attended> left(all); !left.empty();) {
    const std::span<Attended> part = left.first(part_of(left, options, at_once));
    attend(translator, part, options);
    for (Attended& one : part) {
      tell(one, translator.first_text(), options);
      one.weights = {};
    }
    left = left.subspan(part.size());
  }
  return out;
}

}  // namespace heed::inspect
