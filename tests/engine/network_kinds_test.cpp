// Which kinds of the registries have an engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/network.h"
#include "model/description/config.h"

namespace heed::engine {
namespace {

using model::ModelConfig;
using model::ModelType;
using ::testing::IsEmpty;

TEST(Engines, AreThereForEveryShippedKind) {
  std::vector<std::string> without;
  const auto ask = [&](const char* key, const std::vector<std::string>& names,
                       std::string ModelConfig::*member, ModelType type) {
    EXPECT_FALSE(names.empty()) << key;
    for (const std::string& name : names) {
      ModelConfig config;
      config.type = type;
      config.*member = name;
      if (!has_network(config)) without.push_back(key + (" " + name));
    }
  };
  ask("attention", model::attention_names(), &ModelConfig::attention, ModelType::rnn);
  ask("self_attention", model::self_attention_names(), &ModelConfig::self_attention,
      ModelType::transformer);
  ask("positions", model::position_names(), &ModelConfig::positions, ModelType::transformer);
  for (const ModelType type : {ModelType::rnn, ModelType::transformer})
    ask("attention_normaliser", model::normaliser_names(), &ModelConfig::attention_normaliser,
        type);
  EXPECT_THAT(without, IsEmpty());
}

}  // namespace
}  // namespace heed::engine
