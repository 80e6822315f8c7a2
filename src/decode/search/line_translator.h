// Translates lines of text: encodes them, sorts them into batches by length, searches, and returns
// results in the order of the input. Subclasses say what computes the steps of a search.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/attention_kind.h"
#include "decode/search/batches.h"
#include "decode/search/config.h"
#include "decode/search/encoded_lines.h"
#include "decode/search/glossary.h"
#include "decode/search/lines_request.h"
#include "decode/search/memory_limit.h"
#include "decode/search/search.h"
#include "decode/search/shortlist.h"
#include "engine/network.h"
#include "engine/threads.h"

namespace heed::data {
struct Batch;  // data/batch.h
}  // namespace heed::data

namespace heed::decode {

/// Returns the `text` of each member.
template <class Member>
std::vector<MemberText> texts_of(const std::vector<Member>& members) {
  std::vector<MemberText> texts;
  for (const Member& member : members) texts.push_back(member.text);
  return texts;
}

/// One model, or several whose probabilities are averaged. It keeps nothing of a request.
class LineTranslator {
 public:
  virtual ~LineTranslator() = default;
  LineTranslator(LineTranslator&&) = default;
  LineTranslator& operator=(LineTranslator&&) = default;

  /// A line without pieces (empty, white space) gives an empty translation. A line of words without
  /// a letter or digit comes back as it is, unless its translation has a prefix. A line longer than
  /// source_limit() is cut there. With decoding.mbr the hypotheses are chosen by
  /// choose_by_utility(). On a CPU each thread searches for batches of its own, for engines in
  /// groups of a few. Batches for which memory does not suffice are searched in halves
  /// (MemoryLimit). Throws UserError where a prefix is longer than the models can take, or the
  /// search of the request is not possible; Failure where memory does not suffice for one sentence.
  LinesResult translate(const LinesRequest& request, const SearchHooks& hooks = {}) const;

  /// Returns how translate() cuts these lines into batches: indices of lines, in the order in which
  /// they are searched. Lines without pieces, and those that come back
  /// as they are, are in none. If the lines of consecutive batches are
  /// translated by themselves, in this order, they are cut in the same way. So their translations
  /// have the same bits, unless they are sampled (LineNumbers::stream_of()). (On a CPU with several
  /// threads a single batch uses all of them; of several batches each uses one.)
  std::vector<std::vector<int64_t>> batches_of(const LinesRequest& request) const;

  /// Returns the number of sentences of a batch: decoding.batch_size, or what 0 means for these
  /// models and this device.
  int64_t batch_size() const { return limits(config_).sentences; }
  /// Returns how many lines are worth sorting by length together.
  int64_t chunk_size() const { return 32 * batch_size(); }

  /// Returns the glossary of a request's terms, each a source and its targets. Throws UserError as
  /// check_terms(), Glossary and Glossary::spell() do.
  std::shared_ptr<const Glossary> glossary_of(const std::vector<TextLines>& terms) const;

  const DecodeConfig& config() const { return config_; }
  const Glossary* glossary() const { return glossary_.get(); }  // decoding.glossary; null: none
  const MemberText& first_text() const { return members_.front(); }
  const std::vector<MemberText>& texts() const { return members_; }
  /// Returns the pieces that no translation has (never_produced()).
  const std::vector<int64_t>& never() const { return never_; }
  /// Returns the longest source or target, in pieces with eos, that every member can take.
  virtual int64_t longest() const = 0;
  /// Returns the number of pieces, without eos, at which translate() cuts a line:
  /// decoding.max_source_length, or less where a member takes less.
  int64_t source_limit() const;
  /// Returns the largest number of pieces, without eos, of each side of a given pair that is scored
  /// or read: decoding.max_source_length, or the first member's `trained_length` where that is
  /// more, or less where a member takes less. There is a limit because the memory grows with the
  /// square of the length.
  int64_t pair_limit() const;
  /// Throws UserError that begins with `where` if `pieces` is more than pair_limit().
  void require_short(int64_t pieces, const std::string& where) const;
  /// Returns the engine of the first member; null where LibTorch translates.
  virtual const engine::Network* network() const = 0;
  /// Whether engines translate, and not LibTorch.
  bool has_engines() const { return network() != nullptr; }
  /// Whether a line gets the same bits whichever lines are translated with it. Otherwise its
  /// log-probabilities may differ in the last digits, or it is sampled by its number
  /// (LineNumbers::stream_of()).
  bool is_same_in_any_batch() const { return !samples(config_.sampling) && has_engines(); }

  /// Returns the line with the terms of `glossary`, or of decoding.glossary for null, marked as
  /// translate() reads them if the glossary is inline.
  std::string with_terms(const std::string& line, const Glossary* glossary = nullptr) const;
  /// Returns a line as a search reads it: one batch per member.
  std::vector<data::Batch> sources_of(const std::string& line) const;
  /// Calls work(steps) with the steps of one batch. `sources` has its sources as each member reads
  /// them. Throws std::bad_alloc where memory runs out.
  virtual void with_steps(const std::vector<data::Batch>& sources, const SearchOptions& options,
                          const std::function<void(Steps&)>& work) const = 0;
  /// Returns the attention of the first member while it reads `pairs`, of every layer with
  /// attention of one of these kinds; it may return more. Rows are [sentences, source or target]
  /// with padding, and so are keys.
  virtual engine::LayerMaps attention_of(const data::Batch& pairs,
                                         const std::vector<config::AttentionKind>& kinds) const = 0;
  /// Calls work(batch) for each batch from 0 to `batches` - 1, in all threads.
  virtual void divide_batches(int64_t batches,
                              const std::function<void(int64_t batch)>& work) const;

 protected:
  /// Reads decoding.shortlist and decoding.glossary. Throws UserError as never_produced(),
  /// Shortlist and Glossary do.
  LineTranslator(std::vector<MemberText> members, DecodeConfig config,
                 const engine::Threads& threads);

  virtual BatchLimits limits(const DecodeConfig& config) const { return search_limits(config); }

  DecodeConfig config_;
  const engine::Threads* threads_;
  // The most sentences that one search takes at once.
  int64_t together_ = std::numeric_limits<int64_t>::max();

 private:
  class Search;

  /// Throws UserError that begins with `where` and ends with `cure` if `pieces` is more than fits
  /// in longest().
  void check_length(int64_t pieces, const std::string& where, const std::string& cure) const;

  std::vector<MemberText> members_;
  std::vector<int64_t> never_;
  std::optional<Shortlist> shortlist_;
  std::shared_ptr<const Glossary> glossary_;  // decoding.glossary; null: none
  std::shared_ptr<MemoryLimit> memory_ = std::make_shared<MemoryLimit>();
};

}  // namespace heed::decode
