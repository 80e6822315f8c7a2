// Which attention links words, by a run's configuration.
#include "run/line_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "run/config.h"
#include "study/alignment.h"

namespace heed::run {
namespace {

using study::AlignmentChoice;

/// A Transformer of three layers and four heads.
AlignmentChoice choice_of(const std::string& settings) {
  Config config;
  config.model.decoder_layers = 3;
  config.model.width = 8;
  config.model.heads = 4;
  config.data.train = {{.source = "a", .target = "b", .alignment = "c"}};
  std::vector<std::string> all;
  for (std::size_t at = 0; at < settings.size();) {
    const std::size_t end = std::min(settings.find(' ', at), settings.size());
    all.push_back(settings.substr(at, end - at));
    at = end + 1;
  }
  return usual_choice(with_settings(config, all));
}

TEST(UsualChoice, IsTheLayerBeforeTheLastWhereNothingIsSaid) {
  EXPECT_EQ(choice_of(""), (AlignmentChoice{.layer = 1, .head = -1}));
}

TEST(UsualChoice, IsWhatDecodingAlignmentNames) {
  EXPECT_EQ(choice_of("decoding.alignment.layer=2"), (AlignmentChoice{.layer = 2, .head = -1}));
  EXPECT_EQ(choice_of("decoding.alignment.head=3"), (AlignmentChoice{.layer = 1, .head = 3}));
  EXPECT_EQ(choice_of("decoding.alignment.layer=0 decoding.alignment.head=2"),
            (AlignmentChoice{.layer = 0, .head = 2}));
}

TEST(UsualChoice, ElseTheHeadThatWasTaught) {
  const std::string taught =
      "training.guided_alignment=0.1 training.taught_layer=2 training.taught_head=1 "
      "training.guided_step=reads ";
  EXPECT_EQ(choice_of(taught), (AlignmentChoice{.layer = 2, .head = 1, .reads = true}));
  EXPECT_EQ(choice_of(taught + "decoding.alignment.head=3"),
            (AlignmentChoice{.layer = 2, .head = 3, .reads = true}));
  EXPECT_EQ(choice_of(taught + "decoding.alignment.layer=2"),
            (AlignmentChoice{.layer = 2, .head = 1, .reads = true}));
  EXPECT_EQ(choice_of(taught + "decoding.alignment.layer=0"),
            (AlignmentChoice{.layer = 0, .head = -1, .reads = true}));
}

TEST(UsualChoice, CountsHeadsAmongThoseThatAreLeft) {
  const std::string pruned = "model.pruned_heads=[cross.2.0,cross.2.2] ";
  EXPECT_EQ(choice_of(pruned + "decoding.alignment.layer=2 decoding.alignment.head=3"),
            (AlignmentChoice{.layer = 2, .head = 1}));
}

}  // namespace
}  // namespace heed::run
