// A translation task of twenty words that tiny models learn in a second or two: the target is the
// source backwards.
#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/strings.h"
#include "cli/program.h"
#include "quick_scorer.h"
#include "temporary_folder.h"

namespace heed::cli {

/// The comma makes CSV quote its field.
inline const std::vector<std::string>& toy_words() {
  static const std::vector<std::string> words = {"a",  "b",  "c",  "d",  "e",  "f",  "g",
                                                 "h",  "i",  "j",  ",",  "ab", "ba", "cd",
                                                 "dc", "ef", "fe", "gh", "hg", "ij"};
  return words;
}

/// Files NAME.src and NAME.tgt of `count` pairs of 2 to 6 words. Returns the path without the
/// ending.
inline std::string write_toy_pairs(const TemporaryFolder& folder, const std::string& name,
                                   int count, unsigned seed) {
  std::mt19937 random(seed);
  std::string source, target;
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> words;
    for (unsigned left = 2 + random() % 5; left > 0; --left)
      words.push_back(toy_words()[random() % toy_words().size()]);
    source += join(words, " ") + "\n";
    std::reverse(words.begin(), words.end());
    target += join(words, " ") + "\n";
  }
  folder.write(name + ".src", source);
  folder.write(name + ".tgt", target);
  return folder / name;
}

inline constexpr const char* kRnn =
    "{type: rnn, embedding_size: 32, hidden_size: 48, attention: bahdanau, dropout: 0.1}";
inline constexpr const char* kNone =
    "{type: rnn, embedding_size: 16, hidden_size: 24, attention: none}";
inline constexpr const char* kTransformer =
    "{type: transformer, width: 32, feed_forward: 64, heads: 4, encoder_layers: 2, "
    "decoder_layers: 2, dropout: 0.1, tie: all}";

struct ToyRun {
  std::string name;      // of the run and its folder
  std::string model;     // YAML of the section
  std::string training;  // more YAML of its section, in braces' inner form: "updates: 5, ema: 0.9"
  bool test = false;
  int threads = 1;
  std::string vocabulary = "kind: joint, size: 32, algorithm: bpe";
};

/// Writes NAME.yaml for a run in the folder NAME on train.* and valid.* (and test.*) of the same
/// temporary folder; returns its path.
inline std::string write_toy_config(const TemporaryFolder& folder, const ToyRun& run) {
  const auto pair = [&](const std::string& name) {
    return "{source: " + (folder / (name + ".src")) + ", target: " + (folder / (name + ".tgt")) +
           "}";
  };
  std::string yaml =
      "name: " + run.name + "\noutput: " + (folder / run.name) +
      "\nseed: 7\ndevice: cpu\nprecision: fp32\nthreads: " + std::to_string(run.threads) +
      "\ndata:\n  train: " + pair("train") + "\n  valid: " + pair("valid") + "\n";
  if (run.test) yaml += "  test: " + pair("test") + "\n";
  yaml += "  vocabulary: {" + run.vocabulary + "}\nmodel: " + run.model +
          "\ntraining: {batch_size: 400, label_smoothing: 0.0, warmup: 10, validate_bleu: false, " +
          run.training + "}\nevaluation: {length_buckets: [3], bootstrap: 100}\n";
  return folder.write(run.name + ".yaml", yaml);
}

/// Gold links of a file of reversals, whose words are counted from `first`: word j is word n - 1 -
/// j of the source.
inline std::string reversal_links(const std::string& source, std::size_t first = 0) {
  std::string links;
  for (const std::string& line : lines_of(read_file(source))) {
    const std::size_t words = split_words(line).size();
    for (std::size_t j = 0; j < words; ++j)
      links += (j > 0 ? " " : "") + std::to_string(words - 1 - j + first) + "-" +
               std::to_string(j + first);
    links += "\n";
  }
  return links;
}

inline constexpr const char* kGuidedTraining =
    "learning_rate: 0.01, schedule: cosine, updates: 60, validate_every: 1000, save_every: 30, "
    "log_every: 10, guided_alignment: 0.5";
inline constexpr const char* kGuidedTransformer =
    "{type: transformer, width: 32, feed_forward: 64, heads: 4, encoder_layers: 1, "
    "decoder_layers: 2, dropout: 0.0, tie: all}";

/// A configuration with four training pairs, of which two are the same and one is in the test set.
inline std::string write_flawed(const TemporaryFolder& folder, const std::string& more = "") {
  const auto pair = [&](const std::string& name, const std::string& source,
                        const std::string& target) {
    return "{source: " + folder.write(name + ".src", source) +
           ", target: " + folder.write(name + ".tgt", target) + "}\n";
  };
  return folder.write("flawed.yaml",
                      "output: " + (folder / "run") + "\nmodel: " + kNone +
                          "\ntraining: {validate_bleu: false, updates: 2}\ndata:\n  train: " +
                          pair("train", "a b\nc d\na b\ne f\n", "b a\nd c\nb a\nf e\n") +
                          "  valid: " + pair("valid", "e g\nc d\n", "g e\nc c\n") +
                          "  vocabulary: {algorithm: bpe, size: 16}\n" + more);
}

/// The files and folders in a folder.
inline std::set<std::string> names_of(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

/// The lines of a run's metrics of one kind.
inline std::vector<nlohmann::json> events(const std::string& run, const std::string& kind) {
  std::vector<nlohmann::json> out;
  for (const std::string& line : lines_of(read_file(run + "/metrics.jsonl")))
    if (nlohmann::json event = nlohmann::json::parse(line); event.at("event") == kind)
      out.push_back(event);
  return out;
}

/// A run in a folder of its own, which the test trains.
struct ToyRunTest : testing::Test {
  TemporaryFolder folder;
  std::string run = folder / "run";

  explicit ToyRunTest(int pairs = 100, int validation_pairs = 10) {
    write_toy_pairs(folder, "train", pairs, 1);
    write_toy_pairs(folder, "valid", validation_pairs, 2);
  }
  std::string write_config(
      const std::string& model = kTransformer,
      const std::string& training = "updates: 4, validate_every: 4, save_every: 2") const {
    return write_toy_config(folder, {"run", model, training});
  }
  std::string file(const std::string& name) const { return read_file(run + "/" + name); }
};

/// Throws where training fails.
inline void train_toy(const std::string& config, const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments{"train", config};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Result result = run_heed(arguments);
  if (result.status != 0) throw std::runtime_error("heed train " + config + ":\n" + result.err);
}

/// Two trained models, made when the first test asks for them and kept until the program ends.
struct Toy {
  TemporaryFolder folder;
  std::string rnn = folder / "rnn", transformer = folder / "transformer";
  std::string rnn_config, transformer_config;

  Toy() {
    write_toy_pairs(folder, "train", 1500, 1);
    write_toy_pairs(folder, "valid", 20, 2);
    write_toy_pairs(folder, "test", 25, 3);
    const std::string training =
        "learning_rate: 0.01, schedule: cosine, updates: 300, validate_every: 100, "
        "save_every: 150, log_every: 50, keep_best: 2, keep_last: 1";
    const WholeScorer scorer;
    rnn_config = write_toy_config(folder, {"rnn", kRnn, training, /*test=*/true});
    transformer_config = write_toy_config(folder, {"transformer", kTransformer, training});
    train_toy(rnn_config, {"--set", "training.validate_bleu=true"});
    // With dropout so few updates teach it to reverse with some seeds only.
    train_toy(transformer_config, {"--set", "model.dropout=0"});
  }

  static const Toy& get() {
    static const Toy toy;
    return toy;
  }
};

}  // namespace heed::cli
