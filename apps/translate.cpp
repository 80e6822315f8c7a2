// heed translate MODEL [FILE]: one line in, one line out, in order.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/cli/libtorch.h"
#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/strings.h"
#include "decode/search/input.h"
#include "decode/search/marked_text.h"

namespace heed {
namespace {

using nlohmann::ordered_json;

constexpr int kDigits = 4;  // behind the point, in text

struct OutputOptions {
  bool scores = false, alignment = false, json = false, n_best = false;
};

/// Six digits behind the point: what a float is good for.
double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

std::string word_scores(const inspect::Details& details) {
  std::vector<std::string> out;
  for (const inspect::ScoredWord& word : details.words)
    out.push_back(fixed(word.log_probability, kDigits));
  return join(out, " ");
}

/// `line ||| hypothesis ||| features ||| score`, the line counted from 0 as the field's tools do,
/// and the alignment behind, as Moses does.
std::string n_best_line(int64_t line, const decode::Hypothesis& hypothesis,
                        const inspect::Details& details, const OutputOptions& options) {
  std::string out = fmt::format("{} ||| {} ||| logprob= {} length= {}", line - 1, details.text,
                                fixed(hypothesis.log_probability, kDigits),
                                hypothesis.token_log_probabilities.size());
  if (options.scores) out += " words= " + word_scores(details);
  out += " ||| " + fixed(hypothesis.score, kDigits);
  if (options.alignment) out += " ||| " + study::pharaoh(details.alignment);
  return out + "\n";
}

/// The columns of a line; `hypothesis` is null where the line is blank.
std::string text_line(const decode::Hypothesis* hypothesis, const inspect::Details& details,
                      const OutputOptions& options) {
  std::string out = details.text;
  if (options.scores)
    out = (hypothesis ? fixed(hypothesis->log_probability, kDigits) : "0") + "\t" + out + "\t" +
          word_scores(details);
  if (options.alignment) out += "\t" + study::pharaoh(details.alignment);
  return out + "\n";
}

void add(ordered_json& object, const decode::Hypothesis& hypothesis,
         const inspect::Details& details, bool alignment) {
  object["translation"] = details.text;
  object["log_probability"] = rounded(hypothesis.log_probability);
  object["score"] = rounded(hypothesis.score);
  object["cut"] = hypothesis.cut;
  object["words"] = ordered_json::array();
  for (const inspect::ScoredWord& word : details.words)
    object["words"].push_back(
        {{"word", word.text}, {"log_probability", rounded(word.log_probability)}});
  object["end"] = rounded(details.end);
  if (!alignment) return;
  object["alignment"] = ordered_json::array();
  for (const study::Link& link : details.alignment)
    object["alignment"].push_back({link.source, link.target});
}

std::string json_line(const std::string& source, const decode::Translation& translation,
                      const std::vector<inspect::Details>& details, const OutputOptions& options) {
  static const decode::Hypothesis nothing;
  ordered_json out = {{"source", source}};
  const bool blank = details.empty();
  add(out, blank ? nothing : translation.hypotheses.front(),
      blank ? inspect::Details{} : details.front(), options.alignment);
  if (options.n_best) {
    out["n_best"] = ordered_json::array();
    for (std::size_t i = 0; i < details.size(); ++i)
      add(out["n_best"].emplace_back(), translation.hypotheses[i], details[i], options.alignment);
  }
  return out.dump() + "\n";
}

/// One line with its line feed, or one for each hypothesis of an n-best list. `line` counts from 1.
std::string written(int64_t line, const std::string& source, const decode::Translation& translation,
                    const std::vector<inspect::Details>& details, const OutputOptions& options) {
  if (options.json) return json_line(source, translation, details, options);
  if (!options.n_best)
    return details.empty() ? text_line(nullptr, {}, options)
                           : text_line(&translation.hypotheses.front(), details.front(), options);
  std::string out;
  for (std::size_t i = 0; i < details.size(); ++i)
    out += n_best_line(line, translation.hypotheses[i], details[i], options);
  return out;
}

/// Where translations go: standard output, or a file that can be continued.
class Destination {
 public:
  /// `file`: "" and "-" are standard output. Waits for a reader where it is a pipe with a name. An
  /// unfinished file is continued with `resume`. Throws UserError where it has lines and is not to
  /// be continued, where it is no regular file and is to be, and where another process writes it.
  Destination(std::string file, bool resume) : file_(std::move(file)) {
    if (file_.empty() || file_ == "-") {
      if (resume)
        throw UserError("--resume: standard output cannot be continued; name a file with --output");
      return;
    }
    // Only what is continued is read. A pipe that heed itself could read would never tell that its
    // reader has gone.
    const int mode = resume ? O_RDWR : O_WRONLY;
    descriptor_ =
        Descriptor(::open(file_.c_str(), mode | O_CREAT | O_APPEND | O_NOCTTY | O_CLOEXEC, 0666));
    struct stat about {};
    if (!descriptor_.open() || ::fstat(descriptor_.number(), &about) != 0) fail(errno);
    if (!S_ISREG(about.st_mode)) {
      if (resume) throw UserError("--resume: {} is no file that can be continued", file_);
      return;
    }
    if (::flock(descriptor_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw UserError(file_ + ": another process writes it");
    // Who had the lock before may have written since.
    if (::fstat(descriptor_.number(), &about) != 0) fail(errno);
    if (resume)
      count_lines();
    else if (about.st_size > 0)
      throw UserError(file_ +
                      ": is there already; --resume goes on behind its last line; or delete "
                      "it first");
  }

  /// Whether the lines go into a regular file, so that nobody reads them meanwhile.
  bool is_file() const {
    struct stat about {};
    const int descriptor = descriptor_.open() ? descriptor_.number() : STDOUT_FILENO;
    return ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
  }

  /// Whole lines that the file had.
  int64_t lines() const { return lines_; }

  /// Cuts off what is left behind them of a line that is not whole. Before the first write().
  void cut_to_whole_lines() {
    if (whole_ < size_ && ::ftruncate(descriptor_.number(), whole_) != 0) fail(errno);
  }

  /// Whole lines. They are in the file, or on their way through the pipe, when this returns. Throws
  /// Failure where they cannot be written.
  void write(std::string_view lines) {
    if (!descriptor_.open()) {
      std::cout << lines << std::flush;  // somebody may wait for it before the next line
      return;
    }
    if (!write_all(descriptor_, lines)) fail(errno);
    // What is no regular file cannot be synced, and need not be.
    if (::fdatasync(descriptor_.number()) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
  }

 private:
  void count_lines() {
    std::vector<char> chunk(1 << 20);
    for (;;) {
      const ssize_t count = ::pread(descriptor_.number(), chunk.data(), chunk.size(), size_);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(errno);
      if (count == 0) break;
      const auto end = chunk.begin() + count;
      lines_ += std::count(chunk.begin(), end, '\n');
      const auto last = std::find(std::make_reverse_iterator(end), chunk.rend(), '\n');
      if (last != chunk.rend()) whole_ = size_ + (last.base() - chunk.begin());
      size_ += count;
    }
  }

  [[noreturn]] void fail(int error) const {
    throw Failure(file_ + ": cannot write: " + std::generic_category().message(error));
  }

  std::string file_;
  Descriptor descriptor_;                     // none: standard output
  int64_t lines_ = 0, size_ = 0, whole_ = 0;  // bytes, and those of the whole lines
};

struct TranslateArgs {
  std::string models;  // separated by commas
  std::string file = "-";
  std::string prefix, output, glossary, markup;
  std::vector<std::string> keep;
  ModelOptions common;
  AlignmentOptions weights;
  int64_t beam = 0, n_best = 0;
  std::optional<int64_t> batch;
  bool tsv = false, scores = false, alignment = false, replace_unknown = false, json = false;
  bool resume = false, sample = false;

  bool has_inlays() const { return !markup.empty() || !keep.empty(); }
};

run::LineModels open(const TranslateArgs& args) {
  std::vector<std::string> settings = args.common.settings;
  if (args.sample) settings.insert(settings.begin(), "decoding.sampling.top_p=1");
  if (args.beam > 0) settings.push_back("decoding.beam_size=" + std::to_string(args.beam));
  if (args.n_best > 0) settings.push_back("decoding.n_best=" + std::to_string(args.n_best));
  if (args.batch) settings.push_back("decoding.batch_size=" + std::to_string(*args.batch));
  if (std::string file = args.glossary; !file.empty())
    settings.push_back("decoding.glossary=" + config::value_text(&file));
  return open_line_models(args.models, args.common.open(settings));
}

/// Throws UserError where the model cannot tell what is asked for.
void require_attention(const TranslateArgs& args, const std::string& path,
                       const model::Traits& traits) {
  const char* option = args.alignment           ? "--alignment"
                       : args.replace_unknown   ? "--replace-unknown"
                       : args.weights.chosen()  ? "--layer, --head or --step"
                       : args.weights.least > 0 ? "--min-weight"
                                                : nullptr;
  if (option != nullptr && !traits.attends())
    throw UserError("{}: {} needs attention, and this model has none (model.attention: none)", path,
                    option);
}

/// Throws UserError for options that contradict others or would do nothing.
void check_options(const TranslateArgs& args, const decode::DecodeConfig& config) {
  const bool links = args.alignment || args.json;
  if (args.weights.chosen() && !links && !args.replace_unknown && !args.has_inlays())
    throw UserError(
        "translate: --layer, --head and --step say which weights link words; add --alignment, "
        "--replace-unknown, --markup, --keep or --json, or leave them out");
  if (args.weights.least > 0 && !links)
    throw UserError(
        "translate: --min-weight says which words have no link; add --alignment or --json, or "
        "leave it out");
  if (args.sample && !decode::samples(config.sampling))
    throw UserError(
        "--sample: decoding.sampling.top_p and top_k are 0, which means to search; set one of them "
        "above 0, or leave out --sample");
  if (args.beam > 0 && decode::samples(config.sampling))
    throw UserError(
        "--beam: translations are drawn, not searched for; leave it out, or leave out --sample and "
        "decoding.sampling");
  if (args.has_inlays() && (!args.prefix.empty() || args.tsv || args.scores || links ||
                            config.n_best > 1 || args.replace_unknown))
    throw UserError(
        "translate: --markup and --keep go without --prefix, --tsv, --scores, --alignment, --json, "
        "--n-best and --replace-unknown; leave those out");
  if (args.resume && config.n_best > 1 && !args.json)
    throw UserError(
        "--resume: an n-best list has several lines for each line of input; add --json, which has "
        "one, or --n-best 1");
}

void translate(const TranslateArgs& args) {
  const run::LineModels models = open(args);
  const run::Config& run = models.config;
  const model::Traits traits = model::traits(run.model);
  require_attention(args, models.path, traits);
  const decode::DecodeConfig& config = run.decoding;
  check_options(args, config);
  decode::LineTranslator& translator = *models.translator;

  OutputOptions output{.scores = args.scores,
                       .alignment = args.alignment || (args.json && traits.attends()),
                       .json = args.json,
                       .n_best = config.n_best > 1};
  inspect::DetailOptions wanted{.words = args.scores || args.json,
                                .alignment = output.alignment,
                                .replace_unknown = args.replace_unknown,
                                .choice = run::usual_choice(run),
                                .least = args.weights.least};
  args.weights.apply(traits, wanted.choice);

  decode::Input input(args.file, args.prefix, args.tsv);
  Destination destination(args.output, args.resume);
  input.skip(destination.lines());
  destination.cut_to_whole_lines();
  if (args.resume && destination.lines() > 0)
    log::info("{}: going on behind line {}", args.output, destination.lines());
  std::optional<ProgressBar> bar;
  if (destination.is_file() && !input.is_typed() && log::shows_progress()) {
    bar.emplace("lines translated", input.count(), destination.lines());
    if (!args.has_inlays())
      translator.searched = [&](int64_t lines) { bar->add(static_cast<double>(lines)); };
  }
  std::vector<int64_t> odd_lines;
  const auto most = static_cast<std::size_t>(translator.window());
  for (decode::InputWindow window = input.next(most); !window.lines.empty();
       window = input.next(most)) {
    if (args.has_inlays()) {
      const auto lines = translate_marked(
          translator, window.lines, window.first, text::markup_kind(args.markup),
          text::kept_of(args.keep), traits.attends() ? std::optional(wanted.choice) : std::nullopt);
      destination.write(join(lines, "\n") + "\n");
      if (bar) bar->add(static_cast<double>(window.lines.size()));
      continue;
    }
    const auto translations = translator.translate(window.lines, window.first, window.prefixes);
    const auto details = inspect::details_of(translator, window.lines, translations, wanted);
    std::string lines;
    for (std::size_t i = 0; i < window.lines.size(); ++i) {
      const int64_t line = window.first + static_cast<int64_t>(i);
      lines += written(line, window.lines[i], translations[i], details[i], output);
      if (std::ranges::any_of(details[i], &inspect::Details::other_words))
        odd_lines.push_back(line);
    }
    destination.write(lines);
  }
  if (!odd_lines.empty())
    log::warn(
        "in {}, line {} first, the vocabulary finds other words than the text has; their "
        "translations have no links",
        counted(std::ssize(odd_lines), "line"), odd_lines.front());
}

void add_output(CommandLine& command, TranslateArgs& args) {
  command.group("Output");
  const Argument file = command.output(
      "-o,--output", args.output,
      "File for the translations, written window by window; - (default) is standard output");
  command
      .flag("--resume", args.resume, "Continue an unfinished file of --output after its last line")
      .needs(file);
  command
      .option("--n-best", args.n_best,
              "Print this many translations of each line: line ||| text ||| features ||| score")
      .positive();
  command.flag("--scores", args.scores,
               "Print the log-probability and a tab before each translation, and a tab and the "
               "log-probabilities of its words after it");
  command.flag("--alignment", args.alignment,
               "Print a tab and the links of words, source-target (Pharaoh format), after each "
               "translation");
  command.flag("--replace-unknown", args.replace_unknown,
               "Print for a piece outside the vocabulary the source word that it attends to most");
  command.flag("--json", args.json,
               "Print a JSON object for each line: source, translation, scores, words, alignment, "
               "n-best list");
}

}  // namespace

void add_translate(CommandLine& program) {
  auto [command, args] = program.command("translate", translate);
  add_models(command, args->models);
  command.option("file", args->file, "Text to translate (plain, .gz or .zst); - is standard input");
  command.group("Input");
  const Argument prefix =
      command.option("--prefix", args->prefix, "Beginnings of the translations, line by line");
  command.flag("--tsv", args->tsv, "The prefix of a line is the text after its first tab")
      .excludes({prefix});
  command
      .option("--markup", args->markup,
              "The text has tags, which come back around the translations of their words")
      .one_of({"html", "xml"});
  command
      .list("--keep", args->keep,
            "What comes back exactly as it is in the text, separated by commas")
      .one_of(text::kKeptNames);
  command.option("--glossary", args->glossary, "Terms that translations have (decoding.glossary)");
  command.group("Search");
  command.option("--beam", args->beam, "Hypotheses kept at each step (decoding.beam_size)")
      .positive();
  command.flag("--sample", args->sample,
               "Draw translations from the model's distribution instead of searching "
               "(decoding.sampling.top_p=1, unless --set changes it)");
  command.option("--batch", args->batch, "Sentences translated together (decoding.batch_size)")
      .between(0, 100000);
  add_output(command, *args);
  command.group("Which weights link words");
  args->weights.add(command);
  args->common.add(command);
  command.examples(
      {"echo 'Ein Mann fährt Fahrrad.' | heed translate runs/multi30k_transformer",
       "heed translate runs/multi30k_quick data/multi30k/test2016.de --beam 8 > test.en"});
}

}  // namespace heed
