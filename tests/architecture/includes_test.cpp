// The layers of docs/architecture.md hold, and the checker that says so can fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "architecture/rules.h"
#include "temporary_folder.h"

namespace heed::architecture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kRoot = HEED_SOURCE_DIR;

TEST(Architecture, IncludesPointDownward) {
  EXPECT_THAT(upward_includes(kRoot), IsEmpty());
}

TEST(Architecture, OnlyModelDecodeAndTrainKnowTorch) {
  EXPECT_THAT(torch_includes(kRoot), IsEmpty());
}

TEST(Architecture, OnlyAppsPrintProducts) {
  EXPECT_THAT(writes_to_stdout(kRoot), IsEmpty());
}

TEST(Architecture, NoFileIsLongerThan400Lines) {
  EXPECT_THAT(long_files(kRoot, 400), IsEmpty());
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
  tree.write("src/eval/e.cpp", "#include \"decode/d.h\"\n#include \"apps/a.h\"\n");
  tree.write("src/extra/e.cpp", "");
  EXPECT_THAT(upward_includes(tree.path()),
              ElementsAre("src/config/b.h must not include model/m.h",
                          "src/eval/e.cpp must not include apps/a.h",
                          "src/extra/e.cpp is in no known layer",
                          "src/train/t.cpp must not include decode/d.h"));
}

TEST(ArchitectureRules, FindTorchBehindOtherHeaders) {
  const TemporaryFolder tree;
  tree.write("src/model/m.h", "#include <ATen/ATen.h>\n");
  tree.write("src/decode/d.h", "#include \"model/m.h\"\n");
  tree.write("src/eval/e.cpp", "#include \"decode/d.h\"\n");
  tree.write("src/text/t.cpp", "#include <torch/torch.h>\n");
  tree.write("src/data/d.cpp", "// #include <torch/torch.h>\n#include <vector>\n");
  EXPECT_THAT(torch_includes(tree.path()),
              ElementsAre("src/eval/e.cpp reaches ATen/ATen.h through src/model/m.h",
                          "src/text/t.cpp reaches torch/torch.h through src/text/t.cpp"));
}

TEST(ArchitectureRules, FindWhatIsPrintedAndWhatIsLong) {
  const TemporaryFolder tree;
  tree.write("src/text/t.cpp", "// std::cout\nstd::snprintf(a);\nstd::cout << 1;\nprintf(\"\");\n");
  EXPECT_THAT(writes_to_stdout(tree.path()), ElementsAre("src/text/t.cpp:3 writes to stdout",
                                                         "src/text/t.cpp:4 writes to stdout"));
  EXPECT_THAT(long_files(tree.path(), 3), ElementsAre("src/text/t.cpp has 4 lines"));
}

}  // namespace
}  // namespace heed::architecture
