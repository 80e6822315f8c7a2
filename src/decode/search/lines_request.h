// What a translator is asked for and what it answers, as values: two requests share no state.
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

/// What the lines of a request are called in messages, and which random stream each is drawn from.
/// A window of a text has the numbers of the text, so that it gets the same samples.
class LineNumbers {
 public:
  /// 1, 2, ...; or `first`, `first` + `step`, ...
  LineNumbers(int64_t first = 1, int64_t step = 1) : first_(first), step_(step) {}
  /// Those of a text, ascending, of which a line may be several sentences.
  explicit LineNumbers(std::vector<int64_t> numbers)
      : numbers_(std::make_shared<const std::vector<int64_t>>(std::move(numbers))) {}

  /// Line `i` counts from 0.
  int64_t of(int64_t i) const;
  /// The number is the stream of the first sentence of a line; further ones have other streams.
  uint64_t stream_of(int64_t i) const;
  /// Those of the lines from `i` on, as they are here.
  LineNumbers from(int64_t i) const;
  /// Those of these lines, ascending, as if the text had no others.
  LineNumbers only(const std::vector<std::size_t>& lines) const;

 private:
  std::shared_ptr<const std::vector<int64_t>> numbers_;  // null: the numbers themselves
  int64_t first_ = 1, step_ = 1;
};

/// Lines, and how they are translated.
struct LinesRequest {
  std::vector<std::string> lines;
  /// For each line the text that its translation begins with, after the target vocabulary's
  /// beginning(). Empty: none has one. A line without pieces stays empty all the same.
  std::vector<std::string> prefixes = {};
  LineNumbers numbers = {};
  /// In place of the translator's configuration, whose shortlist, glossary and weights remain.
  std::optional<DecodeConfig> search = {};
  /// In place of the terms of decoding.glossary; by LineTranslator::glossary_of().
  std::shared_ptr<const Glossary> glossary = {};
  bool keep_attention = false;
};

/// These lines of a request, ascending, with their prefixes and numbers.
LinesRequest part_of(const LinesRequest& request, const std::vector<std::size_t>& lines);

/// What a caller watches and ends; called by several threads.
struct SearchHooks {
  /// Asked before each batch: once it says true, the lines that are left get no hypotheses.
  std::function<bool()> interrupted = {};
  /// Told after each batch of how many lines the search has ended.
  std::function<void(int64_t lines)> searched = {};
};

struct Translation {
  std::string text;                        // best hypothesis; empty for an empty line
  std::vector<Hypothesis> hypotheses;      // n_best, best first; empty for an empty line
  std::vector<std::string> texts;          // one per hypothesis
  std::vector<std::string> source_pieces;  // of the first member, with </s> at the end
  /// What the target vocabulary does not know of the prefix, as that spells it: the first <unk> of
  /// each hypothesis.
  std::vector<std::string> unknown_of_prefix;
};

struct LinesResult {
  std::vector<Translation> translations;  // one per line, in order
  /// For the user, one sentence each: lines that were cut, whose translation was, with far more
  /// unknown pieces than in training, and terms that were not obeyed. For callers to log, or not.
  std::vector<std::string> warnings;
  double text_seconds = 0;    // from lines to pieces and back
  double search_seconds = 0;  // encoder, decoder, beams
};

/// Logs the warnings, and gives the translations.
std::vector<Translation> told(LinesResult result);

}  // namespace heed::decode
