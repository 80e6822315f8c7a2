// Messages that name a cure: it is applied as it is named, and the command passes.
#include <regex>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

struct Cure {
  const char* name;
  /// CONFIG stands for a sound configuration, RUN for a trained model, FOLDER for where they are.
  std::vector<std::string> command;
  std::string message;  // a regular expression
  /// The cure that the message names: this word of the command becomes `by`, in which $1 is the
  /// expression's first group. Without a word `by` is added to the command.
  std::string word;
  std::vector<std::string> by;
};

std::ostream& operator<<(std::ostream& out, const Cure& cure) {
  return out << cure.name;
}

std::vector<std::string> check_with(const std::string& setting) {
  return {"config", "CONFIG", "--check", "--set", setting};
}

std::vector<std::string> translate_with(const std::string& setting) {
  return {"translate", "RUN", "--set", setting};
}

const std::vector<std::string> kSet = {"--set", "$1=$2"};

const std::vector<Cure>& all_cures() {
  static const std::vector<Cure> cures = {
      {"AVocabularyTooLarge", check_with("data.vocabulary.size=5000"),
       R"(set (\S+) to at most (\d+))", "", kSet},
      {"AUnigramVocabularyTooLarge",
       {"config", "CONFIG", "--check", "--set", "data.vocabulary.algorithm=unigram", "--set",
        "data.vocabulary.size=5000"},
       R"(set (\S+) to at most (\d+))",
       "",
       kSet},
      {"AVocabularyTooSmall",
       {"config", "CONFIG", "--check", "--set", "data.vocabulary.byte_fallback=true"},
       R"(set (\S+) to at least (\d+))",
       "",
       kSet},
      {"AVocabularyOfACommand",
       {"vocab", "FOLDER/train.src", "-o", "FOLDER/v.spm", "--size", "5000"},
       R"(set --size to at most (\d+))",
       "5000",
       {"$1"}},
      {"AMisspeltKey",
       check_with("training.lerning_rate=0.01"),
       R"(training\.lerning_rate: unknown key; did you mean '(\S+)'\?)",
       "training.lerning_rate=0.01",
       {"$1=0.01"}},
      {"AMisspeltValue",
       check_with("training.schedule=cosin"),
       R"(training\.schedule.*did you mean '(\S+)'\?)",
       "training.schedule=cosin",
       {"training.schedule=$1"}},
      {"AMisspeltFile",
       check_with("data.train.source=FOLDER/trian.src"),
       R"(data\.train\.source: .*'(\S+/train\.src)')",
       "",
       {"--set", "data.train.source=$1"}},
      {"NamesOfBothFilesAsAList",
       check_with("data.train=[FOLDER/train.src, FOLDER/train.tgt]"),
       R"(data\.train: .*; write (\{source: .*\}))",
       "data.train=[FOLDER/train.src, FOLDER/train.tgt]",
       {"data.train=$1"}},
      {"AShortKeyOfACorpus",
       check_with("data.train.src=FOLDER/train.src"),
       R"(--set data\.train\.src: unknown key; did you mean '(\S+)'\?)",
       "data.train.src=FOLDER/train.src",
       {"$1=FOLDER/train.src"}},
      {"AMisspeltCommand", {"confg", "CONFIG"}, R"(did you mean '(\S+)'\?)", "confg", {"$1"}},
      {"AMisspeltOption",
       {"config", "CONFIG", "--chek"},
       R"(did you mean '(\S+)'\?)",
       "--chek",
       {"$1"}},
      {"AnOptionThatIsAKey",
       {"config", "CONFIG", "--train-steps=5"},
       R"(`--set (\S+)=5` does this)",
       "--train-steps=5",
       {"--set", "$1=5"}},
      {"AnOptionForHalfPrecision",
       {"config", "CONFIG", "--check", "--fp16"},
       R"(`--set (\S+)` does this)",
       "--fp16",
       {"--set", "$1"}},
      {"AnOptionForTheProcessor",
       {"config", "CONFIG", "--check", "--cpu"},
       R"(`--set (\S+)` does this)",
       "--cpu",
       {"--set", "$1"}},
      {"AnOptionForTheKindOfModel",
       {"config", "CONFIG", "--check", "--arch"},
       R"(`--set (\S+)` does this)",
       "--arch",
       {"--set", "$1"}},
      {"ASettingWithoutItsOption",
       {"config", "CONFIG", "--check", "training.updates=7"},
       R"(write --set (\S+))",
       "training.updates=7",
       {"--set", "$1"}},
      {"AFileThatIsAKey",
       {"config", "training.updates"},
       R"(`heed config --explain (\S+)`)",
       "training.updates",
       {"--explain", "$1"}},
      {"AnEpochThatIsAKeyOfSeveral",
       check_with("training.epoch=0"),
       R"(did you mean '(\S+)'\?)",
       "training.epoch=0",
       {"$1=0"}},
      {"ACommandThatExplains",
       {"explain", "updates"},
       R"(`heed (config) (--explain) updates`)",
       "explain",
       {"$1", "$2"}},
      {"ACommandForPieces",
       {"spm_train", "FOLDER/train.src", "-o", "FOLDER/v.model", "--size", "20"},
       R"(`heed (vocab) FILE -o)",
       "spm_train",
       {"$1"}},
      {"ACommandThatFilters",
       {"filter", "FOLDER/train.src", "FOLDER/train.tgt"},
       R"(`heed (clean) \S+ \S+ (--remove) (all) (-o) cleaned`)",
       "filter",
       {"$1", "$2", "$3", "$4", "FOLDER/cleaned"}},
      {"AKeyToExplain",
       {"config", "--explain", "source"},
       R"(explain one of ([^ ,]+), )",
       "source",
       {"$1"}},
      {"MoreTranslationsThanTheBeam",
       translate_with("decoding.n_best=7"),
       R"(got (\d+), .*raise (decoding\.beam_size))",
       "",
       {"--set", "$2=$1"}},
      {"MoreCandidatesThanTheBeam", translate_with("decoding.mbr=6"),
       R"(with (decoding\.sampling\.top_p): (\S+))", "", kSet},
      {"AForbiddenEnd",
       translate_with("decoding.forbid=[</s>]"),
       R"((decoding\.forbid): .*leave it out)",
       "",
       {"--set", "$1=[]"}},
      {"APieceThatIsNone",
       translate_with("decoding.forbid=[abc]"),
       R"((decoding\.forbid): .* spells it (\S+) )",
       "",
       {"--set", "$1=[$2]"}},
      {"ALineThatIsCut",
       translate_with("decoding.max_source_length=2"),
       R"(\((\S+) raises it\))",
       "",
       {"--set", "$1=9"}},
      {"AScoreThatDecidesAndIsNotComputed", check_with("training.early_stopping.metric=bleu"),
       R"(set (training\.validate_bleu): (true),)", "", kSet},
      {"ADirectionThatIsKnown", check_with("training.early_stopping.lower_is_better=true"),
       R"((training\.early_stopping\.lower_is_better): .*set it to (false))", "", kSet},
      {"AWarmupThatIsNeeded",
       {"config", "CONFIG", "--check", "--set", "training.schedule=noam", "--set",
        "training.warmup=0"},
       R"((training\.warmup): noam needs at least (1) )",
       "",
       kSet},
      {"TiedEmbeddingsOfTwoVocabularies", check_with("data.vocabulary.kind=separate"),
       R"(set (data\.vocabulary\.kind): (joint))", "", kSet},
      {"APrecisionOfGpus", check_with("precision=fp16"), R"(set (precision) to (bf16))", "", kSet},
      {"ATokenizerThatIsNone",
       {"config", "CONFIG", "--check", "--set", "training.validate_bleu=true", "--set",
        "evaluation.tokenize=14a"},
       R"((evaluation\.tokenize): .*; use (\S+),)",
       "",
       kSet},
      {"AMetricThatIsNone",
       check_with("evaluation.metrics=[bluu]"),
       R"((evaluation\.metrics): .*did you mean '(\S+)'\?)",
       "",
       {"--set", "$1=[$2]"}},
      {"GoldThatCountsFromOne",
       {"align", "RUN", "--source", "FOLDER/one.src", "--target", "FOLDER/one.tgt", "--gold",
        "FOLDER/one.align"},
       R"(\((--one-based),)",
       "",
       {"$1"}},
  };
  return cures;
}

class Cures : public testing::TestWithParam<Cure> {
 protected:
  void SetUp() override {
    write_toy_pairs(folder_, "train", 200, 1);
    write_toy_pairs(folder_, "valid", 7, 2);
    folder_.write("one.src", "a b\n");
    folder_.write("one.tgt", "b a\n");
    folder_.write("one.align", "1-2 2-1\n");
    config_ = write_toy_config(folder_, {"run", kTransformer, "updates: 3"});
  }
  Result run(const std::vector<std::string>& command) const {
    std::vector<std::string> words;
    for (const std::string& word : command) {
      std::string out = std::regex_replace(word, std::regex("CONFIG"), config_);
      out = std::regex_replace(out, std::regex("FOLDER/"), folder_ / "");
      words.push_back(std::regex_replace(out, std::regex("RUN"), Toy::get().transformer));
    }
    return run_heed(words, "a b c\n");
  }

  TemporaryFolder folder_;
  std::string config_;
};

TEST_P(Cures, Cure) {
  const Cure& cure = GetParam();
  const std::regex message(cure.message);
  const Result before = run(cure.command);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(before.err, found, message)) << before.err;
  std::vector<std::string> by, command;
  for (const std::string& word : cure.by) by.push_back(found.format(word));
  for (const std::string& word : cure.command) {
    const bool replaced = word == cure.word;
    if (!replaced) command.push_back(word);
    if (replaced) command.insert(command.end(), by.begin(), by.end());
  }
  if (cure.word.empty()) command.insert(command.end(), by.begin(), by.end());
  const Result after = run(command);
  EXPECT_EQ(after.status, 0) << join(command, " ") << "\n" << after.err;
  EXPECT_FALSE(std::regex_search(after.err, message)) << after.err;
}

INSTANTIATE_TEST_SUITE_P(Messages, Cures, testing::ValuesIn(all_cures()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace heed::cli
