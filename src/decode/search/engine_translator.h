// Lines translated by engines: without LibTorch.
#pragma once

#include <memory>
#include <vector>

#include "data/batch.h"
#include "decode/search/line_translator.h"
#include "decode/search/search.h"
#include "engine/network.h"

namespace heed::decode {

/// As the other search(), with engines. `sources`: one per network, of the same sentences.
std::vector<std::vector<Hypothesis>> search(
    const std::vector<std::shared_ptr<const engine::Network>>& networks,
    const std::vector<data::Batch>& sources, const SearchOptions& options, int64_t longest,
    const engine::Threads& threads);

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

 private:
  std::vector<std::vector<Hypothesis>> search_batch(const std::vector<data::Batch>& sources,
                                                    const SearchOptions& options) override;

  std::vector<std::shared_ptr<const engine::Network>> networks_;
  int64_t longest_ = 0;
};

}  // namespace heed::decode
