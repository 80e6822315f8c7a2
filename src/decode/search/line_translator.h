// Text in, text out: pieces, batches sorted by length inside a window, results in the order of the
// input. What searches is its caller's.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/batch.h"
#include "data/notice.h"
#include "decode/search/batches.h"
#include "decode/search/config.h"
#include "decode/search/glossary.h"
#include "decode/search/search.h"
#include "decode/search/shortlist.h"
#include "engine/network.h"
#include "text/vocabulary.h"

namespace heed::decode {

struct Translation {
  std::string text;                        // best hypothesis; empty for an empty line
  std::vector<Hypothesis> hypotheses;      // n_best, best first; empty for an empty line
  std::vector<std::string> texts;          // one per hypothesis
  std::vector<std::string> source_pieces;  // of the first member, with </s> at the end
  /// What the target vocabulary does not know of the prefix, as that spells it: the first <unk> of
  /// each hypothesis.
  std::vector<std::string> unknown_of_prefix;
};

/// What an ensemble member reads and writes. All members share the target vocabulary.
struct MemberText {
  text::Vocabulary source, target;
  double usual_unknown = 0;  // share of unknown pieces among those of the training corpus
};

/// The `text` of each.
template <class Member>
std::vector<MemberText> texts_of(const std::vector<Member>& members) {
  std::vector<MemberText> texts;
  for (const Member& member : members) texts.push_back(member.text);
  return texts;
}

class LineTranslator {
 public:
  virtual ~LineTranslator() = default;
  LineTranslator(LineTranslator&&) = default;
  LineTranslator& operator=(LineTranslator&&) = default;

  /// Line i is number first_line + i * line_step, for warnings and samples: 2 where the lines are
  /// every second one of a text.
  int64_t line_step = 1;
  /// In place of these numbers 1, 2, ...: those of a text, ascending, of which a line may be
  /// several sentences. Empty: the numbers themselves.
  std::vector<int64_t> shown_numbers;
  /// data.max_length of the training: given pairs as long as that are read, too.
  int64_t trained_length = 0;
  bool keep_attention = false;
  bool warn_of_cuts = true;  // name the lines that were cut or whose translation was
  /// Asked before each batch, by several threads: once it says true, translate() ends soon, and the
  /// lines that are left have no hypotheses. Empty: never.
  std::function<bool()> interrupted;
  /// Told after each batch of how many lines the search has ended, by several threads. Empty:
  /// never.
  std::function<void(int64_t lines)> searched;

  /// One Translation per line, in order. A line without pieces (empty, white space) gives an empty
  /// one. A line longer than source_limit() is cut there. Lines that were cut and translations that
  /// reached the length limit are warned about by their 1-based numbers (`first_line` + index *
  /// line_step), and so are lines with far more unknown pieces than MemberText::usual_unknown.
  /// `prefixes`, if any, has for each line the text that its translation begins with, behind the
  /// target vocabulary's beginning(); a line without pieces stays empty all the same. Throws
  /// UserError where one is longer than the model can take. With decoding.mbr the hypotheses are
  /// chosen by choose_by_utility(). On a CPU each thread searches for batches of its own, for
  /// engines in groups of a few. Where memory does not suffice for a batch, it is searched in
  /// halves, and a warning says so. Throws Failure where it does not for one sentence.
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

  /// decoding.n_best from now on; no other part of config() is written, so that other threads may
  /// read those. Throws UserError where that cannot be.
  void set_n_best(int64_t n_best);
  /// Another search from now on, by the same numbers, shortlist and terms. Throws UserError where
  /// that cannot be.
  void set_config(DecodeConfig config);
  /// From now on these terms, in place of those of decoding.glossary; none: those. Throws UserError
  /// as check_terms() and Glossary::spell().
  void set_glossary(std::shared_ptr<Glossary> glossary);

  /// Seconds of all translate() so far.
  struct Times {
    double text = 0;    // lines to pieces and back
    double search = 0;  // encoder, decoder, beams
  };
  const Times& times() const { return times_; }

  const DecodeConfig& config() const { return config_; }
  const MemberText& first_text() const { return members_.front(); }
  const std::vector<MemberText>& texts() const { return members_; }
  /// Pieces that no translation has: never_produced().
  const std::vector<int64_t>& never() const { return never_; }
  /// The longest source or target, in pieces with eos, that every member can take.
  virtual int64_t longest() const = 0;
  /// The pieces, without eos, at which translate() cuts a line: decoding.max_source_length, or less
  /// where a member takes less.
  int64_t source_limit() const;
  /// The most pieces, without eos, of a side of a given pair that is scored or read, which takes
  /// memory that grows with their square: decoding.max_source_length, or `trained_length` where
  /// that is more; or less where a member takes less.
  int64_t pair_limit() const;
  /// Throws UserError that begins with `where`, unless so many pieces are within pair_limit().
  void require_short(int64_t pieces, const std::string& where) const;
  /// The engine of the first member; null where LibTorch translates.
  virtual const engine::Network* network() const = 0;
  /// Whether engines translate, not LibTorch.
  bool has_engines() const { return network() != nullptr; }
  /// Whether a line gets the same bits whichever lines are translated with it. Otherwise its
  /// log-probabilities may differ in the last digits, or it is drawn by its number.
  bool is_same_in_any_batch() const { return !samples(config_.sampling) && has_engines(); }

  /// The line with the terms of a glossary that is inline, as translate() reads it.
  std::string with_terms(const std::string& line) const {
    return glossary_ && config_.glossary_inline ? glossary_->marked(line) : line;
  }
  /// A line as a search reads it, once per member.
  std::vector<data::Batch> sources_of(const std::string& line) const;
  /// Calls work(steps) of one batch, whose sources are those of each member. Throws std::bad_alloc
  /// where memory runs out.
  virtual void with_steps(const std::vector<data::Batch>& sources, const SearchOptions& options,
                          const std::function<void(Steps&)>& work) = 0;
  /// The attention of the first member while it reads `pairs`: of every layer that has one of these
  /// kinds, or of more. Rows are [sentences, source or target], padded, and so are keys.
  virtual engine::LayerMaps attention_of(const data::Batch& pairs,
                                         const std::vector<config::AttentionKind>& kinds) = 0;
  /// Calls work(batch) for each, by as many threads as there are.
  virtual void share_batches(int64_t batches, const std::function<void(int64_t batch)>& work) {
    engine::share_items(*threads_, batches, work);
  }

 protected:
  /// Reads decoding.shortlist and decoding.glossary. Throws UserError as never_produced(),
  /// Shortlist and Glossary.
  LineTranslator(std::vector<MemberText> members, DecodeConfig config,
                 const engine::Threads& threads);

  virtual BatchLimits limits() const { return search_limits(config_); }

  /// Piece ids of each line, once per member.
  struct Lines {
    std::vector<std::vector<data::Example>> members;  // [member][line]
    std::vector<int64_t> lengths;                     // longest over the members, without eos
    data::Notice cut;                                 // lines that were too long
    data::Notice strange;                             // those that no piece is known of
    int64_t pieces = 0, unknown = 0;                  // of the first member
    int64_t decomposed = 0;                           // lines with decomposed letters (NFD)
    std::vector<std::vector<int32_t>> prefixes;       // pieces; empty: no line has any
    std::vector<std::vector<TermPieces>> terms;       // empty: there is no glossary
  };
  /// Of each line `most` pieces at the most, and one more where there are more.
  Lines encode(const std::vector<std::string>& lines, int64_t first_line, int64_t most) const;
  /// Throws UserError that begins with `where` unless so many pieces fit in longest().
  void check_length(int64_t pieces, const std::string& where, const std::string& cure) const;

  DecodeConfig config_;
  const engine::Threads* threads_;
  int64_t together_ = std::numeric_limits<int64_t>::max();  // sentences that are searched at once

 private:
  /// Whether the search has to put terms into translations.
  bool is_constrained() const { return glossary_ && !config_.glossary_inline; }
  int64_t number_of(int64_t line, int64_t first_line) const {
    const int64_t number = first_line + line * line_step;
    return shown_numbers.empty() ? number : shown_numbers.at(number - 1);
  }
  uint64_t stream_of(int64_t line, int64_t first_line) const;
  std::vector<std::vector<int64_t>> cut(const Lines& lines) const;
  void warn_of_unknown(const Lines& lines, int64_t first_line) const;
  void warn(const Lines& lines, const std::vector<Translation>& translations,
            int64_t first_line) const;
  void search_within_memory(const Lines& lines, const std::vector<int64_t>& batch,
                            int64_t first_line, std::vector<Translation>& out);
  void search_rows(const Lines& lines, const std::vector<int64_t>& batch, int64_t first_line,
                   std::vector<Translation>& out);
  void note_too_large(const std::vector<int64_t>& batch, int64_t tokens, int64_t first_line);
  void add_prefixes(const std::vector<std::string>& prefixes, int64_t first_line,
                    Lines& lines) const;
  void spell(const data::Example& example, Translation& out) const;

  std::vector<MemberText> members_;
  std::vector<int64_t> never_;
  std::optional<Shortlist> shortlist_;
  std::shared_ptr<Glossary> usual_glossary_, glossary_;
  int64_t too_large_ = std::numeric_limits<int64_t>::max();  // padded source pieces of a batch
  Times times_;
};

}  // namespace heed::decode
