// A weight that is no number makes every score no number, whichever model and whichever weight: no
// kernel and no layer on the way turns NaN into something else.
#include <gtest/gtest.h>

#include <cmath>

#include "model/kinds.h"
#include "model/model.h"

namespace heed::model {
namespace {

using namespace testing;

/// scores [sentences, target, pieces]. From the second position on: maxout reads the state before a
/// step, and the one before the first comes from the encoder alone.
bool all_nan(const Tensor& scores) {
  return scores.narrow(1, 1, scores.size(1) - 1).isnan().all().item<bool>();
}

TEST(NanWeights, MakeEveryScoreOfEveryModelNan) {
  const Source source = source_of(three_sources());
  const Tensor target = padded(three_targets());
  for (const auto& [name, config] : every_kind()) {
    SCOPED_TRACE(name);
    const ModelPtr model = model_of(config, kSourceVocabulary);
    for (const auto& parameter : model->named_parameters()) {
      const Tensor weight = parameter.value().detach(), kept = weight.clone();
      weight.fill_(NAN);
      EXPECT_TRUE(all_nan(model->logits(model->features(source, target)))) << parameter.key();
      const at::NoGradGuard no_gradients;
      EXPECT_TRUE(all_nan(model->logits(model->features(source, target))))
          << parameter.key() << ", without gradients";
      State state = model->start(source);
      model->step(at::full({3, 1}, kBos, at::kLong), state);
      EXPECT_TRUE(model->step(at::full({3, 1}, 5, at::kLong), state).isnan().all().item<bool>())
          << parameter.key() << ", step by step";
      weight.copy_(kept);
    }
  }
}

}  // namespace
}  // namespace heed::model
