// Lines translated by engines: without LibTorch.
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

/// As LineTranslator::with_steps(). `sources`: one per network, of the same sentences.
void with_steps(const std::vector<std::shared_ptr<const engine::Network>>& networks,
                const std::vector<data::Batch>& sources, const SearchOptions& options,
                const engine::Threads& threads, const std::function<void(Steps&)>& work);

struct EngineMember {
  MemberText text;
  std::shared_ptr<const engine::Network> network;
  int64_t longest = 0;  // sentence, in pieces with eos
  bool attends = false;
};

/// The numbers of an engine. Those of WeightType::fp32 are the configuration's precision, which may
/// be bf16.
engine::WeightFormat weight_format(WeightType weights, bool bf16);

/// Throws UserError where decoding.coverage_penalty asks for attention, and there is none.
void require_coverage(const DecodeConfig& config, bool attends);

class EngineTranslator : public LineTranslator {
 public:
  /// `numbers`: of the networks. `threads` must outlive it. Throws UserError as LineTranslator and
  /// require_coverage().
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
