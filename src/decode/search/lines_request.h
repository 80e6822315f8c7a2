// The request to a translator and its result, as values: two requests share no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decode/search/config.h"
#include "decode/search/glossary.h"
#include "decode/search/search.h"

namespace heed::decode {

/// The numbers by which messages name the lines of a request. They also say which random stream
/// each line is sampled from. A chunk of a text has the numbers of the text, so that it gets the
/// same samples.
class LineNumbers {
 public:
  /// The numbers are `first`, `first` + `step`, ...
  LineNumbers(int64_t first = 1, int64_t step = 1) : first_(first), step_(step) {}
  /// The numbers are these, ascending; a number that occurs several times is a line of several
  /// sentences.
  explicit LineNumbers(std::vector<int64_t> numbers)
      : numbers_(std::make_shared<const std::vector<int64_t>>(std::move(numbers))) {}

  /// Returns the number of line `i`, which counts from 0.
  int64_t of(int64_t i) const;
  /// Returns the random stream of line `i`: its number for the first sentence of a line of the
  /// text; further sentences have other streams.
  uint64_t stream_of(int64_t i) const;
  /// Returns the numbers of the lines from `i` on.
  LineNumbers from(int64_t i) const;
  /// Returns the numbers of these lines, which ascend, as if the text had no others; where nothing
  /// is left out between the first and the last of them, those of from().
  LineNumbers only(const std::vector<std::size_t>& lines) const;

 private:
  std::shared_ptr<const std::vector<int64_t>> numbers_;  // null: first_ and step_ say them
  int64_t first_ = 1, step_ = 1;
};

/// Lines, and how they are translated.
struct LinesRequest {
  std::vector<std::string> lines;
  /// The text that the translation of each line begins with, after the target vocabulary's
  /// beginning(). Empty: no line has one. The translation of a line without pieces is empty in any
  /// case.
  std::vector<std::string> prefixes = {};
  LineNumbers numbers = {};
  /// Replaces the translator's configuration, except for its shortlist, glossary and weights.
  std::optional<DecodeConfig> search = {};
  /// Replaces the terms of decoding.glossary; made by LineTranslator::glossary_of().
  std::shared_ptr<const Glossary> glossary = {};
  bool keep_attention = false;
};

/// Returns the request for these lines of a request, ascending, with their prefixes and numbers.
LinesRequest part_of(const LinesRequest& request, const std::vector<std::size_t>& lines);

/// Functions by which a caller watches and ends a translation. Several threads call them.
struct SearchHooks {
  /// Called before each batch and each of its steps: once it returns true, the lines that are left
  /// get no hypotheses, nor do those of a batch that is being searched.
  std::function<bool()> interrupted = {};
  /// Called after each batch with the number of its lines.
  std::function<void(int64_t lines)> searched = {};
};

struct Translation {
  std::string text;                        // best hypothesis; empty for an empty line
  std::vector<Hypothesis> hypotheses;      // n_best, best first; empty for an empty line
  std::vector<std::string> texts;          // one per hypothesis
  std::vector<std::string> source_pieces;  // of the first member, with </s> at the end
  /// The parts of the prefix that the target vocabulary does not know, as the prefix spells them.
  /// They are the first <unk> of each hypothesis.
  std::vector<std::string> unknown_of_prefix;
  /// Whether the line has no letter and no digit, and came back as it is. The one hypothesis has
  /// its pieces and the probability 1.
  bool is_source = false;
};

struct LinesResult {
  std::vector<Translation> translations;  // one per line, in order
  /// Warnings for the user, one sentence each, about lines that were cut or whose translation was
  /// cut, lines with far more unknown pieces than in training, and terms that were not obeyed. The
  /// caller decides whether to log them.
  std::vector<std::string> warnings;
  double text_seconds = 0;    // from lines to pieces and back
  double search_seconds = 0;  // encoder, decoder, beams
};

/// Logs each of LinesResult::warnings.
void log_warnings(const std::vector<std::string>& warnings);

/// Logs the warnings and returns the translations.
std::vector<Translation> with_logged_warnings(LinesResult result);

}  // namespace heed::decode
