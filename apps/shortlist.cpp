// heed shortlist MODEL SOURCE [TARGET]: which pieces of the target are likely for a source, by a
// corpus or by the model's own translations.

#include "decode/search/shortlist.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/libtorch.h"
#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "decode/search/encoded_lines.h"
#include "decode/search/line_translator.h"
#include "decode/search/lines_request.h"
#include "decode/search/shortlist_learner.h"
#include "engine/network.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/line_models.h"
#include "run/saved_config.h"
#include "text/pairs.h"
#include "text/tmx_lines.h"
#include "text/vocabulary.h"

namespace heed {
namespace {

struct ShortlistArgs {
  std::string model, source, target, check, output;
  decode::ShortlistSize size;
  ModelOptions common;
};

run::OpenOptions without_shortlist(const ShortlistArgs& args) {
  std::vector<std::string> settings = args.common.settings;
  settings.emplace_back("decoding.shortlist=''");
  return args.common.open(settings);
}

/// The options of the model that translates for its own shortlist: as fast as this machine can,
/// where the user does not say it otherwise.
run::OpenOptions own_options(const ShortlistArgs& args) {
  run::OpenOptions options = without_shortlist(args);
  options.settings.insert(options.settings.begin(), "decoding.weights=auto");
  return options;
}

/// Adds the model's translations of the lines to `pairs`, with progress on a terminal, and returns
/// the warnings.
std::vector<std::string> translate(const decode::LineTranslator& translator,
                                   const std::vector<std::string>& lines, const char* what,
                                   decode::PiecePairs& pairs) {
  ProgressBar bar(what, std::ssize(lines));
  const decode::SearchHooks hooks{
      .searched = [&](int64_t count) { bar.add(static_cast<double>(count)); }};
  std::vector<std::string> warnings;
  for (auto next = lines.begin(); next != lines.end();) {
    const auto end = next + std::min<int64_t>(translator.chunk_size(), lines.end() - next);
    std::ranges::move(
        decode::add_translations(
            translator,
            {.lines = {next, end}, .numbers = decode::LineNumbers(next - lines.begin() + 1)}, hooks,
            pairs),
        std::back_inserter(warnings));
    next = end;
  }
  return warnings;
}

/// The pairs of a text and the model's translations of it, and of as many of the pieces that the
/// text lacks as it has lines: they take at most as long as the text.
decode::PiecePairs own_translations(const ShortlistArgs& args,
                                    const decode::LineTranslator& translator) {
  const std::vector<std::string> lines = text::read_sources(args.source);
  decode::PiecePairs pairs;
  decode::log_warnings(translate(translator, lines, "lines translated", pairs));
  if (pairs.source.empty())
    throw UserError("{}: has no line to translate", args.source == "-" ? "stdin" : args.source);
  // What a model makes of a single piece is often too long. Nobody reads it, and its warnings.
  translate(translator,
            decode::unseen_pieces(pairs, translator.first_text().source, std::ssize(lines)),
            "pieces translated", pairs);
  return pairs;
}

struct LearnedShortlist {
  std::string bytes;
  run::Vocabularies vocabularies;
};

LearnedShortlist learn(const ShortlistArgs& args, const run::Config& config) {
  if (args.target.empty()) {
    const run::LineModels models = open_line_models(args.model, own_options(args));
    const decode::MemberText& text = models.translator->first_text();
    return {decode::learn_shortlist(own_translations(args, *models.translator), args.size,
                                    text.source, text.target),
            {text.source, text.target}};
  }
  const text::Pairs pairs = text::read_pairs(args.source, args.target);
  text::require_pairs(pairs, args.source);
  const run::Vocabularies both =
      run::with_languages(run::load_vocabularies(args.model, run::is_joint(config)), config);
  return {decode::learn_shortlist(
              decode::pieces_of(pairs, config.data.max_length, both.source, both.target), args.size,
              both.source, both.target),
          both};
}

void write_shortlist(const ShortlistArgs& args, const run::Config& config,
                     const std::string& output) {
  const LearnedShortlist learned = learn(args, config);
  const auto& [source, target] = learned.vocabularies;
  const decode::Shortlist shortlist(learned.bytes, output, source, target);
  int64_t known = 0;
  for (int32_t piece = text::kEnd + 1; piece < source.size(); ++piece)
    known += !shortlist.is_open({&piece, 1});
  write_atomic(output, learned.bytes);
  log::info(
      "{}: written; {} of {} pieces of the source have a list, and with another one a line is "
      "translated without the shortlist; set decoding.shortlist to this file to translate with it",
      output, known, source.size() - text::kEnd - 1);
}

/// Throws UserError where no shortlist can be used.
void require_engines(const ShortlistArgs& args) {
  if (!run::have_engines(args.model, without_shortlist(args)))
    throw UserError(
        "--check: shortlists need a CPU, and no mechanism that was added to a registry; add "
        "--device cpu, or leave --check out");
}

run::LineModels open(const ShortlistArgs& args, const std::string& shortlist) {
  std::vector<std::string> settings = args.common.settings;
  settings.push_back("decoding.shortlist=" + shortlist);
  return run::open_engines(args.model, args.common.open(settings));
}

/// The mean of numbers.
class Mean {
 public:
  void add(int64_t value) {
    sum_ += value;
    ++count_;
  }
  double value() const {
    return static_cast<double>(sum_) / static_cast<double>(std::max<int64_t>(count_, 1));
  }

 private:
  int64_t sum_ = 0, count_ = 0;
};

/// Says how many pieces the lists of a text's lines and batches have, and how many lines have all.
std::string sizes_of(const decode::Shortlist& shortlist, const decode::LineTranslator& translator,
                     const std::vector<std::string>& lines) {
  const text::Vocabulary& source = translator.first_text().source;
  Mean of_lines, of_batches;
  int64_t open = 0;
  for (const std::vector<int64_t>& batch : translator.batches_of({.lines = lines})) {
    std::set<int32_t> all;
    for (const int64_t i : batch) {
      const std::vector<int32_t> ids = source.encode(lines[i], translator.source_limit());
      if (shortlist.is_open(ids)) {
        ++open;
        continue;
      }
      const decode::PieceList pieces = shortlist.pieces_for(ids);
      all.insert(pieces.begin(), pieces.end());
      of_lines.add(std::ssize(pieces));
    }
    if (!all.empty()) of_batches.add(std::ssize(all));
  }
  return fmt::format("{:.0f} of {} pieces a line, {:.0f} a batch; {} with all pieces",
                     of_lines.value(), translator.first_text().target.size(), of_batches.value(),
                     counted(open, "line"));
}

/// Prints how many lines are translated otherwise than without the shortlist, and what their lists
/// have.
void check(const ShortlistArgs& args, const std::string& file) {
  const std::vector<std::string> lines = text::read_sources(args.check);
  decode::LinesResult plain = open(args, "''").translator->translate({.lines = lines});
  const run::LineModels models = open(args, file);
  const decode::LineTranslator& translator = *models.translator;
  decode::LinesResult listed = translator.translate({.lines = lines});
  log::info("{}: the search takes {} s with the shortlist and {} s without", args.check,
            fixed(listed.search_seconds, 2), fixed(plain.search_seconds, 2));
  const auto without = with_logged_warnings(std::move(plain));
  const auto with = with_logged_warnings(std::move(listed));
  const decode::MemberText& text = translator.first_text();
  const decode::Shortlist shortlist(read_file(file), file, text.source, text.target);
  int64_t differ = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) differ += with[i].text != without[i].text;
  const auto count = static_cast<double>(std::max<std::size_t>(lines.size(), 1));
  std::cout << fmt::format(
      "{} of {} differ ({:.1f} %); {}\n", differ, counted(std::ssize(lines), "line"),
      100 * static_cast<double>(differ) / count, sizes_of(shortlist, translator, lines));
}

void make_shortlist(const ShortlistArgs& args) {
  run::require_model_folder(args.model);
  const std::string output =
      args.output.empty() ? file_in(args.model, kShortlistFile) : args.output;
  require_writable({output}, {args.source, args.target, args.check});
  if (!args.check.empty()) require_engines(args);
  const run::Config config = run::open_config(args.model, without_shortlist(args)).config;
  if (!engine::has_network(config.model))
    throw UserError(
        "{}: a shortlist needs an engine, and this model has a mechanism that was added to a "
        "registry; translate with it as it is",
        args.model);
  write_shortlist(args, config, output);
  if (!args.check.empty()) check(args, output);
}

}  // namespace

void add_shortlist(CommandLine& program) {
  auto [command, args] = program.command("shortlist", make_shortlist);
  command.model("model", args->model, "Folder that `heed train` or `heed import` wrote").required();
  command
      .option("source", args->source,
              "Source sentences, as many as possible (plain, .gz or .zst); - is standard input")
      .required();
  command.option("target", args->target,
                 "Their translations, line by line; default: the model's own");
  command.group("What it lists");
  command.option("--best", args->size.best, "Pieces of the target for each piece of the source")
      .between(1, 100000);
  command
      .option("--frequent", args->size.frequent,
              "The most frequent pieces, which each translation may have")
      .between(0, 100000);
  command.group("Output");
  command.output("-o,--output", args->output, "File; default: shortlist.bin in the folder");
  command.input(
      "--check", args->check,
      "Also translate this text with the shortlist and without, and print how many lines differ");
  args->common.add(command);
  command.examples(
      {"heed shortlist runs/opus text.de.gz --check more.de",
       "heed shortlist runs/multi30k_quick data/multi30k/train.de data/multi30k/train.en --best 50 "
       "--set device=cpu -o short.bin"});
}

}  // namespace heed
