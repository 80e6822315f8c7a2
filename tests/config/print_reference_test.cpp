#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/io.h"
#include "config/print.h"
#include "config/toy_config.h"
#include "message.h"

namespace heed::config {
namespace {

using ::testing::HasSubstr;

TEST(Reference, HasARowForEveryKey) {
  const std::string page = reference<ToyConfig>();
  EXPECT_THAT(page, HasSubstr("| `name` | text | `toy` |  | free | What it is called. |\n"));
  EXPECT_THAT(page, HasSubstr("## `model`\n\nThe network.\n\n| key | type |"));
  EXPECT_THAT(page, HasSubstr("| `hidden_size` | whole number | `512` | in [2, 16384] | fixed | "
                              "Width of the state. |\n"));
  EXPECT_THAT(page,
              HasSubstr("| `colour` | name | `auto` | one of auto, red, light_blue | fixed | "));
  EXPECT_THAT(page, HasSubstr("| `early_stopping` | section |  |  |  | When to stop. |\n"
                              "| `early_stopping.patience` | whole number | `10` |"));
  EXPECT_THAT(page, HasSubstr("| `train` | list of sections | `[]` |  | fixed | Corpora. |\n"
                              "| `train.source` | text | `\"\"` |"));
}

TEST(Reference, ListsWhatValuesMean) {
  EXPECT_THAT(reference<ToyConfig>(), HasSubstr("\nThe values of `attention`:\n\n"
                                                "- `none`: It does not look.\n"
                                                "- `luong_dot`: It looks | once.\n"));
}

TEST(Reference, ListsWhatAnEnumerationsValuesMean) {
  EXPECT_THAT(reference<ToyConfig>(), HasSubstr("\nThe values of `colour`:\n\n"
                                                "- `auto`: Any, whichever.\n"
                                                "- `red`: That of | roses.\n"
                                                "- `light_blue`: The sky's.\n"));
}

TEST(Reference, ABarDoesNotBreakATable) {
  EXPECT_THAT(reference<ToyConfig>(), HasSubstr("Share of zeros \\| while training."));
}

TEST(Explain, AKey) {
  EXPECT_EQ(explain<ToyConfig>("model.hidden_size"),
            "model.hidden_size\n"
            "  Width of the state.\n"
            "  type       whole number\n"
            "  default    512\n"
            "  allowed    in [2, 16384]\n"
            "  on resume  fixed\n");
}

TEST(Explain, AKeyWithASentenceOnEachValue) {
  EXPECT_EQ(explain<ToyConfig>("model.attention"),
            "model.attention\n"
            "  How it looks.\n"
            "  type       text\n"
            "  default    none\n"
            "  allowed    one of none, luong_dot, luong_general\n"
            "  on resume  fixed\n"
            "  values\n"
            "    none           It does not look.\n"
            "    luong_dot      It looks | once.\n"
            "    luong_general  It looks twice.\n");
}

TEST(Explain, AnEnumeration) {
  EXPECT_EQ(explain<ToyConfig>("model.colour"),
            "model.colour\n"
            "  What it looks like.\n"
            "  type       name\n"
            "  default    auto\n"
            "  allowed    one of auto, red, light_blue\n"
            "  on resume  fixed\n"
            "  values\n"
            "    auto        Any, whichever.\n"
            "    red         That of | roses.\n"
            "    light_blue  The sky's.\n");
}

TEST(Explain, ASection) {
  EXPECT_EQ(explain<ToyConfig>("train"),
            "train\n"
            "  Corpora.\n"
            "  type       list of sections\n"
            "  default    []\n"
            "  on resume  fixed\n"
            "  keys\n"
            "    source  Source sentences.\n"
            "    weight  How often they are read.\n");
}

TEST(Explain, AnUnknownKeyNamesTheNearest) {
  const auto error = [](const std::string& path) {
    return message_of<ConfigError>([&] { explain<ToyConfig>(path); });
  };
  EXPECT_EQ(error("model.hiden_size"),
            "model.hiden_size: unknown key; did you mean 'model.hidden_size'?");
  EXPECT_EQ(error("name.x"), "name: is a value, not a section");
}

TEST(Explain, FindsAKeyByItsLastName) {
  EXPECT_EQ(explain<ToyConfig>("hidden_size"), explain<ToyConfig>("model.hidden_size"));
  EXPECT_EQ(explain<ToyConfig>("early_stopping.patience"),
            explain<ToyConfig>("training.early_stopping.patience"));
}

TEST(DumpWithHelp, SaysWhatEachKeyDoes) {
  ToyConfig toy;
  load_text(toy, "\nmodel: {dropout: 0.2}", "x.yaml");
  const std::string text = dump_with_help(toy);
  EXPECT_THAT(text, HasSubstr("# The network.\nmodel:\n"
                              "  # Width of the state. (in [2, 16384])\n"
                              "  hidden_size: 512\n"));
  EXPECT_THAT(text, HasSubstr("\n  dropout: 0.2\n"));
}

TEST(DumpWithHelp, LoadsBack) {
  ToyConfig toy, back;
  toy.name = "another";
  toy.train.resize(3);
  load_text(back, dump_with_help(toy), "x.yaml");
  EXPECT_EQ(dump(back), dump(toy));
}

}  // namespace
}  // namespace heed::config
