// The command line itself: help, spelling, exit codes, and what goes to stdout.
#include <fstream>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"
#include "temporary_folder.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::vector<std::string> kCommands = {
    "train",    "translate", "evaluate", "lengths", "bottleneck", "attention", "align",  "heads",
    "contrast", "score",     "vocab",    "average", "export",     "inspect",   "config", "doctor"};

TEST(CommandLine, EveryCommandHasAHelpPageWithAnExample) {
  for (const std::string& command : kCommands) {
    SCOPED_TRACE(command);
    const std::string help = product(run_heed({command, "--help"}));
    EXPECT_THAT(help, HasSubstr("Example"));
    EXPECT_THAT(help, Not(HasSubstr("--output TEXT")));  // FILE or FOLDER
    EXPECT_THAT(help, HasSubstr("heed " + command + " "));
  }
}

TEST(CommandLine, TheMainHelpPageNamesEveryCommand) {
  const std::string help = product(run_heed({"--help"}));
  for (const std::string& command : kCommands) EXPECT_THAT(help, HasSubstr("  " + command + " "));
}

TEST(CommandLine, TheMainHelpPageEndsWithACommandThatAnInstalledHeedHas) {
  const auto lines = lines_of(product(run_heed({"--help"})));
  EXPECT_THAT(join(lines, "\n"), ::testing::Not(HasSubstr("./run")));
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr("heed init SOURCE TARGET")));
}

TEST(CommandLine, TheVersionIsTheProduct) {
  EXPECT_THAT(product(run_heed({"--version"})), StartsWith("heed 0."));
}

TEST(CommandLine, HelpAndVersionAreCommandsToo) {
  EXPECT_EQ(product(run_heed({"help"})), product(run_heed({"--help"})));
  EXPECT_EQ(product(run_heed({"help", "train"})), product(run_heed({"train", "--help"})));
  EXPECT_EQ(product(run_heed({"version"})), product(run_heed({"--version"})));
  expect_mistake(run_heed({"help", "trian"}), {"unknown command 'trian'; did you mean 'train'?"});
  EXPECT_EQ(product(run_heed({"help", "help"})), product(run_heed({"--help"})));
  expect_mistake(run_heed({"help", "train", "translate"}), {"unexpected argument 'translate'"});
}

TEST(CommandLine, ANameThatAnotherProgramHasForACommandLeadsToIt) {
  expect_mistake(run_heed({"predict", "x"}), {"predict: `heed translate MODEL FILE` does this"});
  expect_mistake(run_heed({"fine-tune"}), {"fine-tune: `heed init SOURCE TARGET --from MODEL`"});
  expect_mistake(run_heed({"Compare"}), {"`heed lengths MODEL OTHER_MODEL` does this"});
  expect_mistake(run_heed({"compare", "a", "b c"}), {"compare: `heed lengths a 'b c'` does this"});
  expect_mistake(run_heed({"resume", "runs/x"}), {"resume: `heed train runs/x --resume` does"});
  expect_mistake(run_heed({"tokenise"}), {"tokenise: `heed vocab FILE -o NAME.model` does this"});
  expect_mistake(run_heed({"convert"}), {"convert: `heed import` or `heed export` does this"});
  expect_mistake(run_heed({"realign", "a", "b"}), {"`heed clean a b --realign -o realigned` does"});
  expect_mistake(run_heed({"xyzzy"}), {"unknown command 'xyzzy'; `heed help` lists the commands"});
}

TEST(CommandLine, WithoutACommandItExplainsItselfOnStderr) {
  const Result result = run_heed({});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("translate"));
}

TEST(CommandLine, AMistypedCommandNamesItsNeighbour) {
  expect_mistake(run_heed({"tranlate", "x"}), {"'tranlate'", "did you mean 'translate'"});
}

TEST(CommandLine, AMistypedCommandBehindAnOptionNamesItsNeighbour) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"-q"}, {"--log-level", "debug"}}) {
    std::vector<std::string> line = options;
    line.insert(line.end(), {"trian", "x.yaml"});
    expect_mistake(run_heed(line), {"heed: unknown command 'trian'; did you mean 'train'?"});
  }
  expect_mistake(run_heed({"-q"}), {"heed: a command is required; see heed --help"});
}

TEST(CommandLine, RangesAreSaidInWords) {
  expect_mistake(run_heed({"translate", "x", "--beam", "0"}),
                 {"--beam", "got '0', expected a number above 0"});
  for (const char* typed : {"two", "2.5", "4x", ""})
    expect_mistake(
        run_heed({"translate", "x", "--beam", typed}),
        {"--beam", "got '" + std::string(typed) + "', expected a whole number; see heed"});
  expect_mistake(run_heed({"translate", "x", "--batch", "99999999999999999999"}),
                 {"--batch",
                  "got '99999999999999999999', expected a whole number up to "
                  "9223372036854775807"});
  expect_mistake(run_heed({"vocab", "x", "-o", "y", "--size", "9999999999"}),
                 {"--size", "got '9999999999', expected a whole number from 5 to 1000000"});
}

TEST(CommandLine, LengthsKnowTheirBaselineBeforeTheyTranslate) {
  expect_mistake(run_heed({"lengths", "no/such/run", "--baseline", "other"}),
                 {"the baseline 'other' is none of the systems: run"});
}

TEST(CommandLine, AMistypedOptionNamesItsNeighbour) {
  expect_mistake(run_heed({"translate", "x", "--beem", "3"}), {"'--beem'", "'--beam'"});
  expect_mistake(run_heed({"train", "x.yaml", "--resum"}), {"'--resum'", "'--resume'"});
  expect_mistake(run_heed({"attention", "--lyer", "1"}),
                 {"heed: attention: unknown option '--lyer'; did you mean '--layer'?"});
  expect_mistake(run_heed({"--quite"}), {"unknown option '--quite'; did you mean '--quiet'?"});
}

TEST(CommandLine, AnUnknownOptionIsToldBeforeItsValueIsTakenForAnArgument) {
  for (const char* option : {"--beam-size", "-b"})
    expect_mistake(
        run_heed({"translate", "x", "--text", "Hello", option, "3"}),
        {"translate: unknown option '" + std::string(option) + "'; did you mean '--beam'?"});
  expect_mistake(run_heed({"translate", "x", "--text", "Hello", "--temperature", "2"}),
                 {"'--temperature'; `--set decoding.sampling.temperature=2` does this"});
  expect_mistake(run_heed({"translate", "x", "--text", "Hello", "--gpu", "0"}),
                 {"'--gpu'; did you mean '--device'?"});
}

TEST(CommandLine, AnOptionOfAnotherTrainerLeadsToItsKey) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--epochs", "3"}, "`--set training.epochs=3` does this"},
      {{"--epochs=3"}, "`--set training.epochs=3` does this"},
      {{"--lr", "1e-4"}, "`--set training.learning_rate=1e-4` does this"},
      {{"--batch-size", "64"}, "`--set training.batch_size=64` does this"},
      {{"--threads", "2"}, "`--set threads=2` does this"},
      {{"--thread", "2"}, "`--set threads=2` does this"},
      {{"--device", "cpu"}, "`--set device=cpu` does this"},
      {{"--gpu", "0"}, "`--set device=cuda` does this"},
      {{"--seed", "2"}, "`--set seed=2` does this"},
      {{"--updates", "9"}, "`--set training.updates=9` does this"},
      {{"--train_steps", "9"}, "`--set training.updates=9` does this"},
      {{"--max-update", "9"}, "`--set training.updates=9` does this"},
      {{"--max-minutes", "9"}, "`--set training.max_minutes=9` does this"},
      {{"--dropout", "0.2"}, "`--set model.dropout=0.2` does this"},
      {{"--from", "runs/x"}, "`--set training.from=runs/x` does this"},
      {{"--output", "out"}, "`--set output=out` does this"},
      {{"-o", "out"}, "`--set output=FOLDER` does this"},
      {{"--save-dir", "out"}, "`--set output=out` does this"},
      {{"--name", "mine"}, "`--set name=mine` does this"},
      {{"--epochs"}, "`--set training.epochs=VALUE` does this"},
      {{"--check"}, "`heed config CONFIG --check` does this"},
      {{"--dry-run"}, "`heed config CONFIG --check` does this"},
      {{"--force"}, "did you mean '--overwrite'?"},
      {{"--continue"}, "did you mean '--resume'?"},
      {{"--restart"}, "did you mean '--overwrite'?"},
      {{"--cpu"}, "`--set device=cpu` does this"},
      {{"--fp16"}, "`--set precision=bf16` does this"},
      {{"--arch", "x"}, "`--set model.type=transformer` does this"},
      {{"--grad-clip", "1"}, "`--set training.clip_norm=1` does this"},
      {{"--model", "x"}, "`--set training.from=RUN` (to begin with its weights) or `--set output="},
      {{"--valid", "x"}, "`--set data.valid.source=FILE --set data.valid.target=FILE` does this"},
      {{"--epochs", "3"}, "`--set training.epochs=3` does this, unless training.updates ends the"},
      {{"--config", "y"}, "it has no name before it: `heed train CONFIG`"},
      {{"-c", "y"}, "it has no name before it: `heed train CONFIG`"},
  };
  for (const auto& [option, cure] : cases) {
    std::vector<std::string> words = {"train", "x.yaml"};
    words.insert(words.end(), option.begin(), option.end());
    expect_mistake(run_heed(words), {"heed: train: unknown option '" + option[0] + "'; " + cure});
  }
  // Keys of a training are no settings of a translation.
  const Result other = run_heed({"translate", "x", "--epochs", "3"});
  EXPECT_THAT(other.err, HasSubstr("'--epochs'; allowed: "));
}

TEST(CommandLine, WhatIsNoArgumentNamesItsCure) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.en", "a b: c\nd: e: f\n"), b = folder.write("a.ru", "b\n");
  expect_mistake(run_heed({"train", "x.yaml", "training.updates=30"}),
                 {"unexpected argument 'training.updates=30'; write --set training.updates=30"});
  expect_mistake(run_heed({"evaluate", a, b}),
                 {"to score a text: `heed evaluate --hypothesis " + a + " --reference " + b + "`"});
  expect_mistake(run_heed({"train", a}),
                 {"`heed init SOURCE TARGET` writes a configuration for a corpus"});
  expect_mistake(run_heed({"config", "training.updates"}),
                 {"it is a key, which `heed config --explain training.updates` explains"});
  expect_mistake(run_heed({"config", a, "--explain", "training.updates"}),
                 {"leave them out, as in `heed config --explain training.updates`"});
  expect_mistake(run_heed({"explain", "training.updates"}),
                 {"`heed config --explain training.updates` does this"});
  expect_mistake(run_heed({"spm_train", a}), {"`heed vocab " + a + " -o NAME.model` does this"});
  expect_mistake(run_heed({"filter", a, b}),
                 {"`heed clean " + a + " " + b + " --remove all -o cleaned` does this"});
  expect_mistake(run_heed({"status"}), {"`heed runs` does this"});
  for (const char* option : {"-V", "-v"})
    expect_mistake(run_heed({option}), {"did you mean '--version'?"});
}

TEST(CommandLine, ASuggestionThatIsFarOffIsNone) {
  expect_mistake(run_heed({"init", "--source", "a", "--target", "b"}),
                 {"'--source'; it has no name before it: `heed init SOURCE TARGET`"});
  expect_mistake(run_heed({"attention", "x", "--source", "a"}), {"did you mean '--text'?"});
  EXPECT_THAT(run_heed({"attention", "x", "--format", "png"}).err, HasSubstr("; allowed: "));
  expect_mistake(run_heed({"config", "--set", "training.train_steps=5"}),
                 {"did you mean 'training.updates'"});
  expect_mistake(run_heed({"config", "--set", "training.valid_steps=5"}),
                 {"did you mean 'training.validate_every'?"});
  expect_mistake(run_heed({"config", "--set", "model.d_model=5"}), {"did you mean 'model.width'?"});
  expect_mistake(run_heed({"config", "--set", "training:updates=5"}),
                 {"did you mean 'training.updates'?"});
  expect_mistake(run_heed({"config", "--set", "training.max_minutes=5m"}), {"did you mean 5?"});
}

TEST(CommandLine, AMistakeIsSaidInWords) {
  expect_mistake(run_heed({"--log-level", "foo", "doctor"}),
                 {"heed: --log-level", "see heed --help"});
  expect_mistake(run_heed({"translate", "x", "--text"}), {"--text: has no value; write one after"});
  expect_mistake(run_heed({"train", "x", "--ranks", "1", "--ranks", "2"}),
                 {"--ranks: is given twice; give it once"});
  EXPECT_THAT(product(run_heed({"align", "--help"})), HasSubstr("--layer INT or last "));
}

TEST(CommandLine, AnArgumentTooManyIsUnderstoodWhereItCanBe) {
  const TemporaryFolder folder;
  const std::string source = folder.write("a.en", "a\n"), target = folder.write("a.de", "b\n");
  expect_mistake(run_heed({"train", source, target}),
                 {"`heed init " + source + " " + target + "`"});
  expect_mistake(run_heed({source, target}),
                 {"is a file, and no command", "`heed init " + source + " " + target + "`"});
  expect_mistake(run_heed({folder / "."}), {"is a folder, and no command", "`heed translate "});
  expect_mistake(run_heed({"translate", "x", source, folder / "out"}),
                 {"unexpected argument", "-o " + (folder / "out")});
  expect_mistake(run_heed({"train", "x", "--set", "training.updates", "30"}),
                 {"'30'; write --set training.updates=30"});
}

TEST(CommandLine, AFolderGoesOnOnlyWithTheRunInIt) {
  const TemporaryFolder folder;
  expect_mistake(run_heed({"train", folder / "."}),
                 {"is a folder without a run", "`heed init SOURCE TARGET`"});
  expect_mistake(run_heed({"train", Toy::get().transformer}),
                 {"`heed train " + Toy::get().transformer + " --resume`"});
}

TEST(CommandLine, AFolderOfAttentionIsNoPicture) {
  for (const char* name : {"out.png", "out.SVG", "out.pdf"})
    expect_mistake(run_heed({"attention", "x", "--text", "a", "-o", name}),
                   {std::string("-o ") + name, ".csv is the table", ".html the page", "a folder"});
}

TEST(CommandLine, ALanguageThatNamesAFileIsRefused) {
  const TemporaryFolder folder;
  const std::string source = folder.write("a.en", "a\n");
  expect_mistake(run_heed({"translate", "x", "--source", source}),
                 {"translate --source: '" + source +
                  "' is a file, and this option is a language "
                  "(--source-language); the text is the second argument: `heed translate MODEL " +
                  source + "`"});
}

TEST(CommandLine, AMissingArgumentIsAMistake) {
  expect_mistake(run_heed({"train"}), {"heed train", "config", "--help"});
  expect_mistake(run_heed({"score", "model"}), {"heed score", "source"});
}

TEST(CommandLine, AnArgumentTooManyIsAMistake) {
  expect_mistake(run_heed({"inspect", "a", "b"}), {"heed inspect", "'b'"});
}

TEST(CommandLine, AValueThatIsNoNumberOrNotAllowedIsAMistake) {
  expect_mistake(run_heed({"translate", "x", "--beam", "many"}), {"--beam"});
  expect_mistake(run_heed({"translate", "x", "--beam", "0"}), {"--beam"});
  expect_mistake(run_heed({"attention", "x", "--kind", "crosss"}), {"--kind", "cross"});
}

TEST(CommandLine, AMissingScorerIsTheWorldsFault) {
  const TemporaryFolder folder;
  const std::string translation = folder.write("a.txt", "a b\n"),
                    reference = folder.write("b.txt", "a c\n");
  expect_one_line_error(
      run_heed_in({"HEED_SACREBLEU=/nonexistent"},
                  {"evaluate", "--hypothesis", translation, "--reference", reference}),
      1, {"HEED_SACREBLEU", "/nonexistent"});
}

TEST(CommandLine, AFullDiskBehindStdoutIsTheWorldsFault) {
  const Result result =
      subprocess::run({"sh", "-c", "exec \"$0\" config > /dev/full", paths::kHeed});
  expect_one_line_error(result, 1, {"standard output"});
}

TEST(CommandLine, AFolderThatCannotBeMadeIsTheWorldsFault) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "a", 100, 1);
  const std::string pair =
      "{source: " + (folder / "a.src") + ", target: " + (folder / "a.tgt") + "}";
  const std::string config =
      folder.write("c.yaml", "data: {train: " + pair + ", valid: " + pair +
                                 ", vocabulary: {kind: joint, size: 32, algorithm: bpe}}\n" +
                                 "output: /dev/null/run\n" + "training: {validate_bleu: false}\n");
  expect_one_line_error(run_heed({"train", config}), 1, {"/dev/null/run"});
}

// --- heed config

TEST(ConfigCommand, PrintsTheDefaultsOnStdoutOnly) {
  const Result result = run_heed({"config"});
  EXPECT_THAT(product(result), HasSubstr("beam_size: 5"));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(ConfigCommand, ChecksAFileAndNotTheDefaults) {
  expect_mistake(run_heed({"config", "--check"}), {"which configuration", "my.yaml --check"});
}

TEST(ConfigCommand, DefaultsThatDoNotFitWhatIsSetAreRefused) {
  EXPECT_THAT(product(run_heed({"config", "--set", "model.heads=4"})), HasSubstr("heads: 4\n"));
  expect_mistake(run_heed({"config", "--set", "model.heads=3", "--set", "model.width=10"}),
                 {"heads", "width"});
}

TEST(ConfigCommand, WhatItPrintsItReadsBack) {
  const TemporaryFolder folder;
  const std::string defaults = folder.write("defaults.yaml", product(run_heed({"config"})));
  const std::string resolved = product(run_heed({"config", defaults}));
  const std::string again = folder.write("again.yaml", resolved);
  EXPECT_EQ(product(run_heed({"config", again})), resolved);
}

TEST(ConfigCommand, TheFileLiesOverTheDefaultsAndSetOverTheFile) {
  const TemporaryFolder folder;
  const std::string file = folder.write("c.yaml", "training: {updates: 20, warmup: 30}\n");
  const std::string plain = product(run_heed({"config", file}));
  EXPECT_THAT(plain, HasSubstr("updates: 20\n"));
  EXPECT_THAT(plain, HasSubstr("warmup: 30\n"));
  EXPECT_THAT(plain, HasSubstr("batch_size: 4096\n"));
  const std::string set = product(
      run_heed({"config", file, "--set", "training.updates=40", "--set", "training.updates=50"}));
  EXPECT_THAT(set, HasSubstr("updates: 50\n"));
  EXPECT_THAT(set, HasSubstr("warmup: 30\n"));
}

TEST(ConfigCommand, ExplainsOneKey) {
  const Result result = run_heed({"config", "--explain", "model.heads"});
  const std::string text = product(result);
  EXPECT_THAT(text, StartsWith("model.heads\n"));
  EXPECT_THAT(text, HasSubstr("width must be a multiple"));
  EXPECT_THAT(text, HasSubstr("default    8\n"));
  EXPECT_THAT(text, HasSubstr("on resume  fixed\n"));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(ConfigCommand, ExplainsASectionByItsKeys) {
  const std::string text = product(run_heed({"config", "--explain", "training.early_stopping"}));
  EXPECT_THAT(text, HasSubstr("patience"));
  EXPECT_THAT(text, HasSubstr("metric"));
}

TEST(ConfigCommand, ExplainsOfAModelWhichProgramsItCanBeExportedTo) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("c.yaml", "model: {norm: post, activation: silu, tie: decoder}\n");
  EXPECT_THAT(product(run_heed({"config", file, "--explain", "model"})),
              HasSubstr("    ctranslate2  yes\n    huggingface  yes\n    marian  no, its layer "
                        "norms add 1e-06 to a variance (model.norm_epsilon is 1e-05); train with "
                        "model.norm_epsilon: 1e-6\n    bergamot  no, "));
  const std::string pre = product(run_heed({"config", "--explain", "model"}));
  EXPECT_THAT(pre, HasSubstr("    ctranslate2  yes\n"));
  EXPECT_THAT(pre, HasSubstr("    huggingface  no, its layer norms come after the sublayers "
                             "(model.norm is pre)\n"));
  const std::string other = product(
      run_heed({"config", file, "--explain", "model.positions", "--set", "model.positions=alibi"}));
  EXPECT_THAT(other, HasSubstr("    ctranslate2  no, it has no such positions (model.positions is "
                               "alibi)\n"));
}

TEST(ConfigCommand, AMistypedKeyToExplainNamesItsNeighbour) {
  expect_mistake(run_heed({"config", "--explain", "model.haeds"}),
                 {"model.haeds", "'model.heads'"});
}

TEST(ConfigCommand, ExplainsAKeyByItsLastNameOrListsTheKeysThatHaveIt) {
  EXPECT_EQ(product(run_heed({"config", "--explain", "heads"})),
            product(run_heed({"config", "--explain", "model.heads"})));
  EXPECT_THAT(product(run_heed({"config", "--explain", "sampling.seed"})),
              StartsWith("decoding.sampling.seed\n"));
  EXPECT_THAT(product(run_heed({"config", "--explain", "updates"})),
              AllOf(StartsWith("training.updates\n"),
                    HasSubstr("Deeper keys of this name: data.stages.until.updates\n")));
  expect_mistake(run_heed({"config", "--set", "updates=10"}),
                 {"--set updates: unknown key; did you mean 'training.updates'?"});
  expect_mistake(
      run_heed({"config", "--explain", "source"}),
      {"several keys end in this; explain one of data.train.source, ", "data.vocabulary.source"});
}

TEST(ConfigCommand, RefusesWhatItWouldNotDo) {
  for (const char* other : {"--check", "--markdown", "other.yaml", "--set=model.heads=4"})
    EXPECT_EQ(run_heed({"config", "--explain", "training.warmup", other}).status, 2) << other;
  for (const char* other : {"--check", "other.yaml", "--set=model.heads=4"})
    EXPECT_EQ(run_heed({"config", "--markdown", other}).status, 2) << other;
}

TEST(ConfigCommand, EveryShippedConfigIsValid) {
  const Result listed =
      subprocess::run({"find", std::string(paths::kSource) + "/configs", "-name", "*.yaml"});
  const auto files = lines_of(listed.out);
  EXPECT_GE(files.size(), 5U);
  for (const std::string& file : files) {
    const Result result = run_heed({"config", file});
    EXPECT_EQ(result.status, 0) << result.err;
  }
}

TEST(ConfigCommand, TheReferenceInDocsIsTheOneInTheCode) {
  const std::string fresh = product(run_heed({"config", "--markdown"}));
  EXPECT_TRUE(read_file(std::string(paths::kSource) + "/docs/config.md") == fresh)
      << "docs/config.md is not what the code declares; refresh it:\n"
         "  build/release/heed config --markdown > docs/config.md";
}

// Before anything is opened, so that no model is needed here.
TEST(CommandLine, AFileThatIsNotThereIsNamedWithItsOption) {
  const TemporaryFolder folder;
  const std::string file = folder.write("there", "a\n"), missing = folder / "missing";
  using Words = std::vector<std::string>;
  const std::vector<std::pair<std::string, Words>> cases = {
      {"align", {"--source", "--target", "--gold", "--tune-gold"}},
      {"attention", {"--input", "--target-file"}},
      {"contrast", {"--source", "--right", "--wrong", "--target", "--correct", "--by"}},
      {"evaluate", {"--source", "--reference", "--hypothesis", "--glossary"}},
      {"faithful", {"--source", "--target", "--gold"}},
      {"heads", {"--source", "--target", "--gold", "--antecedents"}},
      {"import", {"--source-sentencepiece", "--codes"}},
      {"prune", {"--source", "--target"}},
      {"translate", {"--glossary", "--prefix"}},
      {"vocab", {"--extend", "--codes"}},
  };
  for (const auto& [command, options] : cases)
    for (const std::string& option : options) {
      Words words{command, folder / "model"};
      if (command == "import" || command == "prune" || command == "vocab")
        words.insert(words.end(), {"-o", folder / "out"});
      if (command == "align" || command == "faithful" || command == "heads" ||
          command == "contrast" || command == "prune")
        for (const char* side : {"--source", "--target"})
          if (option != side && (command != "contrast" || std::string(side) == "--source"))
            words.insert(words.end(), {side, file});
      if (option == "--tune-gold")
        words.insert(words.end(), {"--tune-source", file, "--tune-target", file});
      words.insert(words.end(), {option, missing});
      expect_mistake(run_heed(words), {option + ": no file '" + missing + "'"});
    }
  expect_mistake(run_heed({"lengths", "--hypothesis", "mine=" + missing, "--source", file,
                           "--reference", file}),
                 {"--hypothesis: no file '" + missing + "'"});
}

}  // namespace
}  // namespace heed::cli
