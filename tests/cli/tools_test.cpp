// heed average, export, vocab, noise and doctor.
#include <filesystem>
#include <regex>
#include <string>

#include "base/subprocess.h"
#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Average, OfOneSetOfWeightsIsThatSet) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const Result result = run_heed({"average", toy.rnn, toy.rnn, "-o", folder / "mean"});
  EXPECT_EQ(product(result), "");
  const std::string test = toy.folder / "test.src";
  EXPECT_EQ(product(run_heed({"translate", folder / "mean", test, "--scores"})),
            product(run_heed({"translate", toy.rnn, test, "--scores"})));
}

TEST(Average, OfTheBestCheckpointsIsTheModel) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{"average"};
  for (const auto& entry : fs::directory_iterator(Toy::get().rnn + "/checkpoints"))
    if (entry.path().extension() == ".safetensors") arguments.push_back(entry.path().string());
  ASSERT_THAT(arguments, SizeIs(3));
  arguments.insert(arguments.end(), {"-o", folder / "mean"});
  EXPECT_EQ(product(run_heed(arguments)), "");
  const std::string test = Toy::get().folder / "test.src";
  EXPECT_EQ(product(run_heed({"translate", folder / "mean", test, "--scores"})),
            product(run_heed({"translate", Toy::get().rnn, test, "--scores"})));
}

TEST(Average, RefusesOtherArchitecturesAndFoldersInUse) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  expect_mistake(run_heed({"average", toy.rnn, toy.transformer, "-o", folder / "mean"}),
                 {toy.transformer});
  EXPECT_FALSE(fs::exists(folder / "mean"));
  expect_mistake(run_heed({"average", toy.rnn, "-o", toy.transformer}), {toy.transformer});
  expect_mistake(run_heed({"average", folder / "nothing", "-o", folder / "mean"}), {"nothing"});
}

TEST(Average, IsAModelOfItsOwnFolder) {
  const TemporaryFolder folder;
  product(run_heed({"average", Toy::get().rnn, "-o", folder / "mean"}));
  EXPECT_THAT(lines_of(read_file(folder / "mean/config.yaml")),
              ::testing::Contains("output: " + (folder / "mean")));
}

// Weights of both have the same names and shapes.
TEST(Average, RefusesWhatComputesOtherwiseOrReadsOtherPieces) {
  const TemporaryFolder folder;
  const std::string model = Toy::get().transformer, copy = folder / "copy";
  fs::copy(model, copy, fs::copy_options::recursive);
  const std::string config = read_file(copy + "/config.yaml");
  const auto change = [&](const std::string& from, const std::string& to) {
    std::string text = config;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    folder.write("copy/config.yaml", text.replace(at, from.size(), to));
  };
  const std::vector<std::string> average{"average", model, copy, "-o", folder / "mean"};
  change("\n  heads: 4\n", "\n  heads: 2\n");
  expect_mistake(run_heed(average), {copy, "model.heads is 2 and not 4"});
  // Neither matters to a Transformer's translations.
  for (const auto& [from, to] : {std::pair("\n  dropout: 0.0\n", "\n  dropout: 0.3\n"),
                                 std::pair("\n  layers: 1\n", "\n  layers: 3\n")}) {
    change(from, to);
    EXPECT_EQ(run_heed(average).status, 0) << to;
    fs::remove_all(folder / "mean");
  }
  product(run_heed({"vocab", Toy::get().folder / "train.src", "--size", "28", "--algorithm", "bpe",
                    "-o", folder / "other.spm"}));
  fs::copy_file(folder / "other.spm", copy + "/joint.spm", fs::copy_options::overwrite_existing);
  expect_mistake(run_heed(average), {copy, "vocabulary", model});
  EXPECT_FALSE(fs::exists(folder / "mean"));
}

TEST(Export, LeavesNoVocabularyOfAnEarlierOne) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  fs::create_directory(out);
  for (const char* side : {"source", "target"}) {
    folder.write("out/" + std::string(side) + "_vocabulary.json", "[]");
    folder.write("out/" + std::string(side) + ".spm", "");
  }
  folder.write("out/.heed.files",
               "source.spm\nsource_vocabulary.json\ntarget.spm\ntarget_vocabulary.json\n");
  const Result result = run_heed({"export", Toy::get().transformer, "-o", out});
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err, HasSubstr("(joint.spm cuts and joins them)"));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(out)) names.push_back(entry.path().filename());
  EXPECT_THAT(names, ::testing::UnorderedElementsAre(".heed.files", "config.json", "joint.spm",
                                                     "model.bin", "shared_vocabulary.json"));
}

TEST(Export, NamesTheKeyThatAProgramLacks) {
  const TemporaryFolder folder;
  const std::string model = Toy::get().transformer, out = folder / "out";
  expect_mistake(run_heed({"export", model, "--format", "marian", "-o", out}),
                 {"Marian cannot translate with it", "model.norm is pre", "model.norm: post"});
  expect_mistake(run_heed({"export", Toy::get().rnn, "--format", "marian", "-o", out}),
                 {"model.type is rnn"});
  expect_mistake(run_heed({"export", model, "--format", "bergamot", "-o", out}),
                 {"needs --lines FILE"});
  expect_mistake(run_heed({"export", model, "--format", "argos", "--set",
                           "decoding.no_repeat_ngram=4", "-o", out}),
                 {"--set decoding.no_repeat_ngram=0"});
}

TEST(Export, MakesAPackageOfArgosTranslate) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  const std::vector<std::string> languages = {"--source-language", "de", "--target-language", "en"};
  std::vector<std::string> command = {"export", Toy::get().transformer, "--format", "argos", "-o",
                                      out};
  command.insert(command.end(), languages.begin(), languages.end());
  EXPECT_EQ(product(run_heed(command)), "");
  const std::string file = out + "/translate-de_en-1_0.argosmodel";
  EXPECT_EQ(product(run_heed({"import", file, "-o", folder / "again"})), "");
  EXPECT_THAT(read_file(folder / "again/config.yaml"), HasSubstr("source_language: de"));
}

// They compute nothing, so a machine without a GPU that can do fp16 has no part in it.
TEST(Export, AndInspectTakeAModelThatOnlyAGpuCanTrain) {
  const TemporaryFolder folder;
  const std::string model = folder / "model", config = model + "/config.yaml";
  fs::copy(Toy::get().transformer, model, fs::copy_options::recursive);
  std::string text = read_file(config);
  const std::size_t at = text.find("\nprecision: ") + 1;
  ASSERT_NE(at, 0U);
  folder.write("model/config.yaml", text.replace(at, text.find('\n', at) - at, "precision: fp16"));
  EXPECT_THAT(product(run_heed({"inspect", model})), HasSubstr("transformer"));
  EXPECT_EQ(product(run_heed({"export", model, "-o", folder / "out"})), "");
}

TEST(Export, SaysHowToSampleAndWhatIsCut) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 60, 1);
  write_toy_pairs(folder, "valid", 10, 2);
  const std::string tagged = folder / "tagged.spm";
  product(run_heed({"vocab", folder / "train.src", folder / "train.tgt", "--size", "30",
                    "--algorithm", "bpe", "--symbols", "<2en>", "-o", tagged}));
  const std::string config = write_toy_config(
      folder, {"short",
               "{type: transformer, width: 8, feed_forward: 8, heads: 2, encoder_layers: 1, "
               "decoder_layers: 1, positions: learned, max_positions: 40}",
               "updates: 1", false, 1, "kind: joint, source: " + tagged});
  train_toy(config, {"--set", "decoding.sampling.top_k=7"});
  const Result result = run_heed({"export", folder / "short", "-o", folder / "out"});
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err,
              HasSubstr("sampling_topk=7, sampling_topp=1.0, sampling_temperature=1.0"));
  EXPECT_THAT(result.err, HasSubstr("translate_batch(pieces, beam_size=1, "));
  EXPECT_THAT(result.err, HasSubstr("max_input_length=40, max_decoding_length=39"));
  EXPECT_THAT(result.err, HasSubstr("at most 39 pieces a sentence"));
  EXPECT_THAT(result.err,
              HasSubstr("before a symbol at the beginning of a line, as heed does: <2en>"));
  EXPECT_THAT(result.err, Not(HasSubstr("forbidden")));
  const Result limited =
      run_heed({"export", folder / "short", "-o", folder / "limited", "--set",
                "decoding.sampling.top_k=0", "--set", "decoding.beam_size=2", "--set",
                "decoding.min_length=3", "--set", "decoding.forbid=[a]"});
  product(limited);
  EXPECT_THAT(limited.err, HasSubstr("with decoding.min_length, decoding.forbid scores and some "
                                     "translations differ; leave them out"));
  // And heed says which of its limits cut a translation.
  const Result cut =
      run_heed({"translate", folder / "short", "--set", "decoding.max_length_ratio=0.1"}, "a b\n");
  product(cut);
  EXPECT_THAT(cut.err, HasSubstr("line 1 (decoding.max_length_ratio raises it)"));
  const Result full =
      run_heed({"translate", folder / "short", "--set", "decoding.min_length=100"}, "a b\n");
  product(full);
  EXPECT_THAT(full.err, HasSubstr("line 1 (the model cannot write longer ones)"));
}

TEST(Vocab, TrainsAModelThatARunCanUse) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 100, 1);
  write_toy_pairs(folder, "valid", 10, 2);
  const Result result = run_heed({"vocab", folder / "train.src", folder / "train.tgt", "--size",
                                  "28", "--algorithm", "bpe", "-o", folder / "mine.spm"});
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err, HasSubstr("28 pieces"));
  train_toy(write_toy_config(folder, {"run", kNone, "updates: 2", false, 1,
                                      "kind: joint, source: " + (folder / "mine.spm")}));
  EXPECT_EQ(read_file(folder / "run/joint.spm"), read_file(folder / "mine.spm"));
}

TEST(Vocab, RefusesWhatItCannotReadAsItIsTold) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 100, 1);
  const std::string text = folder / "train.src", joint = folder / "joint.spm";
  expect_mistake(run_heed({"vocab", text, "--column", "source", "-o", joint}),
                 {"--column is for .tsv files, and none is given"});
  product(run_heed({"vocab", text, "--size", "20", "--algorithm", "bpe", "-o", joint}));
  expect_mistake(
      run_heed({"vocab", "-", "--extend", joint, "--size", "30", "-o", folder / "more.spm"},
               "a b\n"),
      {"'-' can be read only once, and --extend may read it several times"});
}

TEST(Vocab, ASizeThatTheTextCannotFillSaysWhichItCan) {
  const TemporaryFolder folder;
  const Result result = run_heed({"vocab", folder.write("text", "a b\nb a\n"), "--size", "500",
                                  "--algorithm", "bpe", "-o", folder / "mine.spm"});
  expect_mistake(result, {"500", "set --size to at most"});
  EXPECT_FALSE(fs::exists(folder / "mine.spm"));
}

TEST(Noise, WritesTheSameCopyEachTime) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "ein Hund.\n\nzwei Straßen\n");
  EXPECT_EQ(product(run_heed({"noise", text, "--upper", "1", "-o", "-"})),
            "EIN HUND.\n\nZWEI STRASSEN\n");
  const std::vector<std::string> typos{"noise", text, "--typos", "1", "--seed", "3", "-o", "-"};
  const std::string copy = product(run_heed(typos));
  EXPECT_EQ(lines_of(copy).size(), 3U);
  EXPECT_NE(copy, read_file(text));
  EXPECT_EQ(product(run_heed(typos)), copy);
  expect_mistake(run_heed({"noise", text, "-o", "-"}),
                 {"no noise is asked for; give some, as in --typos 0.1"});
  expect_mistake(run_heed({"noise", text, "--upper", "0.6", "--title", "0.6", "-o", "-"}),
                 {"data.noise: upper and title are more than all pairs; lower one"});
  std::string latin1;
  for (int i = 0; i < 12; ++i) latin1 += "f\xFCr\n";
  expect_mistake(run_heed({"noise", folder.write("latin1", latin1), "--typos", "1"}),
                 {"latin1:1: not UTF-8"});
}

TEST(Doctor, SaysWhatThisMachineCanDo) {
  const TemporaryFolder cache;
  const Result result = run_heed_in({"HEED_CACHE=" + cache.path()}, {"doctor"});
  const std::string report = product(result);
  for (const char* part : {"heed", "LibTorch", "CPU", "others", "bf16", "greedy", "beam", "batch",
                           "measured", "GPU", "sacrebleu"})
    EXPECT_THAT(report, HasSubstr(std::string(" ") + part + " "));
  EXPECT_THAT(report, HasSubstr("GFLOP/s"));
  EXPECT_THAT(report, HasSubstr("precision: auto "));
  const bool has_bf16 = report.find("ok   bf16") != std::string::npos;
  const std::string ms = "[0-9]+[.][0-9] ms in ";
  const std::string spread = " [(]spread [0-9]+ %[)]";
  const std::string both = ms + "fp32 and " + ms + "bf16" + spread + " in training";
  EXPECT_EQ(has_bf16, std::regex_search(report, std::regex(both))) << report;
  const std::string all =
      ms + "fp32" + (has_bf16 ? ", " + ms + "bf16" : "") + " and " + ms + "int8";
  for (const char* rows : {"1 row", "5 rows", "160 rows"})
    EXPECT_TRUE(std::regex_search(
        report, std::regex("a step with " + std::string(rows) + " takes " + all + spread +
                           " in translating; precision: auto takes (fp32|bf16), "
                           "decoding.weights: auto (fp32|bf16|int8)\n")))
        << report;
  EXPECT_THAT(report, HasSubstr("anew, and kept in " + cache.path() + "/precision_times.json\n"));
}

TEST(Doctor, SaysWhatToDoBesideABusyProgram) {
  const TemporaryFolder folder;
  const subprocess::Child busy =
      subprocess::start({"/bin/sh", "-c", "while :; do :; done"}, folder / "log");
  const std::string report = product(run_heed_in({"HEED_CACHE=" + folder.path()}, {"doctor"}));
  EXPECT_TRUE(std::regex_search(
      report, std::regex("--   others       other programs use [0-9]+[.][0-9] of [0-9]+ cores?: "
                         "what is measured here is uncertain.*Stop them")))
      << report;
}

TEST(Doctor, MeasuresAnewWhatOtherCommandsKnow) {
  const TemporaryFolder cache;
  const std::string variable = "HEED_CACHE=" + cache.path(), file = cache / "precision_times.json";
  product(run_heed_in({variable}, {"doctor"}));
  auto content = nlohmann::json::parse(read_file(file));
  ASSERT_EQ(content.size(), 1U);  // this machine
  auto& times = content.begin().value().at("times");
  EXPECT_GE(times.size(), 3U);
  for (auto& [products, formats] : times.items()) formats["fp32"] = 1e9;
  times["others"] = {{"fp32", 1.0}};
  content["another machine"] = {{"program", "heed"}, {"times", nlohmann::json::object()}};
  write_atomic(file, content.dump());
  product(run_heed_in({variable}, {"doctor"}));
  auto anew = nlohmann::json::parse(read_file(file));
  EXPECT_EQ(anew.at("another machine"), content.at("another machine"));
  anew.erase("another machine");
  ASSERT_EQ(anew.size(), 1U);
  EXPECT_FALSE(anew.begin().value().at("times").contains("others"));
  for (const auto& [products, formats] : anew.begin().value().at("times").items())
    EXPECT_LT(formats.at("fp32"), 1e6) << products;
}

TEST(Doctor, SaysWhereMeasurementsCannotBeKept) {
  const TemporaryFolder folder;
  const std::string none = folder.write("file", "");
  EXPECT_THAT(product(run_heed_in({"HEED_CACHE=" + none}, {"doctor"})),
              HasSubstr("--   measured     anew by each command: " + none +
                        "/precision_times.json cannot be written\n"));
  EXPECT_THAT(
      product(run_heed_in({"-u", "HEED_CACHE", "-u", "XDG_CACHE_HOME", "-u", "HOME"}, {"doctor"})),
      HasSubstr("anew by each command: no HOME, and HEED_CACHE names no folder\n"));
}

TEST(Doctor, FailsWhereTheScorerIsMissing) {
  const Result result = run_heed_in({"HEED_SACREBLEU=/nonexistent"}, {"doctor"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("--   sacrebleu"));
  EXPECT_THAT(lines_of(result.err), SizeIs(1));
}

TEST(Doctor, FailsWhereTheScorerDoesNotRun) {
  const TemporaryFolder folder;
  const std::string program = folder.write("sacrebleu", "#!/nowhere/.venv/bin/python3\n");
  fs::permissions(program, fs::perms::owner_all);
  const Result result = run_heed_in({"HEED_SACREBLEU=" + program}, {"doctor"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("--   sacrebleu    sacrebleu ('" + program + "') ended with"));
  EXPECT_THAT(result.out, HasSubstr("`./run setup`"));
  EXPECT_THAT(lines_of(result.err), SizeIs(1));
}

}  // namespace
}  // namespace heed::cli
