#include "serve/answers/answers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include "base/error.h"
#include "decode/search/decoding_steps.h"
#include "decode/search/encoded_lines.h"
#include "decode/search/glossary.h"
#include "decode/search/lines_request.h"
#include "decode/search/next_words.h"
#include "decode/search/reading.h"
#include "decode/search/search.h"
#include "study/attention_matrix.h"
#include "study/decoding_steps.h"
#include "text/vocabulary.h"
#include "text/words.h"

namespace heed::serve {
namespace {

using config::AttentionKind;
using study::AttendedSentence;

constexpr int64_t kLongest = 128;  // most pieces of a side for which attention is shown

double rounded(double value, double units) {
  return std::isfinite(value) ? std::round(value * units) / units : 0.0;
}

/// The names of the lists of tokens for the rows and for the columns of a kind.
std::pair<const char*, const char*> sides_of(AttentionKind kind) {
  if (kind == AttentionKind::encoder) return {"source", "source"};
  return {"target", kind == AttentionKind::decoder ? "read" : "source"};
}

/// The reason why no attention is shown for a sentence and a translation of so many pieces; empty
/// where it is shown.
std::string why_not_shown(const ShownModel& model, std::size_t source, std::size_t target) {
  if (model.kinds.empty()) return "The model does not attend.";
  const bool long_source = std::cmp_greater(source, kLongest);
  if (!long_source && std::cmp_less_equal(target, kLongest)) return "";
  return fmt::format("{} has {} pieces; attention is shown of up to {}.",
                     long_source ? "The sentence" : "The translation",
                     long_source ? source : target, kLongest);
}

/// Removes the mean of each layer that has one head only, because it equals this head.
void drop_equal_means(std::vector<study::AttentionMatrix>& matrices) {
  std::set<std::pair<AttentionKind, int64_t>> several;
  for (const study::AttentionMatrix& matrix : matrices)
    if (matrix.head > 0) several.emplace(matrix.kind, matrix.layer);
  std::erase_if(matrices, [&](const study::AttentionMatrix& matrix) {
    return matrix.head < 0 && !several.contains({matrix.kind, matrix.layer});
  });
}

/// The weights with four decimals, or with two digits where these would be 0: a temperature may
/// make them visible.
Json weights_of(const study::AttentionMatrix& matrix) {
  std::vector<std::vector<double>> rows = study::rounded_rows(matrix);
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t column = 0; column < rows[row].size(); ++column)
      if (const double weight = matrix.at(row, column); weight > 0 && rows[row][column] == 0) {
        const double unit = std::pow(10, 1 - std::floor(std::log10(weight)));
        rows[row][column] = std::round(unit * weight) / unit;
      }
  return rows;
}

/// The tokens and matrices of a sentence:
///   {"tokens": {"source": [...], "target": [...], "read": [...]},
///    "matrices": [{"kind", "layer", "head", "rows", "columns", "weights": [[...], ...]}, ...]}
Json matrices_of(const AttendedSentence& sentence) {
  std::vector<std::string> read = {"<s>"};
  if (!sentence.target_pieces.empty())
    read.insert(read.end(), sentence.target_pieces.begin(), sentence.target_pieces.end() - 1);
  Json matrices = Json::array();
  for (const study::AttentionMatrix& matrix : sentence.matrices) {
    const auto [rows, columns] = sides_of(matrix.kind);
    matrices.push_back({{"kind", name_of(matrix.kind)},
                        {"layer", matrix.layer},
                        {"head", matrix.head},
                        {"rows", rows},
                        {"columns", columns},
                        {"weights", weights_of(matrix)}});
  }
  return {
      {"tokens",
       {{"source", sentence.source_pieces}, {"target", sentence.target_pieces}, {"read", read}}},
      {"matrices", std::move(matrices)}};
}

/// A request for the best translation of a line among those that begin with `prefix`.
decode::LinesRequest best_of(const decode::LineTranslator& translator, const std::string& line,
                             const std::string& prefix) {
  return {.lines = {line}, .prefixes = {prefix}, .search = with_n_best(translator.config(), 1)};
}

/// Whether the translator read less than the whole line.
bool was_cut(const decode::LineTranslator& translator, const std::string& line,
             const decode::Glossary* glossary, const decode::Translation& found) {
  const int64_t limit = translator.source_limit();
  if (std::ssize(found.source_pieces) <= limit / 2)
    return false;  // true for most lines, which need not be encoded again
  return std::ranges::any_of(translator.texts(), [&](const decode::MemberText& member) {
    return std::ssize(member.source.encode(translator.with_terms(line, glossary), limit)) > limit;
  });
}

}  // namespace

std::string text_of(const Json& body) {
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json words_of(const text::Vocabulary& vocabulary, const decode::Translation& translation,
              std::size_t forced) {
  Json out = Json::array();
  if (translation.hypotheses.empty()) return out;
  const decode::Hypothesis& best = translation.hypotheses.front();
  const std::vector<std::string>& unknown = translation.unknown_of_prefix;
  const text::WordsOfParts words = text::words_of_parts(vocabulary.surfaces(best.ids, unknown));
  std::vector<std::size_t> first(words.words.size(), best.ids.size());
  std::vector<double> log_probability(words.words.size());
  for (std::size_t i = 0; i < words.first.size(); ++i) {
    const std::size_t word = words.first[i];
    if (word == words.words.size()) continue;
    first[word] = std::min(first[word], i);
    log_probability[word] += best.token_log_probabilities[i];
  }
  for (std::size_t word = 0; word < words.words.size(); ++word) {
    const std::vector<int32_t> before(best.ids.begin(),
                                      best.ids.begin() + static_cast<std::ptrdiff_t>(first[word]));
    out.push_back({{"word", words.words[word]},
                   {"prefix", vocabulary.decode(before, unknown)},
                   {"probability", rounded(std::exp(log_probability[word]), 1e6)},
                   {"forced", first[word] < forced}});
  }
  return out;
}

void require_short_prefix(const decode::LineTranslator& translator, const std::string& prefix) {
  const int64_t most = translator.source_limit();
  if (std::ssize(translator.first_text().target.encode(prefix, most)) > most)
    throw UserError("prefix: has more than the {} pieces that fit", most);
}

void tell_losses(const decode::LineTranslator& translator, const decode::LinesRequest& request,
                 const std::vector<std::size_t>& numbers,
                 const std::vector<decode::Translation>& found, Json& body) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (was_cut(translator, request.lines[i], request.glossary.get(), found[i]))
      body["cutLines"].push_back(numbers[i]);
    if (found[i].hypotheses.empty()) continue;
    const decode::Hypothesis& best = found[i].hypotheses[0];
    if (best.cut) body["cutTranslations"].push_back(numbers[i]);
    if (best.missing > 0) body["missingTerms"].push_back(numbers[i]);
  }
}

AttentionAnswer attention_of(const ShownModel& model, const decode::LineTranslator& translator,
                             const AttentionQuestion& question) {
  const decode::MemberText& text = translator.first_text();
  AttentionAnswer answer;
  Json& body = answer.body;
  body["model"] = model.name;
  std::vector<std::vector<int32_t>> read;  // the translation, if there is one
  if (question.translation) {
    body["translatedText"] = *question.translation;
    read.push_back(text.target.encode(*question.translation));
  } else {
    const decode::LinesRequest request = best_of(translator, question.line, question.prefix);
    const decode::LinesResult result = translator.translate(request);
    const std::vector<decode::Translation>& found = result.translations;
    answer.search_seconds = result.search_seconds;
    body["translatedText"] = found[0].text;
    body["words"] = words_of(text.target, found[0], text.target.encode(question.prefix).size());
    tell_losses(translator, request, {1}, found, body);
    // A blank line has no translation, and no attention to show.
    if (!found[0].hypotheses.empty()) read.push_back(found[0].hypotheses[0].ids);
  }
  const std::string line = translator.with_terms(question.line);
  const std::string why =
      why_not_shown(model, text.source.encode(line).size(), read.empty() ? 0 : read[0].size());
  AttendedSentence attended;
  if (!why.empty()) {
    body["noAttention"] = why;
  } else if (!read.empty()) {
    const decode::AttentionRequest request{.kinds = question.kinds,
                                           .heads = {decode::kEvery, decode::kMeanOfHeads}};
    attended = question.translation ? attention_maps(translator, {line},
                                                     std::vector{*question.translation}, request)[0]
                                    : attention_maps(translator, {line}, read, request)[0];
  }
  drop_equal_means(attended.matrices);
  body["usual"] = {{"layer", model.layer}, {"head", model.head}};
  body["softmax"] = names_of(model.softmax_kinds);
  body.update(matrices_of(attended));
  return answer;
}

Json steps_of(const ShownModel& model, const model::ModelConfig& config,
              const decode::LineTranslator& translator, const std::string& line,
              const std::string& prefix) {
  const auto found = translator.translate(best_of(translator, line, prefix)).translations;
  Json body{{"model", model.name}, {"translatedText", found[0].text}, {"sentences", Json::array()}};
  if (found[0].hypotheses.empty()) return body;
  const decode::Reading reading =
      decode::reading_of(translator, translator.with_terms(line), found[0].hypotheses[0].ids);
  const std::string why =
      why_not_shown(model, reading.example.source.size(), reading.example.target.size());
  if (!why.empty())
    body["noAttention"] = why;
  else if (translator.network() == nullptr)
    body["noAttention"] =
        "Steps are shown where an engine translates: on a CPU, and without mechanisms that were "
        "added "
        "to a registry.";
  else
    body["sentences"].push_back(study::json_of(decode::decoding_steps(
        *translator.network(), translator.first_text().target, config, reading)));
  return body;
}

Json candidates_of(const decode::LineTranslator& translator, const std::string& line,
                   const std::string& prefix, int64_t count) {
  Json out = Json::array();
  for (const decode::NextWord& word :
       decode::next_words(translator, translator.with_terms(line), prefix, count))
    out.push_back({{"word", word.word},
                   {"prefix", word.prefix},
                   {"probability", rounded(word.probability, 1e6)},
                   {"continues", word.continues},
                   {"ends", word.ends}});
  return {{"candidates", std::move(out)}};
}

}  // namespace heed::serve
