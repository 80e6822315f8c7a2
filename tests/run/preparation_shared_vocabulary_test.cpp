// data.vocabulary.kind: shared, two files with the same pieces.
#include <filesystem>
#include <string>
#include <vector>

#include "run/in_process.h"
#include "text/vocabulary.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;
using namespace cli;
using ::testing::HasSubstr;

class SharedVocabulary : public ::testing::Test {
 protected:
  void SetUp() override {
    write_toy_pairs(folder_, "train", 60, 1);
    write_toy_pairs(folder_, "valid", 5, 2);
    const text::Vocabulary pieces =
        text::train_vocabulary({.files = {folder_ / "train.src"}, .size = 32, .algorithm = "bpe"});
    pieces.save(folder_ / "a.spm");
    pieces.save(folder_ / "b.spm");
    text::train_vocabulary({.files = {folder_ / "train.src"}, .size = 33, .algorithm = "bpe"})
        .save(folder_ / "other.spm");
  }
  Result train(const std::string& name, const std::string& vocabulary,
               const std::vector<std::string>& more = {}) {
    return run::train(
        write_toy_config(folder_, {.name = name,
                                   .model = kTransformer,
                                   .training = "updates: 2, validate_every: 2, save_every: 2",
                                   .vocabulary = "kind: shared" + vocabulary}),
        more);
  }
  std::string files(const std::string& source, const std::string& target) const {
    return ", source: " + (folder_ / source) + ", target: " + (folder_ / target);
  }

  TemporaryFolder folder_;
};

TEST_F(SharedVocabulary, TiesAllEmbeddingsAndIsTwoFiles) {
  const Result result = train("run", files("a.spm", "b.spm"));
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* file : {"source.spm", "target.spm"})
    EXPECT_TRUE(fs::exists(fs::path(folder_ / "run") / file));
  EXPECT_FALSE(fs::exists(folder_ / "run/joint.spm"));
  const Result tuned = train("tuned", "", {"--set", "training.from=" + (folder_ / "run")});
  ASSERT_EQ(tuned.status, 0) << tuned.err;
  EXPECT_EQ(read_file(folder_ / "tuned/target.spm"), read_file(folder_ / "b.spm"));
  expect_mistake(
      train("joint", "",
            {"--set", "training.from=" + (folder_ / "run"), "--set", "data.vocabulary.kind=joint"}),
      {"training.from", "has data.vocabulary.kind: shared"});
}

TEST_F(SharedVocabulary, NeedsTwoFilesWithTheSamePieces) {
  expect_mistake(train("none", ""), {"data.vocabulary.source: kind: shared", "name one"});
  expect_mistake(train("half", ", source: " + (folder_ / "a.spm")),
                 {"data.vocabulary.target: kind: shared"});
  const auto a = text::Vocabulary::load(folder_ / "a.spm"),
             other = text::Vocabulary::load(folder_ / "other.spm");
  int32_t id = 0;
  while (id < a.size() && a.piece(id) == other.piece(id)) ++id;
  expect_mistake(train("other", files("a.spm", "other.spm")),
                 {"data.vocabulary.kind: shared: piece " + std::to_string(id) + " of the source"});
  EXPECT_FALSE(fs::exists(folder_ / "other/model.safetensors"));
}

}  // namespace
}  // namespace heed::run
