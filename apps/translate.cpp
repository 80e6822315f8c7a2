// heed translate MODEL [FILE]: one line in, one line out, in order; or a document.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/cli/destination.h"
#include "apps/cli/libtorch.h"
#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/strings.h"
#include "config/schema.h"
#include "config/yaml.h"
#include "data/languages.h"
#include "data/notice.h"
#include "decode/search/config.h"
#include "decode/search/glossary.h"
#include "decode/search/input.h"
#include "decode/search/line_translator.h"
#include "decode/search/lines_request.h"
#include "decode/search/marked_text.h"
#include "decode/search/search.h"
#include "document/document.h"
#include "document/format.h"
#include "document/markup_tokens.h"
#include "inspect/details.h"
#include "inspect/retry.h"
#include "model/description/traits.h"
#include "run/line_models.h"
#include "study/alignment.h"
#include "study/flags.h"
#include "text/kept.h"
#include "text/tmx_lines.h"

namespace heed {
namespace {

using nlohmann::ordered_json;

constexpr int kDigits = 4;               // after the decimal point, in text
constexpr const char* kByName = "auto";  // --document: the format by the name of the file

struct OutputOptions {
  bool scores = false, alignment = false, json = false, n_best = false, flags = false;
};

/// Returns the value with six digits after the decimal point, the accuracy of a float.
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
/// followed by the alignment, as Moses does.
std::string n_best_line(int64_t line, const decode::Hypothesis& hypothesis,
                        const inspect::Details& details, const OutputOptions& options) {
  std::string out = fmt::format("{} ||| {} ||| logprob= {} length= {}", line - 1, details.text,
                                fixed(hypothesis.log_probability, kDigits),
                                hypothesis.token_log_probabilities.size());
  if (options.scores) out += " words= " + word_scores(details);
  out += " ||| " + fixed(hypothesis.score, kDigits);
  if (options.alignment) out += " ||| " + study::pharaoh(details.alignment);
  if (options.flags) out += " ||| " + study::joined(details.flags);
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
  if (options.flags) out += "\t" + study::joined(details.flags);
  return out + "\n";
}

void add(ordered_json& object, const decode::Hypothesis& hypothesis,
         const inspect::Details& details, const OutputOptions& options) {
  object["translation"] = details.text;
  object["log_probability"] = rounded(hypothesis.log_probability);
  object["score"] = rounded(hypothesis.score);
  object["cut"] = hypothesis.cut;
  object["words"] = ordered_json::array();
  for (const inspect::ScoredWord& word : details.words)
    object["words"].push_back(
        {{"word", word.text}, {"log_probability", rounded(word.log_probability)}});
  object["end"] = rounded(details.end);
  if (options.flags) {
    object["flags"] = ordered_json::array();
    for (const study::Flag flag : details.flags) object["flags"].push_back(config::name_of(flag));
  }
  if (!options.alignment) return;
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
      blank ? inspect::Details{} : details.front(), options);
  if (options.n_best) {
    out["n_best"] = ordered_json::array();
    for (std::size_t i = 0; i < details.size(); ++i)
      add(out["n_best"].emplace_back(), translation.hypotheses[i], details[i], options);
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

struct TranslateArgs {
  std::string models;  // separated by commas
  std::string file = "-";
  std::string prefix, output, glossary, markup, document;
  std::vector<std::string> keep, texts, columns, also;
  ModelOptions common;
  AlignmentOptions weights;
  int64_t beam = 0, n_best = 0;
  std::optional<int64_t> batch;
  bool prefix_column = false, scores = false, alignment = false, replace_unknown = false,
       json = false;
  bool resume = false, sample = false, flags = false, retry = false, pieces = false;

  /// Whether the text has what comes back in the translation by attention.
  bool has_inlays() const { return !markup.empty() || !keep.empty() || !document.empty(); }
};

run::LineModels open(const TranslateArgs& args) {
  std::vector<std::string> settings = args.common.settings;
  if (args.sample) settings.insert(settings.begin(), "decoding.sampling.top_p=1");
  if (args.pieces) settings.emplace_back("data.pieces=true");
  if (args.beam > 0) settings.push_back("decoding.beam_size=" + std::to_string(args.beam));
  if (args.n_best > 0) settings.push_back("decoding.n_best=" + std::to_string(args.n_best));
  if (args.batch) settings.push_back("decoding.batch_size=" + std::to_string(*args.batch));
  if (std::string file = args.glossary; !file.empty())
    settings.push_back("decoding.glossary=" + config::yaml_text(file));
  return open_line_models(args.models, args.common.open(settings));
}

/// Throws UserError where the model cannot tell what is asked for.
void require_attention(const TranslateArgs& args, const std::string& path,
                       const model::Traits& traits) {
  const char* option = args.alignment           ? "--alignment"
                       : args.replace_unknown   ? "--replace-unknown"
                       : args.weights.chosen()  ? "--layer, --head or --aligned-step"
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
        "translate: --layer, --head and --aligned-step say which weights link words; add "
        "--alignment, "
        "--replace-unknown, --markup, --keep, --document or --json, or leave them out");
  if (args.weights.least > 0 && !links)
    throw UserError(
        "translate: --min-weight says which words have no link; add --alignment or --json, or "
        "leave it out");
  if (args.prefix_column && !args.prefix.empty())
    throw UserError(
        "translate: --prefix-column (once --tsv) does not go with --prefix; leave one of them out");
  if (args.sample && !decode::samples(config.sampling))
    throw UserError(
        "--sample: decoding.sampling.top_p and top_k are 0, which means to search; set one of them "
        "above 0, or leave out --sample");
  if (args.beam > 0 && decode::samples(config.sampling))
    throw UserError(
        "--beam: translations are drawn, not searched for; leave it out, or leave out --sample and "
        "decoding.sampling");
  if (args.retry && config.n_best > 1)
    throw UserError("--retry: keeps one translation of a line; leave it out, or --n-best");
  if (args.resume && config.n_best > 1 && !args.json)
    throw UserError(
        "--resume: an n-best list has several lines for each line of input; add --json, which has "
        "one, or --n-best 1");
}

/// Throws UserError for options that do not go with lines that have inlays, nor with documents.
void check_kind(const TranslateArgs& args, const decode::DecodeConfig& config) {
  const char* kind = !args.document.empty() ? "--document"
                     : !args.markup.empty() ? "--markup"
                     : !args.keep.empty()   ? "--keep"
                                            : nullptr;
  if (kind == nullptr) return;
  const std::pair<const char*, bool> others[] = {
      {"--prefix", !args.prefix.empty()},
      {"--prefix-column", args.prefix_column},
      {"--scores", args.scores},
      {"--alignment", args.alignment},
      {"--json", args.json},
      {"--n-best", config.n_best > 1},
      {"--replace-unknown", args.replace_unknown},
      {"--flags", args.flags},
      {"--retry", args.retry},
      {"--resume", args.resume && !args.document.empty()},
      {"--markup", !args.markup.empty() && !args.document.empty()}};
  for (const auto& [option, is_given] : others)
    if (is_given)
      throw UserError("translate: {} does not go with {}; leave one of them out", option, kind);
}

/// Throws UserError where a file has something, which a document would replace.
void require_unwritten(const std::string& output) {
  std::error_code none;
  if (std::filesystem::is_regular_file(output, none) &&
      std::filesystem::file_size(output, none) > 0)
    throw UserError(output + ": is there already; name another file, or delete it first");
}

/// The translations of a chunk of lines become its output: one transformation for each kind of
/// output.
class Transformation {
 public:
  virtual ~Transformation() = default;
  /// Returns the output for the chunk. `bar` counts lines; null: nobody sees it.
  virtual std::string translated(const decode::InputChunk& chunk, ProgressBar* bar) = 0;
  /// Logs the messages about all chunks together.
  virtual void report() const {}
};

/// Lines with tags, or with items that are kept.
class LinesWithInlays : public Transformation {
 public:
  LinesWithInlays(const TranslateArgs& args, const decode::LineTranslator& translator,
                  std::optional<study::AlignmentChoice> choice)
      : translator_(translator),
        file_(!args.texts.empty() ? "--text"
              : args.file == "-"  ? "stdin"
                                  : args.file),
        kind_(document::markup_kind(args.markup)),
        kept_(text::kept_of(args.keep)),
        choice_(choice) {}

  std::string translated(const decode::InputChunk& chunk, ProgressBar* bar) override {
    decode::require_whole_markup(chunk.lines, chunk.first, kind_, file_);
    const auto lines = translate_marked(translator_, chunk.lines, decode::LineNumbers(chunk.first),
                                        kind_, kept_, choice_);
    if (bar != nullptr) bar->add(static_cast<double>(lines.size()));
    return join(lines, "\n") + "\n";
  }

 private:
  const decode::LineTranslator& translator_;
  const std::string file_;
  const document::MarkupKind kind_;
  const text::KeepOptions kept_;
  const std::optional<study::AlignmentChoice> choice_;
};

/// Lines of text, with what is told of them; suspicious ones searched for again where `retry`.
class PlainLines : public Transformation {
 public:
  PlainLines(const decode::LineTranslator& translator, const OutputOptions& output,
             const inspect::DetailOptions& details, bool retry)
      : translator_(translator), output_(output), details_(details), retry_(retry) {}

  std::string translated(const decode::InputChunk& chunk, ProgressBar* bar) override {
    const decode::LinesRequest request{.lines = chunk.lines,
                                       .prefixes = chunk.prefixes,
                                       .numbers = decode::LineNumbers(chunk.first)};
    decode::SearchHooks hooks;
    if (bar != nullptr)
      hooks.searched = [bar](int64_t lines) { bar->add(static_cast<double>(lines)); };
    auto translations = with_logged_warnings(translator_.translate(request, hooks));
    auto details = inspect::details_of(translator_, request.lines, translations, details_);
    if (retry_) {
      const auto [suspicious, better] =
          inspect::retry_suspicious(translator_, request, details_, translations, details);
      retried_.suspicious += suspicious;
      retried_.better += better;
    }
    std::string out;
    for (std::size_t i = 0; i < translations.size(); ++i) {
      const int64_t line = chunk.first + static_cast<int64_t>(i);
      out += written(line, request.lines[i], translations[i], details[i], output_);
      if (std::ranges::any_of(details[i], &inspect::Details::other_words)) odd_.add(line);
    }
    return out;
  }

  void report() const override {
    if (retry_)
      log::info("{} suspicious, {} less so after another search",
                counted(retried_.suspicious, "translation"), retried_.better);
    if (odd_.count > 0)
      log::warn(
          "in {}, line {} first, the vocabulary finds other words than the text has; their "
          "translations have no links",
          counted(odd_.count, "line"), odd_.lines.front());
  }

 private:
  const decode::LineTranslator& translator_;
  const OutputOptions output_;
  const inspect::DetailOptions details_;
  const bool retry_;
  inspect::RetryCount retried_;
  data::Notice odd_;  // lines whose words the vocabulary finds otherwise
};

/// The attention that links words.
study::AlignmentChoice linking_choice(const TranslateArgs& args, const run::LineModels& models,
                                      const model::Traits& traits) {
  study::AlignmentChoice choice = run::usual_choice(models.config);
  args.weights.apply(traits, choice);
  return choice;
}

/// The attention that says where inlays belong; nothing for models without attention.
std::optional<study::AlignmentChoice> placing_choice(const TranslateArgs& args,
                                                     const run::LineModels& models,
                                                     const model::Traits& traits) {
  if (!args.weights.chosen()) return run::placing_choice(models);
  const study::AlignmentChoice choice = linking_choice(args, models, traits);
  return traits.attends() ? std::optional(choice) : std::nullopt;
}

std::unique_ptr<Transformation> transformation_of(const TranslateArgs& args,
                                                  const run::LineModels& models,
                                                  const model::Traits& traits) {
  const decode::LineTranslator& translator = *models.translator;
  if (args.has_inlays())
    return std::make_unique<LinesWithInlays>(args, translator,
                                             placing_choice(args, models, traits));
  const OutputOptions output{.scores = args.scores,
                             .alignment = args.alignment || (args.json && traits.attends()),
                             .json = args.json,
                             .n_best = models.config.decoding.n_best > 1,
                             .flags = args.flags};
  inspect::DetailOptions details{.words = args.scores || args.json,
                                 .alignment = output.alignment,
                                 .replace_unknown = args.replace_unknown,
                                 .flags = args.flags || args.retry,
                                 .attends = traits.attends(),
                                 .choice = linking_choice(args, models, traits),
                                 .least = args.weights.least};
  details.copies.usual = models.config.data.common_words;
  if (details.flags) details.script = inspect::script_of(translator.first_text().target);
  return std::make_unique<PlainLines>(translator, output, details, args.retry);
}

/// The format that --document names, or with "auto" that of the file. Throws UserError where there
/// is none, and where the document has no columns.
const document::DocumentFormat& format_of(const TranslateArgs& args) {
  const document::DocumentFormat* const format = args.document == kByName
                                                     ? document::format_of_name(args.file)
                                                     : document::format_named(args.document);
  if (format == nullptr)
    throw UserError(
        "translate: --document auto goes by the ending of the file's name, and no format has that "
        "of {}; name the format",
        args.file == "-" ? "standard input" : args.file);
  if (!args.columns.empty() && !format->is_table)
    throw UserError("translate: --column is for tables, and {} is none; leave it out",
                    format->name);
  return *format;
}

/// Half a document looks like a whole one, so its file gets its name when all of it is written.
void translate_document(const TranslateArgs& args, const document::DocumentFormat& format,
                        const run::LineModels& models, const model::Traits& traits) {
  const data::LanguagePair languages = data::language_pair(models.config.data);
  const document::DocumentOptions options{.read = {.source_language = languages.source,
                                                   .target_language = languages.target,
                                                   .columns = args.columns,
                                                   .also = args.also},
                                          .kept = text::kept_of(args.keep)};
  const auto translated = [&] {
    return run::translate_document(models, args.file, format, options,
                                   placing_choice(args, models, traits));
  };
  if (args.output.empty() || args.output == "-")
    return Destination("", /*resume=*/false).write(translated());
  require_unwritten(args.output);
  require_writable({args.output}, {args.file});
  const std::string document = translated();
  require_unwritten(args.output);  // another process may have been faster
  write_atomic(args.output, document);
}

/// Tells whether no line has a term of a glossary, which may be of other languages.
class TermsOfLines {
 public:
  explicit TermsOfLines(const decode::LineTranslator& translator)
      : glossary_(translator.glossary()), file_(translator.config().glossary) {}

  void read(const std::vector<std::string>& lines) {
    has_lines_ = has_lines_ || !lines.empty();
    has_term_ = has_term_ || glossary_ == nullptr || glossary_->is_in_any(lines);
  }
  void report() const {
    if (has_lines_ && !has_term_)
      log::warn("{}: no line of the text has a term of it; is it for this pair of languages?",
                file_);
  }

 private:
  const decode::Glossary* glossary_;  // or null
  const std::string& file_;
  bool has_lines_ = false, has_term_ = false;
};

/// Chunk by chunk, so that who feeds heed line by line gets each answer before the next question.
void translate_chunks(const TranslateArgs& args, Transformation& transformation,
                      const decode::LineTranslator& translator) {
  const auto chunk_size = static_cast<std::size_t>(translator.chunk_size());
  TermsOfLines terms(translator);
  if (args.texts.empty())
    decode::require_whole_markup(args.file, document::markup_kind(args.markup));
  decode::Input input({.file = args.file,
                       .texts = args.texts,
                       .prefix_file = args.prefix,
                       .prefix_column = args.prefix_column,
                       .markup = !args.markup.empty()});
  Destination destination(args.output, args.resume);
  input.skip(destination.lines());
  destination.cut_to_whole_lines();
  if (args.resume && destination.lines() > 0)
    log::info("{}: continuing after line {}", args.output, destination.lines());
  std::optional<ProgressBar> bar;
  if (destination.is_file() && !input.is_typed() && log::shows_progress())
    bar.emplace("lines translated", input.count(), destination.lines());
  for (decode::InputChunk chunk = input.next(chunk_size); !chunk.lines.empty();
       chunk = input.next(chunk_size)) {
    terms.read(chunk.lines);
    destination.write(transformation.translated(chunk, bar ? &*bar : nullptr));
  }
  terms.report();
}

/// Throws where the text is no file: it may be the text itself.
void require_file_of_text(const TranslateArgs& args) {
  if (!args.texts.empty() || args.file == "-") return;
  std::error_code none;
  if (std::filesystem::is_directory(args.file, none))
    throw UserError("{}: is a folder, expected a file", args.file);
  if (!std::filesystem::exists(text::file_of_lines(args.file), none) &&
      args.file.find_first_of("./") == std::string::npos)
    throw UserError("text: no file '{}'; a text in place of a file: --text {}", one_line(args.file),
                    shell_word(args.file));
}

void translate(const TranslateArgs& args) {
  if (args.glossary == "-" && args.file == "-" && args.texts.empty())
    throw UserError("translate: --glossary - and the text are both standard input; name a file");
  const document::DocumentFormat* const format = args.document.empty() ? nullptr : &format_of(args);
  const run::LineModels models = open(args);
  require_file_of_text(args);
  const model::Traits traits = model::traits(models.config.model);
  require_attention(args, models.path, traits);
  check_options(args, models.config.decoding);
  check_kind(args, models.config.decoding);
  if (format != nullptr) return translate_document(args, *format, models, traits);
  const auto transformation = transformation_of(args, models, traits);
  translate_chunks(args, *transformation, *models.translator);
  transformation->report();
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
  command.flag("--flags", args.flags,
               "Print a tab and what is suspicious about a translation after it, - for nothing");
  command.flag("--retry", args.retry,
               "Translate suspicious lines again in other ways, and keep what is less suspicious");
  command.flag("--json", args.json,
               "Print a JSON object for each line: source, translation, scores, words, alignment, "
               "flags, n-best list");
}

}  // namespace

void add_translate(CommandLine& program) {
  auto [command, args] = program.command("translate", translate);
  add_models(command, args->models);
  const Argument file = command.option(
      "file", args->file, "Text to translate (plain, .gz or .zst); - is standard input");
  command.group("Input");
  std::vector<std::string> formats = {kByName};
  for (const document::DocumentFormat& format : document::document_formats()) {
    formats.emplace_back(format.name);
    for (std::string& ending : split_words(format.endings))
      if (ending != format.name) formats.push_back(std::move(ending));
  }
  Argument document = command.option("--document", args->document,
                                     "The text is a document of this format, or with auto that of "
                                     "its name: its sentences are translated, all else stays");
  document.one_of(formats);
  command
      .option("--column", args->columns,
              "A column of a table to translate, by name, or by number from 1; may be repeated")
      .needs(document);
  command.option("--text", args->texts, "Translate this text in place of a file; may be repeated")
      .excludes({file, document});
  command
      .list("--also", args->also,
            "Parts of a document that are translated only if they are named, separated by commas: "
            "keys of front matter, and attributes and elements of HTML")
      .needs(document);
  const Argument prefix =
      command.input("--prefix", args->prefix, "Beginnings of the translations, line by line");
  command
      .flag("--prefix-column", args->prefix_column,
            "The prefix of a line is the text after its first tab")
      .excludes({prefix});
  command.former_flag("--tsv", "--prefix-column", args->prefix_column);
  command.flag("--pieces", args->pieces,
               "Lines are pieces that another program has cut, and translations stay pieces "
               "(data.pieces)");
  command
      .option("--markup", args->markup,
              "The text has tags, which come back around the translations of their words")
      .one_of({"html", "xml"});
  command
      .list("--keep", args->keep,
            "What comes back exactly as it is in the text, separated by commas")
      .one_of(text::kKeptNames);
  command.input("--glossary", args->glossary, "Terms that translations have (decoding.glossary)");
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
  args->common.languages.add_former(command);
  command.former_option("--language", "--source-language", args->common.languages.source);
  command.examples(
      {"echo 'Ein Mann fährt Fahrrad.' | heed translate runs/multi30k_transformer",
       "heed translate runs/multi30k_quick data/multi30k/test2016.de --beam 8 > test.en"});
}

}  // namespace heed
