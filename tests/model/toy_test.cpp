// The attentions, the kind of position and the normaliser that docs/extending.md adds. Each is one
// file and one line of a registry: nothing else in this program knows their names.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "config/io.h"
#include "engine/network.h"
#include "guide.h"
#include "model/description/traits.h"
#include "model/model.h"
#include "model/recurrent/attention_contract.h"
#include "model/transformer/attention_contract.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {
namespace {

using testing::broken_promises;
using ::testing::IsEmpty;

TEST(AToyAttention, IsARegisteredOneWithoutAnotherEdit) {
  ModelConfig config;
  config.type = ModelType::rnn;
  config::set(config, "attention=cosine");
  config.input_feeding = true;
  config.window = Window::local_p;
  EXPECT_NO_THROW(check(config, true));
  EXPECT_TRUE(make_model(config, {5, 5})->attends());
  EXPECT_THAT(broken_promises(std::string("cosine")), IsEmpty());
}

TEST(AToySelfAttention, IsARegisteredOneWithoutAnotherEdit) {
  ModelConfig config;
  config::set(config, "self_attention=qk_norm");
  config.sliding_window = 3;
  EXPECT_NO_THROW(check(config, true));
  // src/engine does not know what it does before the products.
  EXPECT_FALSE(self_attention_info("qk_norm").is_plain());
  EXPECT_THAT(broken_promises(self_attention_info("qk_norm")), IsEmpty());
}

TEST(AToyKindOfPosition, IsARegisteredOneWithoutAnotherEdit) {
  ModelConfig config;
  config::set(config, "positions=kerple");
  config.sliding_window = 3;
  EXPECT_NO_THROW(check(config, true));
  config.sliding_window = 0;
  config.self_attention = "linear";  // its line says that it adds to scores
  EXPECT_THROW(check(config, true), config::ConfigError);
}

TEST(AToyNormaliser, IsARegisteredOneWithoutAnotherEdit) {
  ModelConfig config;
  config::set(config, "attention_normaliser=sigmoids");
  EXPECT_NO_THROW(check(config, true));
  // s(0) = 1/2, s(ln 3) = 3/4.
  const Tensor weights =
      kernels::normaliser("sigmoids")(at::tensor({0.0, std::log(3.0)}, at::kDouble));
  EXPECT_NEAR(weights[1].item<double>(), 0.6, 1e-12);
}

// Their lines say so: LibTorch translates with them.
TEST(Toys, HaveNoEngine) {
  ModelConfig recurrent;
  recurrent.type = ModelType::rnn;
  EXPECT_TRUE(engine::has_network(recurrent));
  EXPECT_TRUE(engine::has_network(ModelConfig()));
  for (const char* setting : {"attention=cosine", "attention_normaliser=sigmoids"}) {
    ModelConfig config = recurrent;
    config::set(config, setting);
    EXPECT_FALSE(engine::has_network(config)) << setting;
  }
  for (const char* setting :
       {"self_attention=qk_norm", "positions=kerple", "attention_normaliser=sigmoids"}) {
    ModelConfig config;
    config::set(config, setting);
    EXPECT_FALSE(engine::has_network(config)) << setting;
  }
}

TEST(Toys, AreThoseOfTheGuide) {
  for (const char* file : {"cosine.cpp", "qk_norm.cpp", "kerple.cpp", "sigmoids.cpp"})
    expect_in_guide(std::string("tests/model/toy/") + file);
  for (const char* folder : {"model/recurrent/attention", "model/transformer/attention",
                             "model/transformer/positions", "kernels/normalisers"})
    expect_in_guide("tests/model/toy/" + std::string(folder) + "/registry.def");
}

}  // namespace
}  // namespace heed::model
