// heed shortlist RUN SOURCE TARGET: which pieces of the target are likely for a source.

#include "decode/search/shortlist.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "decode/search/line_translator.h"
#include "decode/search/shortlist_learner.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/line_models.h"
#include "text/pairs.h"
#include "text/vocabulary.h"

namespace heed {
namespace {

struct ShortlistArgs {
  std::string model, source, target, check, output;
  decode::ShortlistSize size;
  ModelOptions common;
};

void write_shortlist(const ShortlistArgs& args, const std::string& output) {
  const text::Pairs pairs = text::read_pairs(args.source, args.target);
  text::require_pairs(pairs, args.source);
  const run::Config config = run::open_config(args.model, args.common.open()).config;
  const auto [source, target] = run::load_vocabularies(args.model, run::is_joint(config));
  write_atomic(output,
               decode::learn_shortlist(pairs, config.data.max_length, args.size, source, target));
  log::info("{}: written; set decoding.shortlist to this file to translate with it", output);
}

run::LineModels open(const ShortlistArgs& args, const std::string& shortlist) {
  std::vector<std::string> settings = args.common.settings;
  settings.push_back("decoding.shortlist=" + shortlist);
  const run::OpenOptions options = args.common.open(settings);
  if (!run::have_engines(args.model, options))
    throw UserError(
        "--check: shortlists need a CPU, and no mechanism that was added to a registry; add "
        "--device "
        "cpu, or leave --check out");
  return run::open_engines(args.model, options);
}

/// Returns the number of lines that are translated otherwise than without the shortlist.
void check(const ShortlistArgs& args, const std::string& file) {
  const std::vector<std::string> lines = text::read_sources(args.check);
  const auto without =
      with_logged_warnings(open(args, "''").translator->translate({.lines = lines}));
  const run::LineModels models = open(args, file);
  const decode::LineTranslator& translator = *models.translator;
  const auto with = with_logged_warnings(translator.translate({.lines = lines}));
  const text::Vocabulary& source = translator.first_text().source;
  const text::Vocabulary& target = translator.first_text().target;
  const decode::Shortlist shortlist(read_file(file), file, source, target);
  int64_t differ = 0;
  std::size_t pieces = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    differ += with[i].text != without[i].text;
    pieces += shortlist.pieces_for(source.encode(lines[i], translator.source_limit())).size();
  }
  const auto count = static_cast<double>(std::max<std::size_t>(lines.size(), 1));
  std::cout << fmt::format("{} of {} differ ({:.1f} %); {:.0f} of {} pieces a line\n", differ,
                           counted(std::ssize(lines), "line"),
                           100 * static_cast<double>(differ) / count,
                           static_cast<double>(pieces) / count, target.size());
}

void make_shortlist(const ShortlistArgs& args) {
  const std::string output =
      args.output.empty() ? file_in(args.model, kShortlistFile) : args.output;
  require_writable({output}, {args.source, args.target, args.check});
  if (!args.check.empty()) require_file(args.check, "text");
  write_shortlist(args, output);
  if (!args.check.empty()) check(args, output);
}

}  // namespace

void add_shortlist(CommandLine& program) {
  auto [command, args] = program.command("shortlist", make_shortlist);
  command.option("model", args->model, "Folder that `heed train` wrote").required();
  command.option("source", args->source, "Source sentences, as many as possible").required();
  command.option("target", args->target, "Their translations, line by line").required();
  command.group("What it lists");
  command.option("--best", args->size.best, "Pieces of the target for each piece of the source")
      .between(1, 100000);
  command
      .option("--frequent", args->size.frequent,
              "The most frequent pieces, which each translation may have")
      .between(0, 100000);
  command.group("Output");
  command.output("-o,--output", args->output, "File; default: shortlist.bin in the folder");
  command.option(
      "--check", args->check,
      "Also translate this text with the shortlist and without, and print how many lines differ");
  args->common.add(command);
  command.examples(
      {"heed shortlist runs/multi30k_quick data/multi30k/train.de data/multi30k/train.en "
       "--check data/multi30k/test2016.de",
       "heed shortlist runs/demo/transformer data/demo/train.src data/demo/train.tgt --best 50 "
       "--set device=cpu -o short.bin"});
}

}  // namespace heed
