// Keys of older versions.
#include <gtest/gtest.h>

#include "config/io.h"
#include "message.h"
#include "train/config.h"

namespace heed {
namespace {

struct Sections {
  HEED_CONFIG(Sections);
  HEED_SECTION(train::TrainConfig, training, "The optimisation.")
};

std::string error(const std::string& yaml) {
  Sections sections;
  return message_of<config::ConfigError>([&] { config::load_text(sections, yaml, "x.yaml"); });
}

TEST(FormerKeys, AreReadByTheirPresentNames) {
  Sections sections;
  config::load_text(sections, "training: {guided_layer: 1}", "x.yaml");
  config::set(sections, "training.guided_head=3");
  EXPECT_EQ(sections.training.taught_layer, 1);
  EXPECT_EQ(sections.training.taught_head, 3);
  EXPECT_EQ(config::dump(sections).find("guided_layer"), std::string::npos);
  EXPECT_NE(config::find_field(config::view(sections), "training.guided_layer"), nullptr);
  EXPECT_EQ(error("training: {guided_layer: 1, taught_layer: 1}"),
            "x.yaml:1: training.taught_layer: given twice, first on line 1");
}

}  // namespace
}  // namespace heed
