// heed vocab FILES: trains a SentencePiece model.
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

void add_vocab(CommandLine& program) {
  auto args = std::make_shared<VocabArgs>();
  CommandLine command = program.command("vocab", "Train a SentencePiece vocabulary");
  command
      .option(
          "files", args->files,
          "Text, one sentence per line (plain, .gz or .zst); both languages for a joint vocabulary")
      .required();
  command.option("-o,--output", args->output, "File to write the vocabulary to").required();
  command.option("--size", args->size, "Number of pieces").shows_default();
  command.option("--algorithm", args->algorithm, "How the pieces are found")
      .one_of({"unigram", "bpe"})
      .shows_default();
  command.option("--coverage", args->coverage, "Share of characters that get a piece")
      .between(text::kLeastCoverage, 1.0)
      .shows_default();
  command.examples(
      {"heed vocab data/multi30k/train.de data/multi30k/train.en --size 8000 -o joint.spm",
       "heed vocab data/demo/train.src data/demo/train.tgt --size 1000 --algorithm bpe "
       "-o demo.spm"});
  command.run([args] { vocab(*args); });
}

}  // namespace heed
