// Options of heed translate together: what is told beside a translation is right however the
// translation was found.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using nlohmann::json;
using ::testing::SizeIs;
using Lines = std::vector<std::string>;

struct Way {
  const char* name;
  bool ensemble, prefixes;
  Lines options;
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

class TranslateTogether : public testing::TestWithParam<Way> {
 protected:
  TranslateTogether() {
    const Toy& toy = Toy::get();
    model_ = GetParam().ensemble ? toy.rnn + "," + toy.transformer : toy.rnn;
    const Lines pairs = lines_of(read_file(toy.folder / "test.src"));
    std::string source, prefixes;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      // A word of which no piece is known, and a blank line.
      source += i % 5 == 3 ? "\u00df " + pairs[i] + "\n" : i == 7 ? "\n" : pairs[i] + "\n";
      prefixes += i % 2 == 0 && i != 7 ? "ij\n" : "\n";
    }
    source_ = folder_.write("source", source);
    prefixes_ = folder_.write("prefixes", prefixes);
  }

  Lines words(const Lines& more) const {
    Lines words{"translate", model_, source_};
    if (GetParam().prefixes) words.insert(words.end(), {"--prefix", prefixes_});
    words.insert(words.end(), GetParam().options.begin(), GetParam().options.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Lines translate(const Lines& more) const { return lines_of(product(run_heed(words(more)))); }

  TemporaryFolder folder_;
  std::string model_, source_, prefixes_;
};

/// The searches in which a text has the one spelling that `heed score` gives it.
class TranslateSearched : public TranslateTogether {};

const Lines kMbr{"--set", "decoding.mbr=5"};
const Lines kDraws{"--sample", "--set", "decoding.sampling.temperature=100"};
const Lines kReplaced{"--sample", "--set", "decoding.sampling.temperature=100",
                      "--replace-unknown"};

const auto kSearched =
    testing::Values(Way{"beam", false, false, {}}, Way{"ensemble", true, false, {}},
                    Way{"prefixes", false, true, {}}, Way{"ensemble_with_prefixes", true, true, {}},
                    Way{"mbr", false, false, kMbr}, Way{"mbr_of_an_ensemble", true, false, kMbr},
                    Way{"mbr_with_prefixes", false, true, kMbr});
const auto kOthers = testing::Values(
    Way{"mbr_of_draws", false, false, {"--sample", "--set", "decoding.mbr=7"}},
    Way{"draws", false, false, kDraws}, Way{"draws_with_prefixes", false, true, kDraws},
    Way{"unknown_words", false, false, kReplaced},
    Way{"unknown_words_of_an_ensemble", true, false, kReplaced},
    Way{"unknown_words_with_prefixes", false, true, {"--replace-unknown"}});
std::string name_of(const testing::TestParamInfo<Way>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Searched, TranslateTogether, kSearched, name_of);
INSTANTIATE_TEST_SUITE_P(Others, TranslateTogether, kOthers, name_of);
INSTANTIATE_TEST_SUITE_P(Ways, TranslateSearched, kSearched, name_of);

TEST_P(TranslateTogether, WhatIsToldChangesNoTranslation) {
  const Lines plain = translate({}), scored = translate({"--scores"}),
              linked = translate({"--alignment"}), whole = translate({"--json"});
  const Lines sources = lines_of(read_file(source_));
  ASSERT_THAT(plain, SizeIs(sources.size()));
  for (const Lines* told : {&scored, &linked, &whole}) ASSERT_THAT(*told, SizeIs(plain.size()));
  for (std::size_t i = 0; i < plain.size(); ++i) {
    SCOPED_TRACE(plain[i]);
    const Lines of_scores = split(scored[i], '\t'), of_links = split(linked[i], '\t');
    ASSERT_THAT(of_scores, SizeIs(3));
    ASSERT_THAT(of_links, SizeIs(2));
    EXPECT_EQ(of_scores[1], plain[i]);
    EXPECT_EQ(of_links[0], plain[i]);
    const json object = json::parse(whole[i]);
    EXPECT_EQ(object["source"], sources[i]);
    EXPECT_EQ(object["translation"], plain[i]);
    Lines words;
    for (const json& word : object["words"]) words.push_back(word["word"]);
    EXPECT_EQ(words, split_words(plain[i]));
    EXPECT_THAT(split_words(of_scores[2]), SizeIs(words.size()));
    EXPECT_NEAR(object["log_probability"].get<double>(), std::stod(of_scores[0]), 1e-3);
    std::string links;
    for (const json& link : object["alignment"]) {
      EXPECT_LT(link[0].get<std::size_t>(), split_words(sources[i]).size());
      EXPECT_LT(link[1].get<std::size_t>(), split_words(plain[i]).size());
      links += (links.empty() ? "" : " ") + link[0].dump() + "-" + link[1].dump();
    }
    EXPECT_EQ(links, of_links[1]);
  }
}

TEST_P(TranslateSearched, ScoresAreThoseOfHeedScore) {
  std::string text;
  Lines told;
  for (const std::string& line : translate({"--scores"})) {
    told.push_back(split(line, '\t').at(0));
    text += split(line, '\t').at(1) + "\n";
  }
  const Lines scores =
      lines_of(product(run_heed({"score", model_, source_, folder_.write("target", text)})));
  ASSERT_THAT(scores, SizeIs(told.size()));
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (i == 7) continue;  // a blank line has the score 0
    EXPECT_NEAR(std::stod(scores[i]), std::stod(told[i]), 2e-3) << text;
  }
}

// The rest is cut into other batches, in which a recurrent model's numbers differ in the last
// digit.
TEST_P(TranslateTogether, AnUnfinishedFileIsContinued) {
  const std::string file = folder_ / "out";
  for (const Lines& details : {Lines{}, Lines{"--json"}}) {
    Lines command = words(details);
    command.insert(command.end(), {"-o", file});
    product(run_heed(command));
    const std::string whole = read_file(file);
    folder_.write("out", whole.substr(0, whole.size() / 2));
    command.emplace_back("--resume");
    product(run_heed(command));
    const Lines before = lines_of(whole), after = lines_of(read_file(file));
    std::filesystem::remove(file);
    ASSERT_THAT(after, SizeIs(before.size()));
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (details.empty()) {
        EXPECT_EQ(after[i], before[i]);
        continue;
      }
      const json one = json::parse(before[i]), other = json::parse(after[i]);
      for (const char* key : {"source", "translation", "cut", "alignment"})
        EXPECT_EQ(one.at(key), other.at(key)) << before[i];
      EXPECT_NEAR(one.at("log_probability").get<double>(),
                  other.at("log_probability").get<double>(), 1e-3);
    }
  }
}

}  // namespace
}  // namespace heed::cli
