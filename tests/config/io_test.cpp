#include "config/io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/toy_config.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::config {
namespace {

using ::testing::StartsWith;

struct PairOfFiles {
  HEED_CONFIG(PairOfFiles);
  HEED_FIXED(std::string, source, "", "Source sentences.")
  HEED_FIXED(std::string, target, "", "Their translations.")
};

struct ConfigOfPairs {
  HEED_CONFIG(ConfigOfPairs);
  HEED_FIXED(std::vector<PairOfFiles>, pairs, {}, "Corpora.")
};

std::string pairs_error(const std::string& yaml) {
  return message_of<ConfigError>([&] {
    ConfigOfPairs config;
    load_text(config, yaml, "x.yaml");
  });
}

ToyConfig loaded(const std::string& yaml) {
  ToyConfig toy;
  load_text(toy, yaml, "x.yaml");
  return toy;
}

std::string load_error(const std::string& yaml) {
  return message_of<ConfigError>([&] { loaded(yaml); });
}

std::string set_error(const std::string& assignment) {
  ToyConfig toy;
  return message_of<ConfigError>([&] { set(toy, assignment); });
}

TEST(Load, EveryTypeIsRead) {
  const ToyConfig toy = loaded(
      "name: my run\n"
      "quick: yes\n"
      "ends: [2, 4]\n"
      "words:\n  - a b\n  - '#1'\n"
      "train:\n  - source: one\n  - {source: two, weight: 2}\n"
      "model: {hidden_size: 64, dropout: 0, attention: luong_dot, colour: light_blue}\n"
      "training:\n  betas: [0.5, 0]\n  early_stopping:\n    patience: 3\n");
  EXPECT_EQ(toy.name, "my run");
  EXPECT_TRUE(toy.quick);
  EXPECT_EQ(toy.ends, (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(toy.words, (std::vector<std::string>{"a b", "#1"}));
  ASSERT_EQ(toy.train.size(), 2U);
  EXPECT_EQ(toy.train[0].source, "one");
  EXPECT_EQ(toy.train[0].weight, 1.0);
  EXPECT_EQ(toy.train[1].source, "two");
  EXPECT_EQ(toy.train[1].weight, 2.0);
  EXPECT_EQ(toy.model.hidden_size, 64);
  EXPECT_EQ(toy.model.dropout, 0.0);
  EXPECT_EQ(toy.model.attention, "luong_dot");
  EXPECT_EQ(toy.model.colour, Colour::light_blue);
  EXPECT_EQ(toy.training.betas, (std::vector<double>{0.5, 0.0}));
  EXPECT_EQ(toy.training.early_stopping.patience, 3);
  EXPECT_EQ(toy.training.accumulate, 1);
}

TEST(Load, AMappingAloneIsAListOfOne) {
  const ToyConfig toy = loaded("train: {source: one}\n");
  ASSERT_EQ(toy.train.size(), 1U);
  EXPECT_EQ(toy.train[0].source, "one");
}

TEST(Load, NothingAndEmptySectionsChangeNothing) {
  EXPECT_EQ(dump(loaded("")), dump(ToyConfig{}));
  EXPECT_EQ(dump(loaded("model:\n  # hidden_size: 3\ntraining:\n")), dump(ToyConfig{}));
}

TEST(Load, WindowsLineEndsAndAByteOrderMarkAreFine) {
  EXPECT_EQ(loaded("\xEF\xBB\xBFname: abc\r\nquick: true\r\n").name, "abc");
}

TEST(LoadError, AnUnknownKeyNamesLinePathAndNeighbour) {
  EXPECT_EQ(load_error("model:\n  hiden_size: 3\n"),
            "x.yaml:2: model.hiden_size: unknown key; did you mean 'hidden_size'?");
  EXPECT_EQ(load_error("modle:\n  hidden_size: 3\n"),
            "x.yaml:1: modle: unknown key; did you mean 'model'?");
  EXPECT_EQ(load_error("train:\n  - source: a\n  - sorce: b\n"),
            "x.yaml:3: train.1.sorce: unknown key; did you mean 'source'?");
}

TEST(LoadError, AKeyOfAnotherSectionIsPointedOut) {
  EXPECT_EQ(load_error("training:\n  dropout: 0.1\n"),
            "x.yaml:2: training.dropout: unknown key; did you mean 'model.dropout'?");
  EXPECT_EQ(
      load_error("model:\n  patience: 1\n"),
      "x.yaml:2: model.patience: unknown key; did you mean 'training.early_stopping.patience'?");
}

TEST(LoadError, AllMistakesOfAFileAreTold) {
  EXPECT_EQ(load_error("modle: 1\nmodel: {hidden_size: x, dropout: 0.1, zzz: 1}\nquick: maybe\n"),
            "x.yaml: 4 faults\n"
            "  x.yaml:1: modle: unknown key; did you mean 'model'?\n"
            "  x.yaml:2: model.hidden_size: cannot read 'x' as a whole number\n"
            "  x.yaml:2: model.zzz: unknown key; allowed: hidden_size, dropout, attention, colour\n"
            "  x.yaml:3: quick: cannot read 'maybe' as true or false");
  std::string many;
  for (int i = 0; i < 30; ++i) many += fmt::format("k{}: 1\n", i);
  const std::string said = load_error(many);
  EXPECT_THAT(said, StartsWith("x.yaml: 10 faults or more\n  x.yaml:1: k0: unknown key"));
  EXPECT_EQ(std::ranges::count(said, '\n'), 10);
}

TEST(LoadError, ConfigurationsOfOtherTrainersAreNamed) {
  // As Marian 1.12.42 writes one.
  EXPECT_EQ(
      load_error("# Marian configuration file\nmodel: m.npz\ntrain-sets:\n  - a.en\n  - "
                 "a.de\nbeam-size: 6\n"),
      "x.yaml:3: has keys of Marian (train-sets, beam-size), and heed reads no configurations "
      "of other trainers; `heed init` writes one for your corpus, and docs/training.md, "
      "\"Names of other trainers\", has heed's names");
  const auto trainer = [](const std::string& yaml) {
    const std::string said = load_error(yaml);
    const std::size_t from = said.find(" keys of ") + 9;
    return said.substr(from, said.find(" (", from) - from);
  };
  EXPECT_EQ(trainer("save_data: a\nsrc_vocab: b\ndata:\n  corpus_1:\n    path_src: a.en\n"),
            "OpenNMT-py or Eole");
  EXPECT_EQ(trainer("name: \"a\"\ndata:\n    src: \"de\"\n    trg: \"en\"\n    src_vocab: \"v\"\n"),
            "JoeyNMT");
  EXPECT_EQ(trainer("model_dir: run/\ndata:\n  train_features_file: a\n"), "OpenNMT-tf");
  EXPECT_EQ(trainer("task:\n  _name: translation\n"), "fairseq");
  EXPECT_EQ(trainer("source: a.en\nvalidation_source: b\nmax_seq_len: [95, 95]\n"), "Sockeye");
  EXPECT_THAT(load_error("train_steps: 5\n"), StartsWith("x.yaml:1: train_steps: unknown key"));
}

TEST(LoadError, ACommaInANumberIsNamed) {
  EXPECT_EQ(load_error("model: {dropout: 0,0005}\n"),
            "x.yaml:1: model.dropout: '0,0005' has a comma, which ends a value; write 0.0005");
  EXPECT_EQ(
      load_error("model: {hidden_size: 16,000, dropout: 0}\n"),
      "x.yaml:1: model.hidden_size: '16,000' has a comma, which ends a value; write 16000, or "
      "16.000");
}

TEST(LoadError, AColonWithoutABlankIsNamed) {
  EXPECT_EQ(load_error("train: {source:a.en, weight: 1}\n"),
            "x.yaml:1: train.source:a.en: unknown key; write a blank after its colon, as in "
            "'source: a.en'");
  EXPECT_EQ(load_error("name:t\nmodel:\n  dropout: 0\n"),
            "x.yaml:1: 'name:t' has no blank after its colon; write one");
}

TEST(LoadError, WhatYamlKeepsForItselfIsNamed) {
  EXPECT_EQ(
      load_error("seed: 1\ntrain: {source: ${PWD}/a.en, weight: 1}\n"),
      "x.yaml:2: '${PWD}' has braces, which begin and end sections of YAML; nothing takes the "
      "place of variables in a configuration, so write what it stands for");
  EXPECT_EQ(load_error("train: {source: \"C:\\data\\a.en\"}\n"),
            "x.yaml:1: in \"quotation marks\" '\\' begins an escape of YAML; write the text in "
            "'single ones', where it is a character, or paths with '/'");
  EXPECT_EQ(
      load_error("name: a\ntrain: {source: *.en}\n"),
      "x.yaml:2: '*.en' begins with '*', with which YAML names a value that was there before; "
      "put it in quotation marks; of files, name each one");
  EXPECT_EQ(load_error("train: {source: %(dir)s/a.en}\n"),
            "x.yaml:1: '%(dir)s/a.en' begins with a sign that YAML keeps for itself; put it in "
            "quotation marks");
  EXPECT_EQ(
      load_error("[model]\ndropout = 0.1\n"),
      "x.yaml:1: '[model]' begins a section of INI or TOML, and a configuration is YAML; write "
      "'model:' and below it, indented, its keys as 'key: value'");
}

TEST(LoadError, ABracketWithoutAPartnerIsNamedWhereItBegins) {
  EXPECT_EQ(load_error("name: a\nmodel: {dropout: 0, train: {source: a}\n# }\nquick: true\n"),
            "x.yaml:2: '{' has no '}'; put one at the end of what it holds");
  EXPECT_EQ(load_error("name: '{'\nends: [1,\n  2\n"),
            "x.yaml:2: '[' has no ']'; put one at the end of what it holds");
}

TEST(LoadError, CurlyQuotationMarksAreNamed) {
  const std::string said =
      " has curly quotation marks, which are letters for YAML; write it with "
      "straight ones, or none";
  EXPECT_EQ(load_error("seed: 1\nname: \u201Ct\u201D\n"), "x.yaml:2: \u201Ct\u201D" + said);
  EXPECT_EQ(load_error("train: {source: \u2018a.en\u2019, weight: 1}\n"),
            "x.yaml:1: \u2018a.en\u2019" + said);
  EXPECT_EQ(load_error("words: [\u201Ea\u201C]  # x\n"), "x.yaml:1: \u201Ea\u201C" + said);
  EXPECT_EQ(loaded("name: \u201CA\u201D and \u201CB\u201D x\n").name,
            "\u201CA\u201D and \u201CB\u201D x");
  for (const char* const text : {"name: \"a, \u201Ct\u201D, b\"\n", "name: \"[\u201Ct\u201D]\"\n",
                                 "name: a, \u201Ct\u201D\n", "name: '\u201Ct\u201D'\n"})
    EXPECT_NE(loaded(text).name.find("\u201Ct\u201D"), std::string::npos) << text;
  EXPECT_EQ(loaded("words: [\u201C, \u201D]\n").words.size(), 2U);
  EXPECT_EQ(loaded("name: a  # \u201Cb\u201D\n").name, "a");
}

TEST(LoadError, WithoutANeighbourTheKeysAreListed) {
  EXPECT_EQ(load_error("model:\n  zzz: 1\n"),
            "x.yaml:2: model.zzz: unknown key; allowed: hidden_size, dropout, attention, colour");
}

TEST(LoadError, AWrongTypeSaysWhatWasExpected) {
  EXPECT_EQ(load_error("model:\n\n  hidden_size: abc\n"),
            "x.yaml:3: model.hidden_size: cannot read 'abc' as a whole number");
  EXPECT_EQ(load_error("model: {dropout: much}"),
            "x.yaml:1: model.dropout: cannot read 'much' as a number");
  EXPECT_EQ(load_error("quick: maybe"), "x.yaml:1: quick: cannot read 'maybe' as true or false");
  EXPECT_EQ(load_error("ends: [1, 2, x]"), "x.yaml:1: ends: cannot read 'x' as a whole number");
  EXPECT_EQ(load_error("name: [a]"), "x.yaml:1: name: expected text, got a list");
  EXPECT_EQ(load_error("quick:"), "x.yaml:1: quick: expected true or false, got nothing");
}

TEST(LoadError, OnlyExactWholeNumbersAreTaken) {
  const std::string start = "x.yaml:1: model.hidden_size: cannot read '";
  EXPECT_EQ(load_error("model: {hidden_size: 1e3}"),
            start + "1e3' as a whole number; did you mean 1000?");
  EXPECT_EQ(load_error("model: {hidden_size: 1_024}"),
            start + "1_024' as a whole number; did you mean 1024?");
  EXPECT_EQ(load_error("model: {hidden_size: 4k}"),
            start + "4k' as a whole number; did you mean 4000?");
  EXPECT_EQ(load_error("model: {hidden_size: 3.5}"), start + "3.5' as a whole number");
  EXPECT_EQ(load_error("model: {hidden_size: 99999999999999999999}"),
            start + "99999999999999999999' as a whole number");
}

TEST(LoadError, ANoBreakSpaceIsNamed) {
  EXPECT_EQ(load_error("seed: 1\ndata:\n\u00A0 \u00A0 train: x\n"),
            "x.yaml:3: begins with a no-break space (U+00A0), which is a letter for YAML; indent "
            "with blanks alone: LC_ALL=C sed 's/\\xC2\\xA0/ /g' x.yaml > NEW.yaml");
}

TEST(LoadError, AnInvisibleCharacterIsShown) {
  const auto said = [](const char* shown, const char* bytes) {
    return std::string(": '") + shown +
           "' has an invisible character, which is a letter for YAML; without it: LC_ALL=C sed "
           "'s/" +
           bytes + "//g' x.yaml > NEW.yaml";
  };
  const std::string zero = "\\xE2\\x80\\x8B";
  EXPECT_EQ(load_error("\u200Bname: a\n"), "x.yaml:1" + said("<U+200B>name", zero.c_str()));
  EXPECT_EQ(load_error("seed: 1\nmodel:\n  hidden\u00ADsize: 4\n"),
            "x.yaml:3" + said("hidden<U+00AD>size", "\\xC2\\xAD"));
  EXPECT_EQ(load_error("seed: \uFEFF1\n"), "x.yaml:1" + said("<U+FEFF>1", "\\xEF\\xBB\\xBF"));
  EXPECT_EQ(load_error("model:\n  attention: none\u200E\r\n"),
            "x.yaml:2" + said("none<U+200E>", "\\xE2\\x80\\x8E"));
  EXPECT_EQ(load_error("words:\n- a\n- \u061Cb\n"), "x.yaml:3" + said("<U+061C>b", "\\xD8\\x9C"));
  EXPECT_EQ(load_error("model: {\u2060dropout: 0}\n"),
            "x.yaml:1" + said("<U+2060>dropout: 0}", "\\xE2\\x81\\xA0"));
  EXPECT_EQ(load_error("model: {dropout: 0, hid\u200Bden_size: 4}\n"),
            "x.yaml:1: model.hid<U+200B>den_size: has an invisible character; write the key "
            "without it");
  EXPECT_EQ(loaded("\uFEFFname: a\u200Bb  # c\u200B\n# \u200B\n").name, "a\u200Bb");
  EXPECT_EQ(set_error("\u200Bseed=1"),
            "--set <U+200B>seed: has an invisible character; write the key without it");
}

TEST(LoadError, ANoBreakSpaceBesideAValueIsNamed) {
  const std::string said =
      ": has, beside its value, a no-break space (U+00A0), which is a letter for YAML; write it "
      "with blanks alone: LC_ALL=C sed 's/\\xC2\\xA0/ /g' x.yaml > NEW.yaml";
  EXPECT_EQ(load_error("seed:\u00A01\nname: a\n"), "x.yaml:1" + said);
  EXPECT_EQ(load_error("name: a\nmodel:\n  hidden_size: \u00A04\n"), "x.yaml:3" + said);
  EXPECT_EQ(load_error("model:\n  hidden_size: 4\u00A0 \r\n"), "x.yaml:2" + said);
  ToyConfig toy;  // it is text inside a value and in comments
  load_text(toy, "name: a\u00A0b  # c\u00A0\n", "x.yaml");
  EXPECT_EQ(toy.name, "a\u00A0b");
}

TEST(LoadError, AnOpenQuotationNamesItsLine) {
  const std::string said = ": a quotation mark without its partner; put one at the end of the text";
  EXPECT_EQ(load_error("model: {hidden_size: 4}\nname: \"y\nends: [1]\n"), "x.yaml:2" + said);
  EXPECT_EQ(load_error("name: 'it''s\n"), "x.yaml:1" + said);
  EXPECT_EQ(load_error("name: \"a\\\"\n"), "x.yaml:1" + said);
  ToyConfig toy;
  load_text(toy, "name: 'it''s'\nmodel: {attention: \"none\"}\n", "x.yaml");
  EXPECT_EQ(toy.name, "it's");
}

// The parser takes the next mark for the partner, and breaks after it.
TEST(LoadError, AnOpenQuotationBetweenBracketsNamesItsLine) {
  const std::string said = ": a quotation mark without its partner; put one at the end of the text";
  EXPECT_EQ(load_error("seed: 1\ntrain: {source: \"a.en, weight: 1}\nname: \"x\"\n"),
            "x.yaml:2" + said);
  EXPECT_EQ(load_error("words: ['it''s', 'b]\nname: 'x'\n"), "x.yaml:1" + said);
  EXPECT_THAT(load_error("name: it's\nwords: [a's, \"b's\", 'c'\n"),
              StartsWith("x.yaml:2: '[' has no ']'"));
  EXPECT_THAT(load_error("words: [a, # 'b\n  c\n"), StartsWith("x.yaml:1: '[' has no ']'"));
}

TEST(LoadError, LinesOfOneSectionThatAreNotIndentedAlikeAreNamed) {
  EXPECT_EQ(load_error("model:\n hidden_size: 4\n  dropout: 0.1\n"),
            "x.yaml:3: begins with 2 blanks, and line 2 of the same section with 1 blank; indent "
            "both alike");
  EXPECT_EQ(load_error("model: # of words\n  # its width\n  hidden_size: 4\n dropout: 0.1\n"),
            "x.yaml:4: begins with 1 blank, and line 3 of the same section with 2 blanks; indent "
            "both alike");
  EXPECT_EQ(load_error("name: a\n  quick: true\n"),
            "x.yaml:2: begins with 2 blanks, and line 1 of the same section with 0 blanks; indent "
            "both alike");
  EXPECT_THAT(load_error("model: {hidden_size: 4,\n    dropout: 0.1\nquick: true\n"),
              StartsWith("x.yaml:1: '{' has no '}'"));
}

TEST(LoadError, ATabIsNamed) {
  const std::string tab = ": begins with a tab; YAML is indented with blanks alone";
  EXPECT_EQ(load_error("model:\n\thidden_size: 4\n"), "x.yaml:2" + tab);
  EXPECT_EQ(load_error("model:\n  hidden_size: 4\n  \tdropout: 0.1\n"), "x.yaml:3" + tab);
}

TEST(LoadError, AValueOutOfRangeSaysTheRange) {
  EXPECT_EQ(load_error("model:\n  hidden_size: 0\n"),
            "x.yaml:2: model.hidden_size: got 0, expected in [2, 16384]");
  EXPECT_EQ(load_error("model: {dropout: .nan}"),
            "x.yaml:1: model.dropout: got nan, expected in [0, 0.9]");
  EXPECT_EQ(load_error("ends: [3, 9]"), "x.yaml:1: ends: got 9, expected in [1, 7]");
  EXPECT_EQ(load_error("train: [{weight: 3}]"),
            "x.yaml:1: train.0.weight: got 3, expected in [0.5, 2]");
  EXPECT_EQ(load_error("train: {source: a, weight: 3}"),  // no list, no number
            "x.yaml:1: train.weight: got 3, expected in [0.5, 2]");
}

TEST(LoadError, AnUnknownValueNamesTheNearest) {
  EXPECT_EQ(load_error("model: {attention: luong}"),
            "x.yaml:1: model.attention: unknown value 'luong'; did you mean 'luong_dot'?");
  EXPECT_EQ(load_error("model: {colour: Light-Blue}"),
            "x.yaml:1: model.colour: unknown value 'Light-Blue'; did you mean 'light_blue'?");
  EXPECT_EQ(load_error("model: {colour: purple}"),
            "x.yaml:1: model.colour: unknown value 'purple'; allowed: auto, red, light_blue");
}

TEST(LoadError, AKeyGivenTwiceNamesBothLines) {
  EXPECT_EQ(load_error("model:\n  dropout: 0.1\n  hidden_size: 4\n  dropout: 0.2\n"),
            "x.yaml:4: model.dropout: given twice, first on line 2");
}

TEST(LoadError, SectionsAndValuesAreNotMixedUp) {
  EXPECT_EQ(load_error("model: 3"), "x.yaml:1: model: expected a section of keys, got '3'");
  EXPECT_EQ(load_error("model: [3]"), "x.yaml:1: model: expected a section of keys, got a list");
  EXPECT_EQ(load_error("name: {a: b}"), "x.yaml:1: name: expected text, got a section");
  EXPECT_EQ(load_error("ends: 3"), "x.yaml:1: ends: expected a list, got '3'; write [3]");
  EXPECT_EQ(load_error("train: a.de"),
            "x.yaml:1: train: expected a section or a list of sections, got 'a.de'; write {source: "
            "a.de}");
  const std::string list = "x.yaml:1: pairs: expected a section or a list of sections, got ";
  EXPECT_EQ(pairs_error("pairs: [a.en, 'b: c']"),
            list + "a list of names; write {source: a.en, target: \"b: c\"}");
  EXPECT_EQ(pairs_error("pairs: a.en"), list +
                                            "'a.en'; write {source: a.en, target: FILE}, where "
                                            "FILE has its translations");
  EXPECT_EQ(pairs_error("pairs: a.tsv.gz"), list + "'a.tsv.gz'; write {source: a.tsv.gz}");
  const std::string element = "x.yaml:1: pairs.0: expected a section of keys, got ";
  EXPECT_EQ(pairs_error("pairs: [a.tsv, b.tsv]"), element + "'a.tsv'; write {source: a.tsv}");
  EXPECT_EQ(load_error("just words"), "x.yaml:1: expected a section of keys, got 'just words'");
}

TEST(LoadError, BrokenYamlNamesTheLine) {
  EXPECT_THAT(load_error("name: a\nmodel: [1, 2]]\n"), StartsWith("x.yaml:2: not valid YAML: "));
  EXPECT_EQ(load_error("name: a\n---\nname: b\n"),
            "x.yaml:3: a second YAML document begins; a configuration is one");
}

TEST(LoadError, HasAnEndForTextThatTheParserReadsForEver) {
  EXPECT_EQ(load_error("!str 3\n? quick\n: on\n...\n"),
            "x.yaml:2: a second YAML document begins; a configuration is one");
}

TEST(LoadError, IsOneLineWhateverTheFileHolds) {
  EXPECT_EQ(load_error("model: {hidden_size: \"a\\nb\"}"),
            "x.yaml:1: model.hidden_size: cannot read 'a\\nb' as a whole number");
  EXPECT_EQ(load_error("model: \"" + std::string(300, 'x') + "\""),
            "x.yaml:1: model: expected a section of keys, got '" + std::string(80, 'x') + "...'");
}

TEST(LoadError, DeepNestingIsNoCrash) {
  EXPECT_THAT(load_error(std::string(100000, '[')), StartsWith("x.yaml:1: '[' has no ']'"));
}

TEST(LoadError, AliasesThatUnfoldToLargeLists) {
  std::string yaml = "name: &a " + std::string(500000, 'x') + "\nwords: [";
  for (int i = 0; i < 1000; ++i) yaml += "*a,";
  EXPECT_EQ(load_error(yaml + "]"), "x.yaml:1: words: aliases (*name) unfold to more than 1.0 MiB");
  EXPECT_EQ(loaded("name: &a x\nwords: [*a, *a]").words, (std::vector<std::string>{"x", "x"}));
}

TEST(LoadError, ABillionLaughsTakeNoMoreThanTheFile) {
  std::string yaml = "words: [&a0 [ha]";
  for (int i = 1; i <= 9; ++i) {
    yaml += ", &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) yaml += "*a" + std::to_string(i - 1) + ",";
    yaml += "]";
  }
  EXPECT_EQ(load_error(yaml + "]"), "x.yaml:1: words: expected text, got a list");
}

TEST(LoadError, AFileOfAnotherKindIsRefusedByItsSize) {
  const TemporaryFolder folder;
  const std::string path = folder.write("big.yaml", std::string((1 << 20) + 1, 'x'));
  ToyConfig toy;
  EXPECT_EQ(message_of<ConfigError>([&] { load_file(toy, path); }),
            path + ": has 1.0 MiB, and a configuration at most 1.0 MiB; is it another file?");
  EXPECT_EQ(load_error(std::string(100 << 20, 'x')),
            "x.yaml: has 100.0 MiB, and a configuration at most 1.0 MiB; is it another file?");
}

TEST(LoadError, LeavesTheConfigurationAsItWas) {
  ToyConfig toy;
  EXPECT_THROW(load_text(toy, "name: other\nmodel: {hidden_size: 0}", "x.yaml"), ConfigError);
  EXPECT_EQ(toy.name, "toy");
}

TEST(LoadError, AMissingFileIsTheUsersMistake) {
  const TemporaryFolder folder;
  folder.write("demo.yaml", "name: demo\n");
  ToyConfig toy;
  EXPECT_EQ(message_of<UserError>([&] { load_file(toy, folder / "demo.yml"); }),
            "configuration: no file '" + folder / "demo.yml" + "'; did you mean '" +
                folder / "demo.yaml" + "'?");
  load_file(toy, folder / "demo.yaml");
  EXPECT_EQ(toy.name, "demo");
}

TEST(Set, LiesOverTheFileAndTheLastOneWins) {
  ToyConfig toy = loaded("model: {hidden_size: 64}\nname: file\n");
  set(toy, "model.hidden_size=128");
  set(toy, "model.hidden_size=256");
  set(toy, "training.early_stopping.patience=0");
  set(toy, "ends=[1,2]");
  EXPECT_EQ(toy.model.hidden_size, 256);
  EXPECT_EQ(toy.training.early_stopping.patience, 0);
  EXPECT_EQ(toy.ends, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(toy.name, "file");
}

TEST(Set, TextIsTakenAsItStands) {
  ToyConfig toy;
  set(toy, "name=a #1: b=c");
  EXPECT_EQ(toy.name, "a #1: b=c");
  set(toy, "name=\"quoted\"");
  EXPECT_EQ(toy.name, "quoted");
  set(toy, "name=");
  EXPECT_EQ(toy.name, "");
}

TEST(Set, CommasBracketsAndCommentsAreNoSecondValue) {
  ToyConfig toy;
  set(toy, "name=a,b [c], {d}");
  EXPECT_EQ(toy.name, "a,b [c], {d}");
  set(toy, "name='a, b'  ");
  EXPECT_EQ(toy.name, "a, b");
  set(toy, "train.source=texts[1],a.de");
  EXPECT_EQ(toy.train.at(0).source, "texts[1],a.de");
  set(toy, R"(words=["a, b", 'c]', d e])");
  EXPECT_EQ(toy.words, (std::vector<std::string>{"a, b", "c]", "d e"}));
  set(toy, "words=\n- a\n- b, c\n");
  EXPECT_EQ(toy.words, (std::vector<std::string>{"a", "b, c"}));
  set(toy, "ends=[1, 2]  # two, [three]");
  EXPECT_EQ(toy.ends, (std::vector<int64_t>{1, 2}));
  set(toy, "train=[]");
  EXPECT_TRUE(toy.train.empty());
}

TEST(Set, ASectionChangesOnlyTheKeysItHas) {
  ToyConfig toy;
  toy.model.dropout = 0.3;
  set(toy, "model={hidden_size: 4}");
  EXPECT_EQ(toy.model.hidden_size, 4);
  EXPECT_EQ(toy.model.dropout, 0.3);
}

TEST(Set, ElementsOfAListAreReachedByNumber) {
  ToyConfig toy;
  set(toy, "train.source=one");
  set(toy, "train.weight=2");
  ASSERT_EQ(toy.train.size(), 1U);
  EXPECT_EQ(toy.train[0].source, "one");
  EXPECT_EQ(toy.train[0].weight, 2.0);
  set(toy, "train.1.source=two");
  set(toy, "train.0={weight: 0.5}");
  ASSERT_EQ(toy.train.size(), 2U);
  EXPECT_EQ(toy.train[1].source, "two");
  EXPECT_EQ(toy.train[0].weight, 0.5);
  EXPECT_EQ(message_of<ConfigError>([&] { set(toy, "train.weight=1"); }),
            "--set train: has 2 entries; name one, as in train.0.weight");
  EXPECT_EQ(message_of<ConfigError>([&] { set(toy, "train.3.weight=1"); }),
            "--set train.3: there are only 2 entries");
}

TEST(SetError, NamesTheKey) {
  EXPECT_EQ(set_error("model.hiden_size=3"),
            "--set model.hiden_size: unknown key; did you mean 'model.hidden_size'?");
  EXPECT_EQ(set_error("model.hidden_size=abc"),
            "--set model.hidden_size: cannot read 'abc' as a whole number");
  EXPECT_EQ(set_error("model.hidden_size=0"),
            "--set model.hidden_size: got 0, expected in [2, 16384]");
  EXPECT_EQ(set_error("model=3"), "--set model: expected a section of keys, got '3'");
  EXPECT_EQ(set_error("name.first=3"), "--set name: is a value, not a section with 'first' in it");
  EXPECT_EQ(set_error("dropout=0.2"), "--set dropout: unknown key; did you mean 'model.dropout'?");
  EXPECT_EQ(set_error("quick"), "--set quick: expected key=value, as in training.updates=1000");
  EXPECT_EQ(
      set_error("a\n" + std::string(1000, 'b')),
      "--set a\\n" + std::string(78, 'b') + "...: expected key=value, as in training.updates=1000");
  EXPECT_EQ(set_error("name.\x01=3"), "--set name: is a value, not a section with '\\x01' in it");
  EXPECT_TRUE(set_error("ends=[1").starts_with("--set ends: cannot read '[1' as YAML: "));
}

TEST(SetError, AColonIsNoPoint) {
  EXPECT_EQ(set_error("model:hidden_size=3"),
            "--set model:hidden_size: unknown key; did you mean 'model.hidden_size'?");
}

TEST(SetError, ANameOfAnotherTrainerHasHeedsOwn) {
  for (const char* key : {"lr", "training.lr", "model.learn_rate"}) {
    const std::string said = set_error(std::string(key) + "=1");
    EXPECT_TRUE(said.find("learning_rate'?") != std::string::npos) << said;
  }
  EXPECT_EQ(set_error("training.lr=1"),
            "--set training.lr: unknown key; did you mean 'training.learning_rate'?");
  // A name for a key that this configuration lacks.
  EXPECT_EQ(set_error("training.valid_steps=3"),
            "--set training.valid_steps: unknown key; allowed: accumulate, learning_rate, betas, "
            "early_stopping");
}

TEST(SetError, AValueIsNotSetToASection) {
  EXPECT_EQ(set_error("model.train_files=3"),
            "--set model.train_files: unknown key; allowed: hidden_size, dropout, attention, "
            "colour");
}

TEST(SetError, ANumberWrittenForPeopleIsRead) {
  const std::string start = "--set training.learning_rate: cannot read '";
  EXPECT_EQ(set_error("training.learning_rate=0,001"),
            start + "0,001' as a number; did you mean 0.001?");
  EXPECT_EQ(set_error("training.learning_rate=30%"), start + "30%' as a number; did you mean 0.3?");
  EXPECT_EQ(set_error("training.learning_rate=1,500"),
            start + "1,500' as a number; did you mean 1.5 or 1500?");
  EXPECT_EQ(set_error("training.learning_rate=1,2,3"), start + "1,2,3' as a number");
  EXPECT_EQ(set_error("training.learning_rate=5m"), start + "5m' as a number");
}

TEST(KeyNamed, IsAKeyOfThatNameOrOfOtherTrainers) {
  ToyConfig toy;
  const auto found = [&](const std::string& name, const std::string& section) {
    return key_named(name, view(toy),
                     [&](const std::string& path) { return path.starts_with(section); });
  };
  EXPECT_EQ(found("lr", ""), "training.learning_rate");
  EXPECT_EQ(found("lr", "model."), "");
  EXPECT_EQ(found("learning-rate", "training."), "training.learning_rate");
  EXPECT_EQ(found("patience", ""), "training.early_stopping.patience");
  EXPECT_EQ(found("model", ""), "");  // a section
  EXPECT_EQ(found("hiden_size", ""), "");
  EXPECT_EQ(found("epochs", ""), "");  // not in this configuration
}

TEST(SetError, WhatFollowsTheValueIsNotDropped) {
  const std::string expected = ": one value is expected, and '";
  EXPECT_EQ(set_error("words=[a],b"), "--set words" + expected + ",b' is left over");
  EXPECT_EQ(set_error("train={source: a}, {source: b}"),
            "--set train" + expected + ", {source: b}' is left over");
  EXPECT_EQ(set_error("train.0={source: a}, {source: b}"),
            "--set train.0" + expected + ", {source: b}' is left over");
  EXPECT_EQ(set_error("ends=[1]\n---\n[2]"), "--set ends" + expected + "---\\n[2]' is left over");
  // Other versions of yaml-cpp say themselves that this is no YAML.
  EXPECT_TRUE(set_error("model.hidden_size=\"100\" 5").starts_with("--set model.hidden_size: "));
  EXPECT_TRUE(set_error("name=\"a\" b").starts_with("--set name: "));
}

TEST(SetError, AnEmptySectionIsNotPassedOver) {
  const std::string empty = ": an empty value changes nothing; name a key of it, as in ";
  for (const char* nothing : {"", "{}", "~", " # all"})
    EXPECT_EQ(set_error(std::string("model=") + nothing),
              "--set model" + empty + "model.hidden_size");
  EXPECT_EQ(set_error("training={early_stopping: {}, accumulate: 2}"),
            "--set training.early_stopping" + empty + "training.early_stopping.patience");
  EXPECT_EQ(set_error("train.0="), "--set train.0" + empty + "train.0.source");
}

TEST(Dump, IsReadableYamlWithEveryKey) {
  ToyConfig toy;
  toy.train.resize(2);
  toy.train[1].source = "b.de";
  toy.model.dropout = 1e-8;
  EXPECT_EQ(dump(toy),
            "name: toy\n"
            "quick: false\n"
            "ends: [3, 5]\n"
            "words: []\n"
            "train:\n"
            "  - source: \"\"\n"
            "    weight: 1.0\n"
            "  - source: b.de\n"
            "    weight: 1.0\n"
            "model:\n"
            "  hidden_size: 512\n"
            "  dropout: 1.0e-08\n"
            "  attention: none\n"
            "  colour: auto\n"
            "training:\n"
            "  accumulate: 1\n"
            "  learning_rate: 0.5\n"
            "  betas: [0.9, 0.98]\n"
            "  early_stopping:\n"
            "    patience: 10\n");
}

TEST(Dump, AwkwardTextLoadsBackTheSame) {
  ToyConfig toy;
  toy.words = {"",         "null",   "~",    "yes", "12",   "1e3",          "-",
               "a: b",     "#x",     " a ",  "'",   "\"",   "\\",           "a\nb\tc",
               "\x01\x7F", "Grüße",  "[x]",  "{x}", "& *x", "x,y",          "./x",
               "../a/b",   "/a.b-c", "true", ".5",  "0x1F", "model.heads=4"};
  toy.name = "on";
  toy.training.learning_rate = 0.1 + 0.2;
  const ToyConfig back = loaded(dump(toy));
  EXPECT_EQ(back.words, toy.words);
  EXPECT_EQ(back.name, "on");
  EXPECT_EQ(back.training.learning_rate, toy.training.learning_rate);
}

}  // namespace
}  // namespace heed::config
