// A translator whose models are engines, on a CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "config/attention_kind.h"
#include "decode/search/config.h"
#include "decode/search/encoded_lines.h"
#include "decode/search/line_translator.h"
#include "decode/search/search.h"
#include "engine/matrix.h"
#include "engine/network.h"
#include "engine/threads.h"

namespace heed::data {
struct Batch;  // data/batch.h
}  // namespace heed::data

namespace heed::decode {

/// Calls work(steps) as LineTranslator::with_steps() does. `sources` has one batch per network, of
/// the same sentences.
void with_steps(const std::vector<std::shared_ptr<const engine::Network>>& networks,
                const std::vector<data::Batch>& sources, const SearchOptions& options,
                const engine::Threads& threads, const std::function<void(Steps&)>& work);

struct EngineMember {
  MemberText text;
  std::shared_ptr<const engine::Network> network;
  int64_t longest = 0;  // sentence, in pieces with eos
  bool attends = false;
};

/// Returns the format of an engine's weights. The type fp32, and auto where nobody has decided it,
/// mean the precision of the configuration, which is bf16 where `bf16` is true.
engine::WeightFormat weight_format(WeightType weights, bool bf16);

/// Throws UserError where decoding.coverage_penalty asks for attention, and there is none.
void require_coverage(const DecodeConfig& config, bool attends);

class EngineTranslator : public LineTranslator {
 public:
  /// `numbers` is the format of the networks' weights. `threads` must outlive this object. Throws
  /// UserError as LineTranslator and require_coverage() do.
  EngineTranslator(std::vector<EngineMember> members, DecodeConfig config,
                   engine::WeightFormat numbers, const engine::Threads& threads);

  int64_t longest() const override { return longest_; }
  const engine::Network* network() const override { return networks_.front().get(); }
  void with_steps(const std::vector<data::Batch>& sources, const SearchOptions& options,
                  const std::function<void(Steps&)>& work) const override;
  engine::LayerMaps attention_of(const data::Batch& pairs,
                                 const std::vector<config::AttentionKind>& kinds) const override;

 private:
  std::vector<std::shared_ptr<const engine::Network>> networks_;
  int64_t longest_ = 0;
};

}  // namespace heed::decode
