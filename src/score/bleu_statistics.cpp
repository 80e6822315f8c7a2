#include "score/bleu_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "text/unicode.h"
#include "text/words.h"

namespace heed::score {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_stop(char c) {
  return c == '.' || c == ',';
}

// mteval-v13a's punctuation: all of ASCII's except ' - . and the two stops; the blank is among
// them.
bool is_split(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string split_punctuation(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (is_split(c)) {
      out += {' ', c, ' '};
    } else {
      out += c;
    }
  }
  return out;
}

// Where two neighbours match, both are consumed, as a regular expression's substitution does.
template <class Matches, class Write>
std::string rewrite_pairs(const std::string& text, Matches matches, Write write) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && matches(text[i], text[i + 1])) {
      write(out, text[i], text[i + 1]);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

// The four rules work on bytes: what they look for is ASCII, and no byte of a longer character is.
std::vector<std::string> tokens_13a(std::string line) {
  replace_all(line, "<skipped>", "");
  if (line.find('&') != std::string::npos) {
    replace_all(line, "&quot;", "\"");
    replace_all(line, "&amp;", "&");
    replace_all(line, "&lt;", "<");
    replace_all(line, "&gt;", ">");
  }
  const auto apart = [](std::string& out, char a, char b) { out += {a, ' ', b, ' '}; };
  line = split_punctuation(' ' + line + ' ');
  line = rewrite_pairs(
      line, [](char a, char b) { return !is_digit(a) && is_stop(b); }, apart);
  line = rewrite_pairs(
      line, [](char a, char b) { return is_stop(a) && !is_digit(b); },
      [](std::string& out, char a, char b) {
        out += {' ', a, ' ', b};
      });
  line = rewrite_pairs(
      line, [](char a, char b) { return is_digit(a) && b == '-'; }, apart);
  return text::unicode_words(line);
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
    const Counts wanted = count_ngrams(reference, n + 1);
    for (const auto& [ngram, count] : count_ngrams(hypothesis, n + 1)) {
      result.totals[n] += count;
      const auto found = wanted.find(ngram);
      if (found != wanted.end()) result.matches[n] += std::min(count, found->second);
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
  BleuScore result{.brevity_penalty = brevity_penalty(sum)};
  if (sum.reference_length > 0) {
    result.length_ratio =
        static_cast<double>(sum.hypothesis_length) / static_cast<double>(sum.reference_length);
  }
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

std::string known_tokenizer(const std::string& wanted, std::span<const std::string> lines) {
  if (text::are_written_together(lines)) return "char";
  return knows_tokenizer(wanted) ? wanted : "13a";
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

namespace {

std::map<std::string, int64_t> counts_of(const std::vector<std::string>& words) {
  std::map<std::string, int64_t> counts;
  for (const std::string& word : words) ++counts[word];
  return counts;
}

double share(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

double WordCounts::repeated_share() const {
  return share(repeated, reference);
}

double WordCounts::dropped_share() const {
  return share(dropped, reference);
}

WordCounts word_counts(std::span<const std::string> hypotheses,
                       std::span<const std::string> references, std::string_view tokenizer,
                       bool lowercase) {
  require_references(hypotheses, references);
  WordCounts out;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const auto said = counts_of(bleu_tokens(hypotheses[i], tokenizer, lowercase));
    const auto wanted = counts_of(bleu_tokens(references[i], tokenizer, lowercase));
    for (const auto& [word, count] : wanted) {
      const auto found = said.find(word);
      const int64_t times = found == said.end() ? 0 : found->second;
      out.reference += count;
      out.dropped += std::max<int64_t>(0, count - times);
    }
    for (const auto& [word, count] : said) {
      const auto found = wanted.find(word);
      const int64_t once = std::max<int64_t>(1, found == wanted.end() ? 0 : found->second);
      out.repeated += std::max<int64_t>(0, count - once);
    }
  }
  return out;
}

}  // namespace heed::score
