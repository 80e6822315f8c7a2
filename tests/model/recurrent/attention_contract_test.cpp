// The contract names what a wrong attention breaks.
#include "model/recurrent/attention_contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "model/recurrent/attention/common.h"

namespace heed::model {
namespace {

using testing::AttentionContract;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kNever = -std::numeric_limits<double>::infinity();

Tensor products(const Tensor& query, const Prepared& memory) {
  return at::bmm(query, memory.values.transpose(1, 2));  // [sentences, query, source]
}

Attended spread(const Tensor& scores, const Prepared& memory) {
  const Tensor weights = at::softmax(scores, -1);
  return {at::bmm(weights, memory.values), weights};
}

/// A mechanism out of one function, for all that can go wrong in it.
template <auto mechanism>
class Made : public Attention {
 public:
  explicit Made(const AttentionSize& size) : dropout_(size.weighing.dropout) {}

 protected:
  Attended attend(const StepInput& step, const Prepared& memory) override {
    Attended attended = mechanism(step, memory);
    const Tensor used =
        is_training() ? at::dropout(attended.weights, dropout_, true) : attended.weights;
    if (dropout_ > 0) attended.context = at::bmm(used, memory.values);
    return attended;
  }

 private:
  double dropout_;
};

template <auto mechanism>
std::vector<std::string> broken() {
  return AttentionContract({[](const AttentionSize& size) -> AttentionPtr {
           return std::make_shared<Made<mechanism>>(size);
         }})
      .broken();
}

/// Dot scores of the positions where `seen` [sentences, source] is true.
template <auto seen>
Attended masked(const StepInput& step, const Prepared& memory) {
  const Tensor hidden = seen(memory.valid).logical_not().unsqueeze(1);
  return spread(products(step.query, memory).masked_fill(hidden, kNever), memory);
}

Tensor right(const Tensor& valid) {
  return valid;
}
Tensor none(const Tensor& valid) {
  return at::ones_like(valid);
}
Tensor one_too_many(const Tensor& valid) {  // looks at the first position of padding
  return at::cat({valid.narrow(1, 0, 1), valid.narrow(1, 0, valid.size(1) - 1)}, 1);
}
Tensor one_too_few(const Tensor& valid) {  // does not look at the last word
  return at::cat({valid.narrow(1, 1, valid.size(1) - 1), at::zeros_like(valid.narrow(1, 0, 1))}, 1);
}

TEST(AttentionContract, IsKeptByTheRightMask) {
  EXPECT_THAT(broken<masked<right>>(), IsEmpty());
}

TEST(AttentionContract, CatchesAMaskThatIsForgotten) {
  const auto promises = broken<masked<none>>();
  EXPECT_THAT(promises, Contains("padding gets a weight of exactly 0"));
  EXPECT_THAT(promises, Contains("what stands in padding changes nothing"));
  EXPECT_THAT(promises, Contains("an only valid position takes all weight"));
  EXPECT_THAT(promises, Contains("a sentence attends alone as among others"));
}

TEST(AttentionContract, CatchesAMaskThatIsOneOff) {
  EXPECT_THAT(broken<masked<one_too_many>>(), Contains("padding gets a weight of exactly 0"));
  EXPECT_THAT(broken<masked<one_too_few>>(), Contains("every valid position gets some weight"));
}

TEST(AttentionContract, CatchesAMaskThatOnlyDiscourages) {
  constexpr auto discouraged = [](const StepInput& step, const Prepared& memory) {
    const Tensor hidden = memory.valid.logical_not().unsqueeze(1);
    return spread(products(step.query, memory).masked_fill(hidden, -30), memory);
  };
  EXPECT_THAT(broken<discouraged>(), Contains("padding gets a weight of exactly 0"));
}

TEST(AttentionContract, CatchesWhatElseGoesWrong) {
  constexpr auto undivided = [](const StepInput& step, const Prepared& memory) {
    const Tensor weights = at::sigmoid(products(step.query, memory) + memory.bias);
    return Attended{at::bmm(weights, memory.values), weights};
  };
  EXPECT_THAT(broken<undivided>(), Contains("the weights of a query sum to 1"));

  constexpr auto sharpened =
      [](const StepInput& step,
         const Prepared& memory) {  // forgets that queries may be successive steps
        const Tensor scores = products(step.query, memory) * static_cast<double>(step.position + 1);
        return spread(scores + memory.bias, memory);
      };
  EXPECT_THAT(broken<sharpened>(),
              ElementsAre("steps of teacher forcing attend as if taken one by one"));

  constexpr auto detached = [](const StepInput& step, const Prepared& memory) {
    return spread(products(step.query.detach(), memory) + memory.bias, memory);
  };
  EXPECT_THAT(broken<detached>(),
              Contains("the gradient of the query is that of central differences"));

  constexpr auto neighbourly = [](const StepInput& step, const Prepared& memory) {
    const Tensor keys = memory.values - memory.values.mean(0, true);
    return spread(at::bmm(step.query, keys.transpose(1, 2)) + memory.bias, memory);
  };
  EXPECT_THAT(broken<neighbourly>(), Contains("a sentence attends alone as among others"));

  constexpr auto misshapen = [](const StepInput& step, const Prepared& memory) {
    Attended attended = spread(products(step.query, memory) + memory.bias, memory);
    attended.weights = attended.weights.transpose(1, 2);
    return attended;
  };
  EXPECT_THAT(broken<misshapen>(),
              ElementsAre("there is one weight per query and source position"));
}

TEST(AttentionContract, CatchesWhatIsKeptOnTheModule) {
  class Keeping : public Attention {
    Prepared project(const Encoded& encoded) override {
      kept_ = encoded.values;
      return {encoded};
    }
    Attended attend(const StepInput& step, const Prepared& memory) override {
      return spread(at::bmm(step.query, kept_.transpose(1, 2)) + memory.bias, memory);
    }

    Tensor kept_;
  };
  const auto make = [](const AttentionSize&) -> AttentionPtr {
    return std::make_shared<Keeping>();
  };
  EXPECT_THAT(AttentionContract({make}).broken(),
              Contains("it carries nothing from one sentence to another"));
}

}  // namespace
}  // namespace heed::model
