// Text in, text out: pieces, batches sorted by length inside a window, results in the order of the
// input.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "data/batch.h"
#include "data/notice.h"
#include "decode/batches.h"
#include "decode/config.h"
#include "decode/hypothesis.h"
#include "model/pointer.h"
#include "text/vocabulary.h"

namespace heed::decode {

class RecordedSteps;

struct Translation {
  std::string text;                        // best hypothesis; empty for an empty line
  std::vector<Hypothesis> hypotheses;      // n_best, best first; empty for an empty line
  std::vector<std::string> texts;          // one per hypothesis
  std::vector<std::string> source_pieces;  // of the first member, with </s> at the end
  /// What the target vocabulary does not know of the prefix, as that spells it: the first <unk> of
  /// each hypothesis.
  std::vector<std::string> unknown_of_prefix;
};

/// What one ensemble member needs. All members share the target vocabulary.
struct TranslatorModel {
  model::ModelPtr model;
  text::Vocabulary source, target;
  double usual_unknown = 0;  // share of unknown pieces among those of the training corpus
};

/// Throws UserError where the device cannot compute as decoding.weights says.
void require_weights(const DecodeConfig& config, const at::Device& device);

class Translator {
 public:
  /// Moves the models to `device`. On a CPU they become engines where there are such
  /// (engine/engine.h): their weights must not change while this object lives. `decoding.weights:
  /// bf16` overrides `precision`. Throws UserError as require_weights() and never_produced(), when
  /// a model has no int8, or there is a coverage_penalty and the first model does not attend.
  Translator(std::vector<TranslatorModel> members, DecodeConfig config, at::Device device,
             at::ScalarType precision);

  /// Line i is number first_line + i * line_step, for warnings and samples: 2 where the lines are
  /// every second one of a text.
  int64_t line_step = 1;
  bool keep_attention = false;
  bool warn_of_cuts = true;  // name the lines that were cut or whose translation was
  /// data.max_length of the training: given pairs as long as that are read, too.
  int64_t trained_length = 0;
  /// Asked before each batch, by several threads: once it says true, translate() ends soon, and the
  /// lines that are left have no hypotheses. Empty: never.
  std::function<bool()> interrupted;
  /// Told after each batch of how many lines the search has ended, by several threads. Empty:
  /// never.
  std::function<void(int64_t lines)> searched;

  /// One Translation per line, in order. A line without pieces (empty, white space) gives an empty
  /// one. A line longer than source_limit() is cut there. Lines that were cut and translations that
  /// reached the length limit are warned about by their 1-based numbers (`first_line` + index *
  /// line_step), and so are lines with far more unknown pieces than TranslatorModel::usual_unknown.
  /// `prefixes`, if any, has for each line the text that its translation begins with; a line
  /// without pieces stays empty all the same. Throws UserError where one is longer than the model
  /// can take. With decoding.mbr the hypotheses are chosen by choose_by_utility().
  /// On a CPU each thread searches for batches of its own, for engines in groups of a few.
  /// Where memory does not suffice for a batch, it is searched in halves, and a warning says so.
  /// Throws Failure where it does not for one sentence.
  std::vector<Translation> translate(const std::vector<std::string>& lines, int64_t first_line = 1,
                                     const std::vector<std::string>& prefixes = {});

  /// How translate() cuts these lines into batches: indices, in the order in which they are
  /// searched. Lines without pieces are in none. Batches that follow each other, translated by
  /// themselves in this order, are cut in the same way: unless they are drawn by their number,
  /// lines get the same bits. (On a CPU with several threads one batch alone has all of them, and
  /// of several each has one.)
  std::vector<std::vector<int64_t>> batches_of(const std::vector<std::string>& lines) const;

  /// Sentences that make a batch: decoding.batch_size, or what 0 means for these models and this
  /// device.
  int64_t batch_size() const { return limits().sentences; }
  /// Lines that are worth sorting by length together.
  int64_t window() const { return 32 * batch_size(); }

  /// Whether a line gets the same bits whichever lines are translated with it. Otherwise its
  /// log-probabilities may differ in the last digits, or it is drawn by its number.
  bool is_same_in_any_batch() const;
  /// decoding.n_best from now on. Throws UserError where that cannot be.
  void set_n_best(int64_t n_best);

  /// Seconds of all translate() so far.
  struct Times {
    double text = 0;    // lines to pieces and back
    double search = 0;  // encoder, decoder, beams
  };
  const Times& times() const { return times_; }

  /// log P(target | source) per pair: sum over pieces and eos, and the per-token values.
  struct TargetScore {
    double log_probability = 0;
    std::vector<float> tokens;  // [pieces + eos]
  };
  /// Throws UserError when the counts differ or a line is longer than pair_limit(), Failure when a
  /// log-probability is not a number or infinite.
  std::vector<TargetScore> score(const std::vector<std::string>& sources,
                                 const std::vector<std::string>& targets);

  const TranslatorModel& first() const { return members_.front(); }
  const std::vector<TranslatorModel>& members() const { return members_; }
  const DecodeConfig& config() const { return config_; }
  const at::Device& device() const { return device_; }
  /// Graphs of the search's steps; nullptr where there are none.
  const RecordedSteps* recorded() const { return recorded_.get(); }
  at::ScalarType precision() const { return precision_; }
  /// Pieces that no translation has: never_produced().
  const std::vector<int64_t>& never() const { return never_; }
  /// The longest source or target, in pieces with eos, that every member can take.
  int64_t longest() const;
  /// The pieces, without eos, at which translate() cuts a line: decoding.max_source_length, or less
  /// where a member takes less.
  int64_t source_limit() const;
  /// The most pieces, without eos, of a side of a given pair that is scored or read, which takes
  /// memory that grows with their square: decoding.max_source_length, or `trained_length` where
  /// that is more; or less where a member takes less.
  int64_t pair_limit() const;
  /// Throws UserError that begins with `where`, unless so many pieces are within pair_limit().
  void require_short(int64_t pieces, const std::string& where) const;

 private:
  /// Piece ids of each line, once per distinct member.
  struct Lines {
    std::vector<std::vector<data::Example>> members;  // [member][line]
    std::vector<int64_t> lengths;                     // longest over the members, without eos
    data::Notice cut;                                 // lines that were too long
    data::Notice strange;                             // those that no piece is known of
    int64_t pieces = 0, unknown = 0;                  // of the first member
    int64_t decomposed = 0;                           // lines with decomposed letters (NFD)
    std::vector<std::vector<int32_t>> prefixes;       // pieces; empty: no line has any
  };
  std::vector<model::Model*> models() const;
  void warn_of_unknown(const Lines& lines, int64_t first_line) const;
  enum class TooLong { cut, refuse };
  int64_t number_of(int64_t line, int64_t first_line) const {
    return first_line + line * line_step;
  }
  Lines encode(const std::vector<std::string>& lines, int64_t first_line, TooLong policy) const;
  void warn(const Lines& lines, const std::vector<Translation>& translations,
            int64_t first_line) const;
  BatchLimits limits() const;
  std::vector<std::vector<int64_t>> cut(const Lines& lines) const;
  void search_batches(const Lines& lines, int64_t first_line, std::vector<Translation>& out);
  void search_batch(const Lines& lines, const std::vector<int64_t>& batch, int64_t first_line,
                    std::vector<Translation>& out);
  void search_within_memory(const Lines& lines, const std::vector<int64_t>& batch,
                            int64_t first_line, std::vector<Translation>& out);
  void note_too_large(const std::vector<int64_t>& batch, int64_t tokens, int64_t first_line);
  void add_prefixes(const std::vector<std::string>& prefixes, int64_t first_line,
                    Lines& lines) const;
  void spell(const Lines& lines, std::vector<Translation>& out) const;
  void spell(const data::Example& example, Translation& out) const;

  std::vector<TranslatorModel> members_;
  DecodeConfig config_;
  at::Device device_;
  at::ScalarType precision_;
  std::vector<int64_t> never_;
  int64_t free_memory_ = 0;  // bytes of a GPU, where a batch is what fits
  int64_t together_ = std::numeric_limits<int64_t>::max();   // sentences that are searched at once
  int64_t too_large_ = std::numeric_limits<int64_t>::max();  // padded source pieces of a batch
  std::shared_ptr<RecordedSteps> recorded_;                  // or nullptr
  Times times_;
};

}  // namespace heed::decode
