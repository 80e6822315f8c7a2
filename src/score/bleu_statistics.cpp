#include "score/bleu_statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <regex>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/strings.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::score {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// mteval-v13a. The four rules work on bytes: what they look for is ASCII, and no byte of a longer
// character is. Punctuation is all of ASCII's except ' - . and the comma; the blank is among it.
std::vector<std::string> tokens_13a(std::string line) {
  static const std::regex punctuation(R"([{-~[-` -&(-+:-@/])"), stop_after(R"(([^0-9])([.,]))"),
      stop_before(R"(([.,])([^0-9]))"), dash("([0-9])(-)");
  replace_all(line, "<skipped>", "");
  replace_all(line, "&quot;", "\"");
  replace_all(line, "&amp;", "&");
  replace_all(line, "&lt;", "<");
  replace_all(line, "&gt;", ">");
  line = std::regex_replace(' ' + line + ' ', punctuation, " $& ");
  line = std::regex_replace(line, stop_after, "$1 $2 ");
  line = std::regex_replace(line, stop_before, " $1 $2");
  return text::unicode_words(std::regex_replace(line, dash, "$1 $2 "));
}

std::vector<std::string> characters(const std::string& line) {
  std::vector<std::string> out;
  for (const char32_t c : text::decode_utf8(line)) {
    if (!text::is_python_space(c)) out.push_back(text::encode_utf8(std::u32string_view(&c, 1)));
  }
  return out;
}

using Counts = std::unordered_map<std::string, int64_t>;

// No token holds a blank, so tokens joined by blanks name an n-gram.
Counts count_ngrams(const std::vector<std::string>& tokens, std::size_t order) {
  Counts counts;
  for (std::size_t i = 0; i + order <= tokens.size(); ++i) {
    std::string key = tokens[i];
    for (std::size_t j = 1; j < order; ++j) key += ' ' + tokens[i + j];
    ++counts[key];
  }
  return counts;
}

BleuStatistics compare(const std::vector<std::string>& hypothesis,
                       const std::vector<std::string>& reference) {
  BleuStatistics result;
  result.hypothesis_length = std::ssize(hypothesis);
  result.reference_length = std::ssize(reference);
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    const Counts reference_counts = count_ngrams(reference, n + 1);
    for (const auto& [ngram, count] : count_ngrams(hypothesis, n + 1)) {
      result.totals[n] += count;
      const auto found = reference_counts.find(ngram);
      if (found != reference_counts.end()) result.matches[n] += std::min(count, found->second);
    }
  }
  return result;
}

double brevity_penalty(const BleuStatistics& sum) {
  if (sum.hypothesis_length >= sum.reference_length) return 1;
  if (sum.hypothesis_length == 0) return 0;
  return std::exp(1.0 - static_cast<double>(sum.reference_length) /
                            static_cast<double>(sum.hypothesis_length));
}

}  // namespace

BleuStatistics& BleuStatistics::operator+=(const BleuStatistics& other) {
  hypothesis_length += other.hypothesis_length;
  reference_length += other.reference_length;
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    matches[n] += other.matches[n];
    totals[n] += other.totals[n];
  }
  return *this;
}

BleuScore bleu(const BleuStatistics& sum) {
  BleuScore result{.brevity_penalty = brevity_penalty(sum),
                   .length_ratio = ratio(sum.hypothesis_length, sum.reference_length)};
  const bool any = std::any_of(sum.matches.begin(), sum.matches.end(), [](int64_t m) { return m; });
  if (!any) return result;
  double smoothing = 1, log_sum = 0;
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    // No n-gram of this order at all: sacrebleu's precision is 0 and so is the score.
    if (sum.totals[n] == 0) return result;
    double matches = static_cast<double>(sum.matches[n]);
    if (sum.matches[n] == 0) matches = 1 / (smoothing *= 2);
    log_sum += std::log(100 * matches / static_cast<double>(sum.totals[n]));
  }
  result.score = result.brevity_penalty * std::exp(log_sum / kBleuOrder);
  return result;
}

bool knows_tokenizer(std::string_view name) {
  return name == "13a" || name == "char" || name == "none";
}

std::string known_tokenizer(const std::string& tokenizer, std::span<const std::string> lines) {
  if (text::are_unsegmented(lines)) return "char";
  return knows_tokenizer(tokenizer) ? tokenizer : "13a";
}

std::vector<std::string> bleu_tokens(std::string_view line, std::string_view tokenizer,
                                     bool lowercase) {
  expect(knows_tokenizer(tokenizer), "a BLEU tokenizer that heed does not know");
  std::string text = lowercase ? text::lower_case(line) : std::string(line);
  if (tokenizer == "none") return text::unicode_words(text);
  return tokenizer == "char" ? characters(text) : tokens_13a(std::move(text));
}

void require_references(std::span<const std::string> hypotheses,
                        std::span<const std::string> references) {
  if (hypotheses.size() == references.size()) return;
  throw UserError(
      "there are {} hypotheses and {} references; scoring needs one reference line per hypothesis",
      hypotheses.size(), references.size());
}

std::vector<BleuStatistics> bleu_statistics(std::span<const std::string> hypotheses,
                                            std::span<const std::string> references,
                                            std::string_view tokenizer, bool lowercase) {
  require_references(hypotheses, references);
  std::vector<BleuStatistics> result;
  result.reserve(hypotheses.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    result.push_back(compare(bleu_tokens(hypotheses[i], tokenizer, lowercase),
                             bleu_tokens(references[i], tokenizer, lowercase)));
  }
  return result;
}

BleuStatistics sum(std::span<const BleuStatistics> sentences) {
  BleuStatistics total;
  for (const BleuStatistics& sentence : sentences) total += sentence;
  return total;
}

WordCounts word_counts(std::span<const std::string> hypotheses,
                       std::span<const std::string> references, std::string_view tokenizer,
                       bool lowercase) {
  require_references(hypotheses, references);
  WordCounts out;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const Counts said = count_ngrams(bleu_tokens(hypotheses[i], tokenizer, lowercase), 1),
                 reference_counts =
                     count_ngrams(bleu_tokens(references[i], tokenizer, lowercase), 1);
    for (const auto& [word, count] : reference_counts) {
      const auto found = said.find(word);
      const int64_t times = found == said.end() ? 0 : found->second;
      out.reference += count;
      out.dropped += std::max<int64_t>(0, count - times);
    }
    for (const auto& [word, count] : said) {
      const auto found = reference_counts.find(word);
      const int64_t once =
          std::max<int64_t>(1, found == reference_counts.end() ? 0 : found->second);
      out.repeated += std::max<int64_t>(0, count - once);
    }
  }
  return out;
}

std::vector<std::vector<double>> bootstrap(std::span<const std::vector<BleuStatistics>> systems,
                                           int64_t draws, uint64_t seed) {
  expect(!systems.empty() && !systems[0].empty(), "a bootstrap needs sentences");
  const std::size_t sentences = systems[0].size();
  for (const auto& system : systems)
    expect(system.size() == sentences, "systems of one bootstrap share their sentences");
  Random random(seed);
  std::vector<std::vector<double>> scores(systems.size());
  std::vector<BleuStatistics> sums(systems.size());
  for (int64_t draw = 0; draw < draws; ++draw) {
    std::fill(sums.begin(), sums.end(), BleuStatistics{});
    for (std::size_t i = 0; i < sentences; ++i) {
      const auto sentence = static_cast<std::size_t>(random.below(sentences));
      for (std::size_t s = 0; s < systems.size(); ++s) sums[s] += systems[s][sentence];
    }
    for (std::size_t s = 0; s < systems.size(); ++s) scores[s].push_back(bleu(sums[s]).score);
  }
  return scores;
}

Interval middle_95(std::vector<double> values) {
  expect(!values.empty(), "an interval needs draws");
  std::sort(values.begin(), values.end());
  const std::size_t tail = values.size() / 40;
  return {values[tail], values[values.size() - 1 - tail]};
}

Comparison compare_draws(std::span<const double> system, std::span<const double> baseline,
                         double difference) {
  expect(!system.empty() && system.size() == baseline.size(), "paired draws are equal in number");
  std::vector<double> differences(system.size());
  std::transform(system.begin(), system.end(), baseline.begin(), differences.begin(),
                 std::minus<>());
  const auto [least, most] = std::ranges::minmax(differences);
  const bool vary = most > least;  // else, as with one sentence, no draw tells anything of chance
  const double count = static_cast<double>(differences.size());
  const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) / count;
  double wins = 0, as_large = 0;
  for (const double d : differences) {
    wins += d > 0;
    as_large += std::abs(d - mean) >= std::abs(difference);
  }
  return {.difference = difference,
          .interval = middle_95(std::move(differences)),
          .wins = wins / count,
          .p_value = vary ? (as_large + 1) / (count + 1) : 1};
}

std::string with_sign(double value, int digits) {
  return (value > 0 ? "+" : "") + fixed(value, digits);
}

std::string with_signs(const Interval& interval, int digits) {
  return with_sign(interval.low, digits) + " to " + with_sign(interval.high, digits);
}

std::string p_text(double p_value) {
  return p_value < 0.001 ? "p < 0.001" : "p = " + fixed(p_value, 3);
}

double Proportion::value() const {
  return of == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(of);
}

bool Proportion::reaches(double percent) const {
  if (of == 0) return percent <= 0;
  return at_least_percent(static_cast<double>(hits), percent, static_cast<double>(of));
}

Interval Proportion::interval() const {
  if (of == 0) return {0, 1};
  constexpr double kNormal = 1.959963984540054;  // 97.5 % of a normal distribution lies below
  const double n = static_cast<double>(of), p = value(), z2 = kNormal * kNormal;
  const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kNormal / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  return {std::max(middle - half, 0.0), std::min(middle + half, 1.0)};
}

std::vector<std::string> row_of(const std::string& name, const Proportion& share) {
  const Interval interval = share.interval();
  return {name, std::to_string(share.of), std::to_string(share.hits), fixed(100 * share.value(), 2),
          fixed(100 * interval.low, 2) + " .. " + fixed(100 * interval.high, 2)};
}

bool at_least_percent(double part, double percent, double whole) {
  return 100 * part >= percent * whole;
}

}  // namespace heed::score
