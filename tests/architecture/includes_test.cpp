// The rooms of docs/architecture.md hold, and the checker that says so can fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "architecture/rules.h"
#include "paths.h"
#include "temporary_folder.h"

namespace heed::architecture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char* const kRoot = paths::kSource;

TEST(Architecture, IncludesPointDownward) {
  EXPECT_THAT(upward_includes(kRoot), IsEmpty());
}

TEST(Architecture, CommandsMeetInWhatTheyShareAlone) {
  EXPECT_THAT(includes_between_commands(kRoot), IsEmpty());
}

TEST(Architecture, NoRoomIsAHall) {
  EXPECT_THAT(large_rooms(kRoot, 1. / 6), IsEmpty());
}

TEST(Architecture, TorchIsKnownToTensorsRoomsAlone) {
  EXPECT_THAT(torch_includes(kRoot), IsEmpty());
}

TEST(Architecture, OnlyAppsPrintProducts) {
  EXPECT_THAT(writes_to_stdout(kRoot), IsEmpty());
}

TEST(Architecture, JsonIsParsedInOnePlace) {
  EXPECT_THAT(direct_parses_of_json(kRoot), IsEmpty());
}

TEST(Architecture, NoCharacterIsWhatALocaleSays) {
  EXPECT_THAT(locale_includes(kRoot), IsEmpty());
}

TEST(Architecture, TheTreeIsFound) {
  EXPECT_GT(includes_of(kRoot, "src").size(), 20U);
}

TEST(ArchitectureRules, FindAnIncludeThatPointsUpwardOrSideways) {
  const TemporaryFolder tree;
  tree.write("src/config/a.h",
             "#include \"base/x.h\"\n#include \"config/b.h\"\n#include <vector>\n");
  tree.write("src/config/b.h", "#  include \"model/m.h\"\n");
  tree.write("src/train/t.cpp", "#include \"decode/d.h\"\n#include \"model/m.h\"\n");
  tree.write("src/draw/e.cpp", "#include \"decode/d.h\"\n#include \"apps/a.h\"\n");
  tree.write("src/extra/e.cpp", "");
  EXPECT_THAT(
      upward_includes(tree.path()),
      ElementsAre("src/config/b.h must not include model/m.h",
                  "src/draw/e.cpp must not include decode/d.h",
                  "src/draw/e.cpp must not include apps/a.h", "src/extra/e.cpp is in no known room",
                  "src/train/t.cpp must not include decode/d.h"));
}

TEST(ArchitectureRules, KeepThePartsOfAModelApart) {
  const TemporaryFolder tree;
  tree.write("src/model/model.cpp", "#include \"model/recurrent/r.h\"\n");
  tree.write("src/model/recurrent/r.cpp", "#include \"model/transformer/t.h\"\n");
  tree.write("src/model/transformer/t.h", "#include \"model/m.h\"\n#include \"kernels/k.h\"\n");
  tree.write("src/train/t.cpp", "#include \"model/transformer/t.h\"\n");
  tree.write("src/train/d.cpp", "#include \"model/description/d.h\"\n");
  tree.write("src/model/description/d.cpp",
             "#include \"model/m.h\"\n#include \"model/recurrent/registry.def\"\n");
  tree.write("src/kernels/rows/r.cpp", "#include \"kernels/k.h\"\n");
  EXPECT_THAT(upward_includes(tree.path()),
              ElementsAre("src/kernels/rows/r.cpp must not include kernels/k.h",
                          "src/model/description/d.cpp must not include model/m.h",
                          "src/model/recurrent/r.cpp must not include model/transformer/t.h",
                          "src/train/t.cpp must not include model/transformer/t.h"));
}

TEST(ArchitectureRules, FindACommandThatIncludesAnother) {
  const TemporaryFolder tree;
  tree.write("apps/train.cpp", "#include \"apps/commands.h\"\n#include \"apps/export/b.h\"\n");
  tree.write("apps/export/b.cpp", "#include \"apps/export/b.h\"\n#include \"apps/cli/s.h\"\n");
  tree.write("apps/cli/s.h", "#include \"apps/commands.h\"\n");
  EXPECT_THAT(includes_between_commands(tree.path()),
              ElementsAre("apps/cli/s.h must not include apps/commands.h",
                          "apps/train.cpp must not include apps/export/b.h"));
}

TEST(ArchitectureRules, FindARoomThatHasGrownTooLarge) {
  const TemporaryFolder tree;
  tree.write("src/text/t.cpp", "\n\n\n");
  tree.write("apps/a.cpp", "\n");
  EXPECT_THAT(large_rooms(tree.path(), 0.5), ElementsAre("text holds 3 of 4 lines"));
}

TEST(ArchitectureRules, FindTorchBehindOtherHeaders) {
  const TemporaryFolder tree;
  tree.write("src/model/m.h", "#include <ATen/ATen.h>\n");
  tree.write("src/decode/d.h", "#include \"model/m.h\"\n");
  tree.write("src/draw/e.cpp", "#include \"decode/d.h\"\n");
  tree.write("src/text/t.cpp", "#include <torch/torch.h>\n");
  tree.write("src/kernels/rows/r.cpp", "#include <c10/x.h>\n");
  tree.write("src/data/d.cpp", "// #include <torch/torch.h>\n#include <vector>\n");
  EXPECT_THAT(torch_includes(tree.path()),
              ElementsAre("src/draw/e.cpp reaches ATen/ATen.h through src/model/m.h",
                          "src/kernels/rows/r.cpp reaches c10/x.h through src/kernels/rows/r.cpp",
                          "src/text/t.cpp reaches torch/torch.h through src/text/t.cpp"));
}

TEST(ArchitectureRules, FindLocales) {
  const TemporaryFolder tree;
  tree.write("src/text/t.cpp", "#include <wctype.h>\n#include \"text/locale\"\n");
  tree.write("apps/a.cpp", "#include <locale>\n#include <vector>\n");
  EXPECT_THAT(locale_includes(tree.path()), ElementsAre("src/text/t.cpp must not include wctype.h",
                                                        "apps/a.cpp must not include locale"));
}

TEST(ArchitectureRules, FindWhatIsPrinted) {
  const TemporaryFolder tree;
  tree.write("src/text/t.cpp", "// std::cout\nstd::snprintf(a);\nstd::cout << 1;\nprintf(\"\");\n");
  EXPECT_THAT(writes_to_stdout(tree.path()), ElementsAre("src/text/t.cpp:3 writes to stdout",
                                                         "src/text/t.cpp:4 writes to stdout"));
}

TEST(ArchitectureRules, FindJsonThatIsParsedWithoutALimit) {
  const TemporaryFolder tree;
  tree.write("src/base/json.cpp", "json::parse(text);\n");
  tree.write("src/text/t.cpp", "// json::parse(a)\nauto a = nlohmann::json::parse(b);\n");
  tree.write("apps/a.cpp", "Json::from_cbor(b);\njson_of(b);\n");
  EXPECT_THAT(direct_parses_of_json(tree.path()),
              ElementsAre("src/text/t.cpp:2 parses JSON without base/json.h",
                          "apps/a.cpp:1 parses JSON without base/json.h"));
}

}  // namespace
}  // namespace heed::architecture
