// heed clean SOURCE TARGET: which pairs of a corpus look wrong and why, and the corpus without
// them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/strings.h"
#include "config/schema.h"
#include "data/config.h"
#include "data/flaws.h"
#include "data/language_check.h"
#include "data/likeness.h"
#include "data/line_facts.h"
#include "data/notice.h"
#include "data/pair_reader.h"
#include "data/realign.h"
#include "data/slips.h"
#include "decode/translator.h"
#include "inspect/likelihood.h"
#include "run/config.h"
#include "run/model_folder.h"
#include "study/flags.h"
#include "study/word_check.h"
#include "text/copies.h"
#include "text/table.h"
#include "text/tsv.h"
#include "text/utf8.h"

namespace heed {
namespace {

using data::Flaw;
using study::Flag;

constexpr const char *kLanguage = "language", *kWords = "words", *kScore = "score";
constexpr double kMostNats = 4;
constexpr std::size_t kPairsAtOnce = 1024;          // that models score
constexpr std::size_t kExamples = 3, kShown = 160;  // of each rule; characters

/// The flags of a target as a translation of its source.
constexpr Flag kTextFlags[] = {Flag::copied, Flag::repetition, Flag::numbers};

/// Overlap is about the sets of a run.
std::vector<Flaw> flaws() {
  std::vector<Flaw> out;
  for (std::size_t i = 0; i < data::kFlaws; ++i)
    if (i != data::index_of(Flaw::overlap)) out.push_back(static_cast<Flaw>(i));
  return out;
}

/// Everything that is looked for, in the order of the report.
std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const Flaw flaw : flaws()) names.emplace_back(config::name_of(flaw));
  for (const Flag flag : kTextFlags) names.emplace_back(config::name_of(flag));
  names.insert(names.end(), {kLanguage, kWords, kScore});
  return names;
}

/// The files that are written: both sides of the pairs that stay, and those that are removed.
std::array<std::string, 3> files_of(const std::string& prefix) {
  return {prefix + ".source", prefix + ".target", prefix + ".removed.tsv"};
}

struct CleanArgs {
  std::string source, target, output, model, reverse;
  bool realign = false;
  std::vector<std::string> remove;
  double ratio = data::DataConfig{}.clean_ratio;
  std::optional<double> most_nats;
  ModelOptions common;
};

/// Whether lines of a side are no texts, of which PairReader warns.
bool is_table(const CleanArgs& args) {
  return text::csv_flaw(args.source) || text::csv_flaw(args.target);
}

/// -log P per piece of pairs by models of one or both directions.
class PairScorer {
 public:
  explicit PairScorer(const CleanArgs& args) {
    if (!args.model.empty()) forward_.emplace(open(args.model, args.common));
    if (!args.reverse.empty()) backward_.emplace(open(args.reverse, args.common.reversed()));
  }

  /// The dual conditional cross-entropy |F - B| + (F + B) / 2 (Junczys-Dowmunt 2018, without its
  /// weights), or what the only model says. 0 of pairs that are too long for a model.
  std::vector<double> scores(const std::vector<data::PairOfLines>& pairs) {
    std::vector<std::string> sources, targets;
    for (const data::PairOfLines& pair : pairs) {
      sources.push_back(pair.source);
      targets.push_back(pair.target);
    }
    std::vector<double> out(pairs.size(), 0.0), back;
    if (forward_) out = inspect::nats_per_piece(*forward_, sources, targets);
    if (backward_) back = inspect::nats_per_piece(*backward_, targets, sources);
    for (std::size_t i = 0; i < back.size(); ++i)
      out[i] = forward_ ? std::abs(out[i] - back[i]) + (out[i] + back[i]) / 2 : back[i];
    return out;
  }

 private:
  static decode::Translator open(const std::string& model, const ModelOptions& options) {
    return run::open_models(model, options.open()).translator();
  }

  std::optional<decode::Translator> forward_, backward_;
};

/// The pairs that one rule finds.
struct Finding {
  data::Notice lines;
  int64_t alone = 0;  // found by no other rule
  std::vector<data::PairOfLines> examples;
};

class CleaningReport {
 public:
  void add(const data::PairOfLines& pair, const std::vector<bool>& found) {
    ++pairs_;
    const auto rules = std::ranges::count(found, true);
    any_ += rules > 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) continue;
      findings_[i].lines.add(pair.number);
      findings_[i].alone += rules == 1;
      if (findings_[i].examples.size() < kExamples) findings_[i].examples.push_back(pair);
    }
  }

  void print() const {
    text::Table table{{"rule", "pairs", "%", "no other rule", "lines"}, {}};
    for (std::size_t i = 0; i < names_.size(); ++i)
      table.rows.push_back({names_[i], std::to_string(findings_[i].lines.count),
                            fixed(percent(findings_[i].lines.count), 2),
                            std::to_string(findings_[i].alone), findings_[i].lines.list()});
    table.rows.push_back({"any", std::to_string(any_), fixed(percent(any_), 2), "", ""});
    std::cout << text::table_text(table, {0, 4});
    for (std::size_t i = 0; i < names_.size(); ++i)
      for (const data::PairOfLines& pair : findings_[i].examples)
        std::cout << fmt::format("\n{}, line {}\n  {}\n  {}\n", names_[i], pair.number,
                                 one_line(pair.source, kShown), one_line(pair.target, kShown));
  }

 private:
  double percent(int64_t count) const {
    return 100.0 * static_cast<double>(count) / static_cast<double>(std::max<int64_t>(pairs_, 1));
  }
  std::vector<std::string> names_ = rule_names();
  std::vector<Finding> findings_{names_.size()};
  int64_t pairs_ = 0, any_ = 0;
};

/// Looks for everything in pairs that come in order.
class PairJudge {
 public:
  /// Reads the corpus once.
  PairJudge(const CleanArgs& args, const data::CorpusFiles& files)
      : finder_(data::Flaws().set().reset(data::index_of(Flaw::overlap)), args.ratio, nullptr),
        scorer_(args),
        most_nats_(args.most_nats.value_or(kMostNats)) {
    data::ScriptCount sources, targets;
    text::CopyLearner copies;
    data::SlipFinder slips;
    data::PairReader reader(files);
    for (data::PairOfLines pair; reader.next(pair);) {
      const data::PairFacts facts = facts_of(pair);
      sources.add(facts.source.script);
      targets.add(facts.target.script);
      copies.learn(pair.source, pair.target);
      language_.learn(pair.source, pair.target);
      words_.learn(pair.source, pair.target);
      slips.add_source(data::marks_of(pair.source));
      slips.add_target(data::marks_of(pair.target));
    }
    reader.warn_of_damage();
    const auto fault = slips.finish().fault(args.source, args.target);
    if (fault && !(fault->can_be_mended && is_table(args))) log::warn(fault->message);
    finder_.expect_scripts(sources.most(), targets.most());
    copy_limit_ = copies.limit();
    doubt_ = copies.doubt();
  }

  /// Logs which pairs could not be judged by their words.
  void tell() const {
    if (!doubt_.empty())
      log::warn("{}", doubt_);
    else if (copy_limit_.is_near() && !copy_limit_.is_of_few)
      log::info(
          "copied, identical: {:.0f} % of the words are the same in these languages, so that short "
          "pairs are not judged",
          100 * copy_limit_.usual);
    if (too_long_.count > 0)
      log::info("words: not judged, more than {} words on a side: {}", study::WordCheck::kLongest,
                too_long_.text());
    if (words_.is_full())
      log::info("words: learned from the first {}, which are long",
                counted(static_cast<int64_t>(words_.learned()), "pair"));
  }

  /// Returns for each pair whether each of rule_names() finds it.
  std::vector<std::vector<bool>> found(const std::vector<data::PairOfLines>& pairs) {
    const std::vector<double> scores = scorer_.scores(pairs);
    std::vector<std::vector<bool>> out;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      std::vector<bool>& rules = out.emplace_back();
      data::Flaws found = finder_.find(facts_of(pairs[i]));
      if (found[data::index_of(Flaw::identical)])
        found[data::index_of(Flaw::identical)] =
            !copy_limit_.may_be_equal(std::ssize(text::plain_words(pairs[i].source)));
      for (const Flaw flaw : flaws()) rules.push_back(found[data::index_of(flaw)]);
      const std::vector<Flag> flags = study::flags_of(
          {.source = pairs[i].source, .translation = pairs[i].target, .copies = copy_limit_});
      for (const Flag flag : kTextFlags) rules.push_back(std::ranges::count(flags, flag) > 0);
      rules.push_back(language_.is_odd(pairs[i].source, pairs[i].target));
      const int64_t too_long = words_.too_long();
      rules.push_back(words_.is_odd(pairs[i].source, pairs[i].target));
      if (words_.too_long() > too_long) too_long_.add(pairs[i].number);
      rules.push_back(scores[i] > most_nats_);
    }
    return out;
  }

 private:
  data::FlawFinder finder_;
  text::CopyLimit copy_limit_;
  std::string doubt_;  // of it, to be told
  data::LanguageCheck language_;
  study::WordCheck words_;
  data::Notice too_long_;
  PairScorer scorer_;
  double most_nats_;
};

/// The corpus without the pairs that are removed, and those with the names of the rules.
class CleanedCorpus {
 public:
  explicit CleanedCorpus(const std::array<std::string, 3>& files)
      : source_(files[0]), target_(files[1]), removed_(files[2]) {}

  void add(const data::PairOfLines& pair, const std::string& reasons) {
    if (!reasons.empty())
      return removed_.write(fmt::format("{}\t{}\t{}\t{}\n", pair.number, reasons,
                                        text::fold_spaces(pair.source),
                                        text::fold_spaces(pair.target)));
    source_.write(pair.source + "\n");
    target_.write(pair.target + "\n");
    ++kept_;
  }
  int64_t commit() {
    AtomicFile::commit_together({&source_, &target_, &removed_});
    return kept_;
  }

 private:
  AtomicFile source_, target_, removed_;
  int64_t kept_ = 0;
};

/// Writes the pairs of two files whose lines have slipped.
void realign(const CleanArgs& args) {
  if (args.output.empty())
    throw UserError("clean: --realign writes new files; name their beginning with --output");
  for (const std::string& path : {args.source, args.target})
    run::require_no_stream(path, "each pass of heed clean");
  if (args.target.empty())
    throw UserError("clean: --realign reads two files, and {} has both sides: {}", args.source,
                    data::realign_command(args.source, args.target));
  for (const std::string& path : {args.source, args.target})
    if (const auto flaw = text::csv_flaw(path)) throw UserError("clean: --realign: {}", *flaw);
  const auto outputs = files_of(args.output);
  require_writable({outputs.begin(), outputs.end()}, {args.source, args.target});
  const data::Slips slips = data::find_slips(args.source, args.target);
  const auto fault = slips.fault(args.source, args.target);
  if (fault && !fault->can_be_mended)
    throw UserError("clean: --realign: {}; nothing is written", fault->message);
  if (!slips.could_be_seen())
    throw UserError("clean: --realign: {}; nothing is written", slips.blindness());
  for (const std::string& slip : slips.text()) log::info(slip);
  AtomicFile source(outputs[0]), target(outputs[1]), removed(outputs[2]);
  data::SlipFinder finder;  // of what is left
  const data::RealignedCounts counts = data::realign(
      args.source, args.target, slips,
      {.pair =
           [&](const std::string& from, const std::string& to) {
             source.write(from + "\n");
             target.write(to + "\n");
             finder.add_source(data::marks_of(from));
             finder.add_target(data::marks_of(to));
           },
       .alone =
           [&](const data::LineAlone& one) {
             const std::string text = text::fold_spaces(one.line);
             removed.write(fmt::format("{}\t{}\t{}\t{}\n", one.number,
                                       one.out_of_order ? "out of order" : "no partner",
                                       one.of_source ? text : "", one.of_source ? "" : text));
           }});
  AtomicFile::commit_together({&source, &target, &removed});
  log::info(
      "{}: {}{}, {} of them of two lines for one; {} of the source and {} of the target have "
      "no partner",
      args.output, slips.any() ? "" : "no line has slipped; ", counted(counts.pairs, "pair"),
      counts.joined, counted(counts.sources, "line"), counted(counts.targets, "line"));
  if (counts.sources_out_of_order + counts.targets_out_of_order > 0)
    log::warn(
        "{}: {} of the source and {} of the target are out of order, and in no pair: pairs keep "
        "the order of both files",
        args.output, counted(counts.sources_out_of_order, "line"),
        counted(counts.targets_out_of_order, "line"));
  const data::Slips left = finder.finish();
  if (const auto rest = left.fault(outputs[0], outputs[1]))
    log::warn("{}: {}{}", args.output, rest->can_be_mended ? "some are not mended yet: " : "",
              rest->message);
  else if (!left.could_be_seen() && counts.pairs > 0)
    log::warn("{}: {}", args.output, left.blindness());
}

void clean(const CleanArgs& args) {
  text::require_both_sides("clean", args.source, args.target);
  if (args.realign) return realign(args);
  const std::vector<std::string> names = rule_names();
  const auto removes = [&](const std::string& name) {
    return std::ranges::count(args.remove, name) + std::ranges::count(args.remove, "all") > 0;
  };
  if (args.remove.empty() != args.output.empty())
    throw UserError("clean: --remove and --output go together; without both heed only reports");
  const bool scores = args.most_nats || std::ranges::count(args.remove, kScore) > 0;
  if (scores && args.model.empty() && args.reverse.empty())
    throw UserError("clean: score and --most-nats need a model; give --model or --reverse");
  for (const std::string& path : {args.source, args.target})
    run::require_no_stream(path, "each pass of heed clean");
  const data::CorpusFiles files{.source = args.source, .target = args.target};
  std::optional<CleanedCorpus> cleaned;
  if (!args.output.empty()) {
    const auto outputs = files_of(args.output);
    require_writable({outputs.begin(), outputs.end()}, {args.source, args.target});
    cleaned.emplace(outputs);
  }
  PairJudge judge(args, files);
  CleaningReport report;
  ProgressBar bar("pairs judged");
  data::PairReader reader(files);
  for (bool more = true; more;) {
    std::vector<data::PairOfLines> pairs;
    for (data::PairOfLines pair; pairs.size() < kPairsAtOnce && (more = reader.next(pair));)
      pairs.push_back(pair);
    const auto found = judge.found(pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      report.add(pairs[i], found[i]);
      std::vector<std::string> reasons;
      for (std::size_t rule = 0; rule < names.size(); ++rule)
        if (found[i][rule] && removes(names[rule])) reasons.push_back(names[rule]);
      if (cleaned) cleaned->add(pairs[i], join(reasons, ","));
    }
    bar.add(static_cast<double>(pairs.size()));
  }
  bar.end();
  report.print();
  judge.tell();
  if (cleaned) log::info("{}: {} kept", args.output, counted(cleaned->commit(), "pair"));
}

}  // namespace

void add_clean(CommandLine& program) {
  auto [command, args] = program.command("clean", clean);
  command
      .option("source", args->source,
              "Source sentences (plain, .gz or .zst), or one .tsv file of both sides")
      .required();
  command.option("target", args->target, "Their translations, line by line");
  command.group("Removing");
  std::vector<std::string> names = rule_names();
  names.emplace_back("all");
  const Argument remove =
      command
          .list(
              "--remove", args->remove,
              "Rules whose pairs are left out of --output, separated by commas; default: heed only "
              "reports")
          .one_of(names);
  command
      .option("-o,--output", args->output,
              "Beginning of the files' names: .source and .target of the pairs that are kept, "
              ".removed.tsv of the others with their rules")
      .shows_type("NAME");
  command
      .flag("--realign", args->realign,
            "Find where lines have slipped, and put them beside their translations again")
      .excludes({remove});
  command.group("Rules");
  command
      .option("--ratio", args->ratio,
              "ratio: highest ratio of the characters of the longer side to those of the other")
      .between(1.0, 1000.0);
  command.model("--model", args->model, "score: a model from source to target");
  command.model("--reverse", args->reverse, "score: a model from target to source");
  command
      .option("--most-nats", args->most_nats,
              "score: highest -log P per piece; with two models |F - B| + (F + B) / 2")
      .shows_default("4")
      .between(0.0, 100.0);
  args->common.add(command);
  command.examples(
      {"heed clean data/multi30k/train.de data/multi30k/train.en",
       "heed clean web.de web.en --remove all --model runs/de_en --reverse runs/en_de -o clean"});
}

}  // namespace heed
