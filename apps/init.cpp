// heed init SOURCE TARGET [--from RUN]: a configuration for a corpus, with validation and test
// pairs taken out of it.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/shell_names.h"
#include "base/signals.h"
#include "base/strings.h"
#include "config/schema.h"
#include "config/yaml.h"
#include "data/config.h"
#include "data/hygiene.h"
#include "data/languages.h"
#include "data/pair_reader.h"
#include "data/slips.h"
#include "data/split.h"
#include "model/device.h"
#include "run/build.h"
#include "run/check.h"
#include "run/config.h"
#include "run/ending.h"
#include "run/folder.h"
#include "run/model_folder.h"
#include "run/recipe.h"
#include "score/sacrebleu.h"
#include "text/lines.h"
#include "text/script.h"
#include "text/tmx_lines.h"
#include "text/tsv.h"
#include "text/vocabulary_training.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct InitArgs {
  std::string source, target, name, output, data, from;
  std::optional<int64_t> valid, test;
  bool force = false, adapters = false;
};

/// "corpus.de.gz" -> "de"; what is no ending of a language becomes `other`.
std::string ending_of(const std::string& path, const std::string& other) {
  const std::string ending = data::language_of_file(path);
  const bool word = !ending.empty() && ending.size() <= 8 && std::ranges::all_of(ending, ::isalnum);
  return word ? ending : other;
}

/// "texts/letters.de" -> "letters"; "letters/train.de", too, for each corpus has such a file.
std::string name_of(const std::string& path) {
  static const std::set<std::string> parts{"all", "corpus", "data", "sentences", "train"};
  const std::string name = fs::path(path).filename().string();
  const std::string stem = name.substr(0, name.find('.'));
  const fs::path whole = fs::absolute(path).lexically_normal();  // not "./train.de"
  const std::string folder = whole.parent_path().filename().string();
  if (parts.contains(stem) && !folder.empty()) return folder;
  return stem.empty() ? "mine" : stem;
}

constexpr int64_t kRatherFewPairs = 50000;

/// A few hundred pairs at least, of which most stay in training.
int64_t held_out_of(int64_t pairs) {
  return std::clamp<int64_t>(pairs / 20, 1, 1000);
}

/// Adds `valid: {...}`, or nothing for a part of no pairs.
void add_part(const std::string& part, const data::CorpusFiles& files, int64_t pairs,
              config::Yaml& data) {
  if (pairs > 0)
    data.add_flow(part, config::Yaml().add("source", files.source).add("target", files.target));
}

/// Whether training keeps four fifths without what shares a side with validation or test. Where few
/// different sources make a corpus, nearly all of it would go.
bool can_lose_overlap(const data::SplitCounts& counts) {
  return 5 * counts.overlap <= counts.train;
}

/// The file, short enough to be read; every line of it may be changed.
std::string yaml_of(const InitArgs& args, const data::SplitFiles& files,
                    const data::SplitCounts& counts, const data::CorpusShape& shape,
                    const run::Recipe& recipe) {
  const bool overlap = counts.valid + counts.test > 0 && can_lose_overlap(counts);
  config::Yaml data;
  add_part("train", files.train, counts.train, data);
  add_part("valid", files.valid, counts.valid, data);
  add_part("test", files.test, counts.test, data);
  if (recipe.own_vocabulary.empty())
    data.comment(shape.source_script == shape.target_script
                     ? "Both sides share their pieces: names and numbers look alike in them."
                     : "One vocabulary has the pieces of both sides; kind: separate makes two.")
        .add_flow("vocabulary", config::Yaml().add("kind", "joint").add("size", recipe.vocabulary));
  else
    data.append(recipe.own_vocabulary);
  std::vector<std::string> left_out{"duplicates"};
  if (overlap) left_out.emplace_back("overlap");
  data.comment(fmt::format("Left out: repeated pairs{}.",
                           overlap ? ", and pairs with a side in valid or test" : ""))
      .add("clean", left_out);
  return config::Yaml()
      .comment(fmt::format("Made by `heed init` for {} pairs, {} + {} words.", shape.pairs,
                           shape.source_words, shape.target_words))
      .comment(fmt::format("  heed train {}", one_line(shell_path(args.output), 1000)))
      .comment("All keys: heed config --markdown, or docs/config.md.")
      .add("name", args.name)
      .add("seed", 1)
      .blank_line()
      .add_section("data", data)
      .blank_line()
      .append(run::sections_of(recipe))
      .text();
}

/// Throws or tells what `heed train` would before a training. Of a missing program it only warns,
/// because it may be there by then.
void tell_as_train_does(const run::Check& found, const std::string& file) {
  if (!found.environment_only) found.require(file);
  for (const std::string& fault : found.faults) log::warn("before heed train: " + fault);
  found.tell();
}

/// Not the folder of the corpus itself: its files may have the names of the parts.
std::string folder_for(const InitArgs& args) {
  const std::string folder = "data/" + args.name;
  const bool taken =
      fs::weakly_canonical(folder) == fs::weakly_canonical(args.source).parent_path();
  return taken ? folder + "_split" : folder;
}

/// Files and folders that were not there before. They go again where the command fails, so that it
/// can be repeated.
class NewFiles {
 public:
  ~NewFiles() {
    std::error_code ignored;
    // A folder goes only where it is empty.
    for (const fs::path& path : paths_ | std::views::reverse) fs::remove(path, ignored);
  }
  NewFiles& operator=(NewFiles&&) = delete;

  /// With the folders above it.
  void will_make(const fs::path& path) {
    if (path.empty() || fs::exists(path)) return;
    will_make(path.parent_path());
    paths_.push_back(path);
  }
  void keep() { paths_.clear(); }

 private:
  std::vector<fs::path> paths_;
};

/// Throws where the file is there and may not be overwritten; the corpus never may.
void claim(const std::string& path, const char* cure, const InitArgs& args, NewFiles& made) {
  std::error_code ignored;  // what is not there is not the same
  for (const std::string& read : {args.source, args.target})
    if (!read.empty() && fs::equivalent(path, text::file_of_lines(read), ignored))
      throw UserError(path + ": would be written over the corpus; " + cure);
  if (fs::is_directory(path, ignored)) throw UserError("{}: is a folder; {}", path, cure);
  if (fs::exists(path) && !args.force)
    throw UserError("{}: is there already; {}, or give --force", path, cure);
  made.will_make(path);
}

/// The three parts of the corpus; those of no pairs are not written.
data::SplitFiles parts_for(const InitArgs& args, int64_t valid, int64_t test, NewFiles& made) {
  std::string source = ending_of(args.source, "src"), target = ending_of(args.target, "tgt");
  if (source == target) source = "src", target = "tgt";
  const auto pair = [&](const std::string& part, bool wanted) {
    data::CorpusFiles out;
    out.source = (fs::path(args.data) / (part + "." + source)).string();
    out.target = (fs::path(args.data) / (part + "." + target)).string();
    if (wanted)
      for (const std::string& path : {out.source, out.target})
        claim(path, "name another folder with --data", args, made);
    return out;
  };
  return {pair("train", true), pair("valid", valid > 0), pair("test", test > 0)};
}

/// The options that differ from the defaults, for a command that does the same with other files.
std::string shown_options(const InitArgs& args) {
  std::string out = " --name " + shell_word(args.name);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) out += fmt::format(" {} {}", option, shell_path(value));
  };
  add("-o", args.output == args.name + ".yaml" ? "" : args.output);
  add("--data", args.data == folder_for(args) ? "" : args.data);
  add("--from", args.from);
  for (const auto& [option, count] :
       {std::pair("--valid", args.valid), std::pair("--test", args.test)})
    if (count) out += fmt::format(" {} {}", option, *count);
  if (args.adapters) out += " --adapters";
  return out;
}

/// Throws where lines have slipped or are out of order: pairs that are divided cannot be put right
/// any more. Warns of files that do not seem to belong together, and of a header, which would
/// become a pair of one of the parts. Returns what it has told.
data::ToldBefore require_sound_lines(const InitArgs& args, const data::CorpusShape& shape) {
  const std::string name = data::realigned_name(args.source, args.target);
  const auto fault = shape.slips.fault(args.source, args.target);
  if (fault && fault->can_be_mended)
    throw UserError("init: {}: {}; and then: heed init {}.source {}.target{}",
                    data::files_text(args.source, args.target), fault->message, name, name,
                    shown_options(args));
  if (fault) log::warn(fault->message);
  const data::ToldBefore told{.header = shape.has_header, .lines = fault.has_value()};
  if (!shape.has_header) return told;
  std::string cure;
  for (const std::string& path : {args.source, args.target})
    if (!path.empty())
      cure += fmt::format("{}tail -n +2 {} > {}", cure.empty() ? "" : "; ", shell_path(path),
                          args.target.empty()   ? "NEW.tsv"
                          : path == args.source ? "NEW.source"
                                                : "NEW.target");
  log::warn(
      "{}: line 1 has names of columns, and counts as a pair; to leave it out, init anew with: {}",
      data::files_text(args.source, args.target), cure);
  return told;
}

void init(InitArgs args) {
  text::require_both_sides("init", args.source, args.target);
  for (const std::string& path : {args.source, args.target})
    if (!path.empty() && text::is_stream(path))
      throw UserError(
          "init: '{}' can be read only once, and is read several times; save it to a file", path);
  if (args.name.empty()) args.name = name_of(args.source);
  for (const std::string& path : {args.source, args.target})
    if (!path.empty()) text::require_text_file(path, "init");
  run::Config named;
  named.name = args.name;
  if (args.name.find('/') != args.name.npos || args.name == "." || args.name == "..")
    throw UserError(
        "init: --name '{}' cannot be a run's folder in runs/; give a name without slashes, and "
        "where the configuration is to be written with -o",
        one_line(args.name));
  check(named);  // before the corpus is cut
  const std::optional<run::Config> base =
      args.from.empty() ? std::nullopt : std::optional(run::config_of_base(args.from));
  if (base && fs::weakly_canonical(run::run_folder(named)) == fs::weakly_canonical(args.from))
    throw UserError(args.from + ": would be the new run's folder, too; give it another --name");
  if (args.output.empty()) args.output = args.name + ".yaml";
  if (args.data.empty()) args.data = folder_for(args);
  for (const std::string& path : {args.output, args.data}) require_expanded(path);
  run::use_threads(0);  // as the training will
  signals::install();
  NewFiles made;
  made.will_make(args.data);
  claim(args.output, "name another file with -o", args, made);
  data::CorpusFiles files;
  files.source = args.source;
  files.target = args.target;
  const data::CorpusShape shape = data::shape_of(files);
  if (shape.pairs > 0 && shape.identical == shape.pairs)
    throw UserError(
        "init: both sides of {} are the same in each of the {}; a model of them would only copy; "
        "name a text and its translation",
        data::files_text(args.source, args.target), counted(shape.pairs, "pair"));
  const data::ToldBefore told = require_sound_lines(args, shape);
  const int64_t valid = args.valid.value_or(held_out_of(shape.pairs));
  const int64_t test = args.test.value_or(held_out_of(shape.pairs));
  log::info(
      "{}: {} pairs, {} and {}, at most {} in a line{}{}",
      data::files_text(args.source, args.target), shape.pairs, text::name_of(shape.source_script),
      text::name_of(shape.target_script), counted(shape.longest, "word"),
      text::has_no_blanks(shape.source_script) || text::has_no_blanks(shape.target_script)
          ? " (where a script has no blanks, a character is a word)"
          : "",
      shape.blank > 0 ? fmt::format(", {} left out", counted(shape.blank, "blank pair")) : "");
  if (shape.pairs < kRatherFewPairs && !base)
    log::info(
        "few pairs: 10,000 of everyday sentences gave BLEU 28, and 29,000 captions of images 41 "
        "(docs/first_steps.md){}",
        shape.pairs < run::kFewPairs
            ? fmt::format("; fewer give less, and {}", run::kMoreThanFewPairs)
            : "");
  const data::SplitFiles parts = parts_for(args, valid, test, made);
  make_folder(args.data);
  const std::string folder = fs::path(args.output).parent_path().string();
  if (!folder.empty()) make_folder(folder);
  const data::SplitCounts counts =
      data::split(files, valid, test, parts, shape.pairs + shape.blank);
  log::info("{}: {} training, {} validation and {} test pairs{}", args.data, counts.train,
            counts.valid, counts.test,
            counts.left_out > 0 ? fmt::format(", {} left out, which are also in validation or test",
                                              counts.left_out)
                                : "");
  if (!can_lose_overlap(counts))
    log::warn(
        "{}: {} of {} training pairs have a side that is in validation or test, too many to leave "
        "out (data.clean: overlap); scores on these sets will be too good",
        args.data, counts.overlap, counts.train);
  const run::Machine machine = run::this_machine(model::open_device("auto").is_cuda());
  run::Recipe recipe = base ? run::tuning_recipe(*base, args.from, shape, machine, args.adapters)
                            : run::recipe_for(shape, machine);
  recipe.tokenizer = score::fitting_tokenizer(data::first_targets(parts.train));
  if (base && !args.adapters)  // frozen vectors of new pieces would be worth nothing
    run::extend_vocabularies(
        *base, args.from, shape, parts.train, args.data,
        [&](const std::string& path) {
          claim(path, "name another folder with --data", args, made);
        },
        recipe);
  const auto write = [&] {
    write_atomic(args.output, yaml_of(args, parts, counts, shape, recipe));
    return run::load_config(args.output, {});
  };
  run::Config config = write();
  data::report_hygiene(config.data, told);
  signals::stop_if_interrupted();
  run::Check found =
      run::check_run(config, {.file = args.output, .header_is_told = shape.has_header});
  if (found.most_pieces) {
    if (*found.most_pieces < data::kFewestPieces)
      throw UserError(
          "{}: too little text for a vocabulary: it gives {} pieces, and {} are the fewest",
          data::files_text(args.source, args.target), *found.most_pieces, data::kFewestPieces);
    recipe.vocabulary = *found.most_pieces;
    config = write();
    found = run::check_run(config, {.file = args.output, .header_is_told = shape.has_header});
  }
  signals::stop_if_interrupted();
  tell_as_train_does(found, args.output);
  signals::stop_if_interrupted();
  made.keep();
  if (base && base->precision != config.precision)
    log::info("{}: trains with precision: {}, and {} has {}; write that into the file to keep it",
              args.output, config::name_of(config.precision), args.from,
              config::name_of(base->precision));
  std::cout << "heed train " << shell_path(args.output) << '\n';
}

}  // namespace

void add_init(CommandLine& program) {
  auto [command, args] = program.command("init", init);
  command
      .option("source", args->source,
              "Source sentences (text, or memory.tmx#de), or one .tsv file of both sides")
      .required();
  command.option("target", args->target, "Their translations, line by line");
  command.group("Input");
  const auto from =
      command.model("--from", args->from,
                    "Folder of a trained model to fine-tune: the configuration has its network, "
                    "its vocabulary or an extension of it, and a lower learning rate");
  command
      .flag("--adapters", args->adapters,
            "Train low-rank adapters of that model, which takes far less memory "
            "(training.adapters); its vocabulary stays")
      .needs(from);
  command.option("--valid", args->valid, "Validation pairs; default: a twentieth, at most 1,000")
      .not_negative();
  command.option("--test", args->test, "Test pairs; default: the same").not_negative();
  command.group("Output");
  command.output("-o,--output", args->output, "The configuration; default: NAME.yaml");
  command.option("--name", args->name,
                 "Name of the run; default: that of the source file or its folder");
  command.option("--data", args->data,
                 "Folder for the three parts; default: data/NAME, or data/NAME_split");
  command.flag("--force", args->force, "Overwrite what is there");
  command.examples({"heed init corpus.de corpus.en",
                    "heed init letters.tsv -o letters.yaml --from runs/mine --name letters"});
}

}  // namespace heed
