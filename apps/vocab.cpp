// heed vocab FILES: trains a SentencePiece model.
#include <CLI/CLI.hpp>
#include <memory>

#include "apps/commands.h"
#include "base/files.h"
#include "base/log.h"
#include "text/vocabulary.h"

namespace heed {
namespace {

struct VocabArgs {
  std::vector<std::string> files;
  std::string output, algorithm = "unigram";
  int64_t size = 8000;
  double coverage = 1.0;
};

void vocab(const VocabArgs& args) {
  for (const std::string& file : args.files) require_file(file, "text");
  const auto vocabulary = text::Vocabulary::train({.files = args.files,
                                                   .size = args.size,
                                                   .algorithm = args.algorithm,
                                                   .coverage = args.coverage,
                                                   .keys = "--"});
  vocabulary.save(args.output);
  log::info(args.output + ": " + std::to_string(vocabulary.size()) + " pieces, fingerprint " +
            vocabulary.fingerprint());
}

}  // namespace

void add_vocab(CLI::App& app) {
  auto args = std::make_shared<VocabArgs>();
  CLI::App* command = app.add_subcommand("vocab", "Train a SentencePiece vocabulary");
  command
      ->add_option(
          "files", args->files,
          "Text, one sentence a line (plain, .gz or .zst); both languages for a joint vocabulary")
      ->required();
  command->add_option("-o,--output", args->output, "Where the model goes")->required();
  command->add_option("--size", args->size, "Number of pieces")->capture_default_str();
  command->add_option("--algorithm", args->algorithm, "How the pieces are found")
      ->check(CLI::IsMember({"unigram", "bpe"}))
      ->capture_default_str();
  command->add_option("--coverage", args->coverage, "Share of characters that get a piece")
      ->capture_default_str();
  command->footer(
      "Example:\n  heed vocab data/multi30k/train.de data/multi30k/train.en --size 8000 -o "
      "joint.spm");
  command->callback([args] { vocab(*args); });
}

}  // namespace heed
