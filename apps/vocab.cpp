// heed vocab FILES: trains a SentencePiece model, or extends one; or lists the pieces of a text.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "data/config.h"
#include "text/extension.h"
#include "text/lines.h"
#include "text/tmx_lines.h"
#include "text/tsv.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"

namespace heed {
namespace {

struct VocabArgs {
  std::vector<std::string> files;
  std::string output, extend, codes, column = "both";
  text::VocabularyTraining training{.files = {}, .keys = "--"};
};

text::TsvColumn column_of(const std::string& name) {
  if (name == "both") return text::TsvColumn::both;
  return name == "source" ? text::TsvColumn::source : text::TsvColumn::target;
}

void save(const text::Vocabulary& vocabulary, const std::string& output,
          const std::string& more = "") {
  vocabulary.save(output);
  log::info("{}: {} pieces, {}fingerprint {}", output, vocabulary.size(), more,
            vocabulary.fingerprint());
}

void vocab(const VocabArgs& args) {
  text::VocabularyTraining training = args.training;
  require_writable({args.output});
  if (!args.codes.empty()) {
    require_file(args.codes, "--codes");
    training.rule.codes = read_file(args.codes);
    if (training.rule.codes.empty()) throw UserError("--codes: {} is empty", args.codes);
  }
  if (args.column != "both" && std::ranges::none_of(args.files, text::has_tsv_name))
    throw UserError(
        "--column is for .tsv files, and none is given; leave it out, or call them .tsv");
  for (const std::string& file : args.files) {
    if (!args.extend.empty() && text::is_stream(file))
      throw UserError(
          "'{}' can be read only once, and --extend may read it several times; save it to a file",
          file);
    text::require_text_file(file, "text");
    if (const auto flaw = text::csv_flaw(file)) log::warn(*flaw);
    training.files.emplace_back(
        file, text::has_tsv_name(file) ? column_of(args.column) : text::TsvColumn::whole);
  }
  if (args.extend.empty()) return save(text::train_vocabulary(training), args.output);
  const auto old = text::Vocabulary::load(args.extend);
  const auto more = text::extended(old, training);
  save(more, args.output, std::to_string(more.size() - old.size()) + " of them new, ");
  if (more.size() < training.size)
    log::warn("{}: the text has no more pieces for the {} of --size", args.output, training.size);
}

}  // namespace

void add_vocab(CommandLine& program) {
  auto [command, args] = program.command("vocab", vocab);
  command
      .option(
          "files", args->files,
          "Text, one sentence per line (plain, .gz or .zst); both languages for a joint vocabulary")
      .required();
  command.output("-o,--output", args->output, "File to write the vocabulary to").required();
  // Four of them are special.
  command.option("--size", args->training.size, "Number of pieces")
      .between(int64_t{5}, data::kMostPieces);
  const Argument algorithm =
      command.option("--algorithm", args->training.algorithm, "How the pieces are found")
          .one_of({"unigram", "bpe", "pieces"});
  const Argument codes = command.input(
      "--codes", args->codes,
      "--algorithm pieces: codes of subword-nmt or fastBPE, which cut the words of the text");
  const Argument separator =
      command.option("--separator", args->training.rule.separator,
                     "--algorithm pieces: the mark of pieces that do not end their word");
  const Argument split =
      command.flag("--split-unknown", args->training.rule.split_unknown,
                   "--codes: take pieces that the vocabulary lacks apart into smaller ones");
  command.option("--coverage", args->training.coverage, "Share of characters that get a piece")
      .between(text::kLeastCoverage, 1.0);
  command.list("--symbols", args->training.symbols,
               "User-defined symbols, separated by commas: each is one piece, never split");
  const Argument normalise =
      command
          .option("--normalise", args->training.normalise,
                  "Unicode normalisation of all text: nfc joins letters and marks, nfkc also "
                  "unifies wide, narrow and styled characters")
          .one_of({"none", "nfc", "nfkc"});
  const Argument bytes =
      command.flag("--byte-fallback", args->training.byte_fallback,
                   "Add a piece for each byte, to spell characters that have no piece");
  command.option("--column", args->column, "Which text of .tsv files is used")
      .one_of({"source", "target", "both"});
  command
      .input("--extend", args->extend,
             "Keep the pieces and ids of this vocabulary, and add pieces for the text up to --size")
      .excludes({algorithm, normalise, bytes, codes, separator, split});
  command.examples(
      {"heed vocab data/multi30k/train.de data/multi30k/train.en --size 8000 -o joint.spm",
       "heed vocab new.de new.en --extend joint.spm --size 10000 -o extended.spm"});
}

}  // namespace heed
