// Text in, text out: pieces, batches sorted by length, results in the order of the input. What
// computes the steps of a search is a subclass's.
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

/// The `text` of each.
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

  /// A line without pieces (empty, white space) gives an empty translation. A line longer than
  /// source_limit() is cut there. With decoding.mbr the hypotheses are chosen by
  /// choose_by_utility(). On a CPU each thread searches for batches of its own, for engines in
  /// groups of a few. Batches for which memory does not suffice are searched in halves
  /// (MemoryLimit). Throws UserError where a prefix is longer than the models can take, or the
  /// search that is asked for cannot be; Failure where memory does not suffice for one sentence.
  LinesResult translate(const LinesRequest& request, const SearchHooks& hooks = {}) const;

  /// How translate() cuts these lines into batches: indices, in the order in which they are
  /// searched. Lines without pieces are in none. Batches that follow each other, translated by
  /// themselves in this order, are cut in the same way: unless they are drawn by their number,
  /// lines get the same bits. (On a CPU with several threads one batch alone has all of them, and
  /// of several each has one.)
  std::vector<std::vector<int64_t>> batches_of(const LinesRequest& request) const;

  /// Sentences that make a batch: decoding.batch_size, or what 0 means for these models and this
  /// device.
  int64_t batch_size() const { return limits(config_).sentences; }
  /// Lines that are worth sorting by length together.
  int64_t window() const { return 32 * batch_size(); }

  /// Terms of a request, each a source and its targets. Throws UserError as check_terms(),
  /// Glossary and Glossary::spell().
  std::shared_ptr<const Glossary> glossary_of(const std::vector<TextLines>& terms) const;

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
  /// memory that grows with their square: decoding.max_source_length, or the first member's
  /// `trained_length` where that is more; or less where a member takes less.
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

  /// The line with the terms of this glossary, or of decoding.glossary for null, as translate()
  /// reads it where they are inline.
  std::string with_terms(const std::string& line, const Glossary* glossary = nullptr) const;
  /// A line as a search reads it, once per member.
  std::vector<data::Batch> sources_of(const std::string& line) const;
  /// Calls work(steps) of one batch, whose sources are those of each member. Throws std::bad_alloc
  /// where memory runs out.
  virtual void with_steps(const std::vector<data::Batch>& sources, const SearchOptions& options,
                          const std::function<void(Steps&)>& work) const = 0;
  /// The attention of the first member while it reads `pairs`: of every layer that has one of these
  /// kinds, or of more. Rows are [sentences, source or target], padded, and so are keys.
  virtual engine::LayerMaps attention_of(const data::Batch& pairs,
                                         const std::vector<config::AttentionKind>& kinds) const = 0;
  /// Calls work(batch) for each, by as many threads as there are.
  virtual void share_batches(int64_t batches, const std::function<void(int64_t batch)>& work) const;

 protected:
  /// Reads decoding.shortlist and decoding.glossary. Throws UserError as never_produced(),
  /// Shortlist and Glossary.
  LineTranslator(std::vector<MemberText> members, DecodeConfig config,
                 const engine::Threads& threads);

  virtual BatchLimits limits(const DecodeConfig& config) const { return search_limits(config); }
  const Glossary* glossary() const { return glossary_.get(); }  // decoding.glossary; null: none

  DecodeConfig config_;
  const engine::Threads* threads_;
  int64_t together_ = std::numeric_limits<int64_t>::max();  // sentences that are searched at once

 private:
  class Search;

  /// Throws UserError that begins with `where` unless so many pieces fit in longest().
  void check_length(int64_t pieces, const std::string& where, const std::string& cure) const;

  std::vector<MemberText> members_;
  std::vector<int64_t> never_;
  std::optional<Shortlist> shortlist_;
  std::shared_ptr<const Glossary> glossary_;  // decoding.glossary; null: none
  std::shared_ptr<MemoryLimit> memory_ = std::make_shared<MemoryLimit>();
};

}  // namespace heed::decode
