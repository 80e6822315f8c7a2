// Every kind of self-attention keeps its promises, and the contract names what a wrong one breaks.
#include "model/transformer/attention_contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/transformer/attention/softmax.h"

namespace heed::model {
namespace {

using testing::broken_promises;
using ::testing::Contains;
using ::testing::IsEmpty;
using testing::SelfAttentionContract;

TEST(SelfAttentionContract, IsKeptByEveryKindOfTheRegistry) {
  for (const std::string& name : self_attention_names())
    EXPECT_THAT(broken_promises(self_attention_info(name)), IsEmpty()) << name;
}

/// Softmax attention whose steps, or whole sentences, see another pattern.
template <bool kSteps>
class Beside : public SoftmaxAttention {
 public:
  using SoftmaxAttention::SoftmaxAttention;

 protected:
  Tensor padded(const Tensor& projected, const SentenceLayout& sentences,
                Tensor* weights) override {
    if (kSteps) return SoftmaxAttention::padded(projected, sentences, weights);
    return SoftmaxAttention::padded(projected, {}, weights);  // forgets the padding
  }
  Tensor step_of_beams(const Tensor& projected, const HeadsOfLayer& cache, const BeamStep& now,
                       Tensor* weights) override {
    if (kSteps) cache.both.narrow(2, 0, now.slot).zero_();  // forgets its past
    return SoftmaxAttention::step_of_beams(projected, cache, now, weights);
  }
};

template <class Kind>
std::vector<std::string> broken() {
  const auto make = [](const MultiHeadOptions& options,
                       const LayerIndex& index) -> SelfAttentionPtr {
    return std::make_shared<Kind>(options, index);
  };
  return SelfAttentionContract(self_attention_info("softmax"), "none", {}, make).broken();
}

TEST(SelfAttentionContract, CatchesPaddingThatIsForgotten) {
  const auto promises = broken<Beside<false>>();
  EXPECT_THAT(promises, Contains("what a position does not see gets a weight of exactly 0"));
  EXPECT_THAT(promises, Contains("what stands in padding changes nothing"));
  EXPECT_THAT(promises, Contains("without padding it gives what it gives with padding"));
}

TEST(SelfAttentionContract, CatchesStepsThatForgetThePast) {
  EXPECT_THAT(broken<Beside<true>>(), Contains("step by step it gives what it gives at once"));
}

}  // namespace
}  // namespace heed::model
