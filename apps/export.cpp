// heed export MODEL: a model for other programs, or as a page that needs none.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/options.h"
#include "apps/cli/page_file.h"
#include "apps/cli/shown_model.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/installation.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "data/languages.h"
#include "decode/search/config.h"
#include "decode/translator.h"
#include "draw/pages.h"
#include "engine/network.h"
#include "engine/weights.h"
#include "exchange/ctranslate2.h"
#include "exchange/foreign_model.h"
#include "exchange/marian_mt.h"
#include "model/description/config.h"
#include "model/description/traits.h"
#include "model/weights.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/line_models.h"
#include "run/model_folder.h"
#include "run/saved_config.h"
#include "run/summary.h"
#include "serve/answers/answers.h"
#include "serve/served_model.h"
#include "study/alignment.h"
#include "text/language_tags.h"
#include "text/utf8.h"
#include "text/vocabulary.h"
#include "web/settings.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct ExportArgs {
  std::string model, beside, output, format = "ctranslate2";
  std::vector<std::string> settings;
  LanguageOptions languages;
};

constexpr const char* kModelCard = "README.md";

constexpr const char* kUse = R"(
## Use

With `pip install transformers sentencepiece torch`:

```python
from transformers import MarianMTModel, MarianTokenizer

folder = "."  # where this model is
tokenizer = MarianTokenizer.from_pretrained(folder)
model = MarianMTModel.from_pretrained(folder)
batch = tokenizer(["A sentence."], return_tensors="pt", padding=True)
print(tokenizer.batch_decode(model.generate(**batch), skip_special_tokens=True))
```

heed opens it, too: `heed import FOLDER -o RUN`, then `heed translate RUN`.
)";

/// The value of a file of the folder, if it has one.
template <class Record>
std::optional<Record> read(const std::string& path, const char* name) {
  const std::string file = file_in(path, name);
  if (!std::filesystem::exists(file)) return std::nullopt;
  return Record::read(file);
}

std::string scores_of(const run::Summary& summary) {
  if (summary.test_scores.empty()) return "";
  std::string out = "\n## Scores\n\nOf the test set, by sacrebleu:\n\n";
  for (const std::string& score : summary.test_scores) out += "- " + score + "\n";
  return out;
}

std::string training_of(const run::Provenance& provenance, int64_t seed) {
  std::string out = fmt::format(
      "\n## Training\n\n    {}\n\nSeed {}, heed {} ({}), LibTorch {}, {}, {}, {}. The corpora:\n\n",
      text::one_clean_line(provenance.command), seed, provenance.heed, provenance.commit,
      provenance.libtorch, provenance.processor, provenance.device, provenance.precision);
  for (const run::CorpusSum& file : provenance.corpora)
    out += fmt::format("- `{}`, {} bytes, SHA-256 `{}`\n", file.path,
                       with_commas(static_cast<int64_t>(file.bytes)), file.sha256);
  return out;
}

/// Markdown with YAML in front, of the model in the folder `path`, for those who find it on a model
/// hub: languages as far as their codes are known, how to load it, scores and training as far as
/// the folder has them.
std::string model_card(const std::string& path, const run::Config& config,
                       const data::LanguagePair& languages) {
  const std::string source = text::language_name(languages.source);
  const std::string target = text::language_name(languages.target);
  const bool known = source != languages.source && target != languages.target;
  std::string out = "---\n";
  if (known) out += fmt::format("language:\n- {}\n- {}\n", languages.source, languages.target);
  out += fmt::format(
      "library_name: transformers\npipeline_tag: translation\ntags:\n- marian\n- heed\n"
      "# license: which one? For example apache-2.0.\n---\n\n# {}\n\n{}: {}.\n\n"
      "**Licence: not chosen yet.** Name it here and above before you publish the model. The "
      "licences of its training data may limit the choice.\n",
      text::one_clean_line(config.name), known ? source + " to " + target : "Translation",
      model::describe_model(config.model));
  out += kUse;
  if (const auto summary = read<run::Summary>(path, kSummaryFile)) out += scores_of(*summary);
  if (const auto provenance = read<run::Provenance>(path, kProvenanceFile))
    out += training_of(*provenance, config.seed);
  return out;
}

std::string piece_list(const text::Vocabulary& vocabulary) {
  json pieces = json::array();
  for (int32_t id = 0; id < vocabulary.size(); ++id) pieces.push_back(vocabulary.piece(id));
  return pieces.dump(1) + "\n";
}

std::string description(const text::Vocabulary& vocabulary, const run::Config& config) {
  const json tokens = {{"unk_token", vocabulary.piece(text::kUnknown)},
                       {"bos_token", vocabulary.piece(text::kBegin)},
                       {"eos_token", vocabulary.piece(text::kEnd)},
                       {"decoder_start_token", vocabulary.piece(text::kBegin)},
                       {"add_source_bos", false},
                       {"add_source_eos", config.data.source_end},
                       {"layer_norm_epsilon", config.model.norm_epsilon},
                       {"multi_query_attention", false}};
  return tokens.dump(2) + "\n";
}

std::string symbols_of(const text::Vocabulary& vocabulary) {
  std::vector<std::string> symbols;
  for (int32_t id = 0; id < vocabulary.size(); ++id)
    if (vocabulary.has_symbol(vocabulary.piece(id))) symbols.push_back(vocabulary.piece(id));
  return join(symbols, " ");
}

/// Returns the names of all files that a folder of any format may have: who exports into one twice
/// finds no file of the first.
std::vector<std::string> exported_files() {
  std::vector<std::string> files = {"shared_vocabulary.json",
                                    "source_vocabulary.json",
                                    "target_vocabulary.json",
                                    kJointVocabulary,
                                    "model.bin",
                                    kModelCard};
  files.insert(files.end(), exchange::kMarianFiles.begin(), exchange::kMarianFiles.end());
  return files;
}

/// `missing_in` says what the program lacks that a model needs.
run::ModelFolder open_for(const std::string& program,
                          std::string (*missing_in)(const model::ModelConfig&),
                          const ExportArgs& args) {
  if (!args.beside.empty()) throw UserError("export: {} models; {} takes one", 2, program);
  if (fs::exists(fs::path(args.output) / kConfigFile))
    throw UserError(args.output + ": holds a model of heed; name another folder");
  std::vector<std::string> settings = args.settings;
  settings.push_back("precision=fp32");
  for (std::string& language : args.languages.settings()) settings.push_back(std::move(language));
  run::ModelFolder folder = run::open_model(args.model, {.device = "cpu", .settings = settings});
  const std::string missing = missing_in(folder.config.model);
  if (!missing.empty())
    throw UserError("{}: {} cannot translate with it: {}", args.model, program, missing);
  return folder;
}

void warn_of_search(const std::string& program, const decode::DecodeConfig& config) {
  if (config.length_penalty == decode::LengthPenalty::gnmt)
    log::warn("{} divides by length^alpha; GNMT's ((5 + length) / 6)^alpha is not there", program);
  // Divided by the length it is the same number for all translations.
  if (config.word_penalty != 0 && config.length_penalty != decode::LengthPenalty::average)
    log::warn("{} has no word penalty; decoding.word_penalty {} has no equal there", program,
              json(config.word_penalty).dump());
  if (config.coverage_penalty > 0)
    log::warn("{} has no such coverage penalty; decoding.coverage_penalty {} has no equal there",
              program, json(config.coverage_penalty).dump());
  if (!config.glossary.empty())
    log::warn("{} has no glossary; decoding.glossary has no equal there", program);
  if (config.mbr > 0)
    log::warn("{} knows no minimum Bayes risk; decoding.mbr {} has no equal there", program,
              config.mbr);
}

/// CTranslate2 takes forbidden pieces out before the softmax, so that the others share their
/// probability; heed takes them out after it. Only sums of several steps tell the difference.
void warn_of_forbidden_pieces(const decode::DecodeConfig& config) {
  if (config.beam_size == 1 || decode::samples(config.sampling)) return;
  std::vector<std::string> keys;
  if (config.min_length > 0) keys.emplace_back("min_length");
  if (config.no_repeat_ngram > 0) keys.emplace_back("no_repeat_ngram");
  if (!config.forbid.empty()) keys.emplace_back("forbid");
  if (!keys.empty())
    log::warn(
        "CTranslate2 gives the probability of forbidden pieces to the others, and heed does not: "
        "with decoding.{} scores and some translations differ; leave {} out, or search with "
        "decoding.beam_size: 1, for the same ones",
        join(keys, ", decoding."), keys.size() == 1 ? "it" : "them");
}

/// The attention that links words in CTranslate2, as far as heed's choice is more than a default.
decode::AlignmentConfig alignment_in_ctranslate2(const run::Config& config) {
  if (!config.decoding.alignment.is_given() && config.training.guided_alignment == 0) return {};
  const study::AlignmentChoice choice = run::usual_choice(config);
  if (choice.head > 0)
    log::warn(
        "CTranslate2 aligns by the mean of first heads: head {} of layer {}, which links words "
        "here, has no equal there, and the mean of the layer's heads is written",
        choice.head, choice.layer);
  if (choice.reads)
    log::warn(
        "CTranslate2 aligns by the step that emits a word, and training.guided_step is reads: its "
        "links are those of the word before");
  return {.layer = choice.layer, .head = choice.head};
}

void export_for_ctranslate2(const ExportArgs& args) {
  const std::string program = "CTranslate2";
  const run::ModelFolder folder = open_for(program, exchange::missing_in_ctranslate2, args);
  const run::Config& config = folder.config;
  OutputFolder out(args.output, exported_files());
  const bool joint = folder.source.fingerprint() == folder.target.fingerprint();
  if (joint) {
    write_atomic(out.path_of("shared_vocabulary.json"), piece_list(folder.target));
  } else {
    write_atomic(out.path_of("source_vocabulary.json"), piece_list(folder.source));
    write_atomic(out.path_of("target_vocabulary.json"), piece_list(folder.target));
  }
  run::save_vocabularies({folder.source, folder.target}, out.temporary(), joint);
  write_atomic(out.path_of("config.json"), description(folder.target, config));
  exchange::write_ctranslate2(config.model, decode::weights_of(*folder.model),
                              alignment_in_ctranslate2(config), out.path_of("model.bin"));
  out.commit();
  const int64_t longest = exchange::longest_in_ctranslate2(config.model);
  log::info("search as heed does: translate_batch(pieces, {})",
            exchange::search_in_ctranslate2(config.decoding, longest));
  warn_of_search(program, config.decoding);
  warn_of_forbidden_pieces(config.decoding);
  const std::string symbols = symbols_of(folder.source);
  if (!symbols.empty())
    log::warn(
        "leave out the piece \u2581 that SentencePiece puts before a symbol at the beginning of "
        "a line, as heed does: " +
        symbols);
  const std::string files = joint ? kJointVocabulary : "source.spm and target.spm";
  log::info(
      "{}: for CTranslate2, pieces in and pieces out ({}); {} pieces a sentence", args.output,
      folder.source.is_cut() ? "as the text has them; heed import reads " + files
                             : files + (joint ? " cuts and joins them" : " cut and join them"),
      longest == std::numeric_limits<int64_t>::max() ? "any number of"
                                                     : fmt::format("at most {}", longest - 1));
}

void export_for_transformers(const ExportArgs& args) {
  const std::string program = "MarianMT";
  const run::ModelFolder folder = open_for(program, exchange::missing_in_marian_mt, args);
  const run::Config& config = folder.config;
  if (!config.data.source_end)
    throw UserError("{}: data.source_end is false, and {}'s sources end with </s>", args.model,
                    program);
  if (folder.source.is_cut() || folder.target.is_cut())
    throw UserError(
        "{}: data.vocabulary.algorithm is pieces, and {}'s tokenizer cuts text with SentencePiece "
        "files; --format ctranslate2 takes pieces",
        args.model, program);
  const data::LanguagePair languages = shown_languages(config);
  OutputFolder out(args.output, exported_files());
  exchange::write_marian_mt({.model = config.model,
                             .decoding = config.decoding,
                             .weights = decode::weights_of(*folder.model),
                             .source = folder.source,
                             .target = folder.target,
                             .source_language = exchange::code_of_language(languages.source),
                             .target_language = exchange::code_of_language(languages.target)},
                            out.temporary());
  write_atomic(out.path_of(kModelCard), model_card(args.model, config, languages));
  out.commit();
  warn_of_search(program, config.decoding);
  log::info(
      "{}: MarianMTModel and MarianTokenizer of Hugging Face's transformers load it; at most {} "
      "pieces a sentence; {} describes it, add a licence there",
      args.output, exchange::kMarianPositions - 1, kModelCard);
}

std::vector<std::string> beginning_of(const text::Vocabulary& vocabulary) {
  std::vector<std::string> symbols;
  for (const int32_t id : vocabulary.beginning()) symbols.push_back(vocabulary.piece(id));
  return symbols;
}

draw::PlayedModel played_model(const std::string& path, const std::string& name,
                               const ExportArgs& args) {
  std::vector<std::string> settings = args.settings;
  settings.insert(settings.end(), {"device=cpu", "decoding.n_best=1", "decoding.shortlist=''",
                                   "decoding.glossary=''"});
  const run::Config own = run::open_config(path, {.settings = settings}).config;
  for (std::string& language : args.languages.fitting(own).settings())
    settings.push_back(std::move(language));
  const run::FolderConfig folder = run::open_config(path, {.settings = settings});
  const run::Config& config = folder.config;
  if (!engine::has_network(config.model))
    throw UserError("{}: no page can translate with it: the engine has no {}", path,
                    model::describe_model(config.model));
  const std::string file = file_in(path, kWeightsFile);
  const engine::WeightsFile weights = engine::read_weights(file);
  const run::Vocabularies vocabularies =
      run::bound_vocabularies(weights.metadata, file, path, config, folder.origin);
  const data::LanguagePair languages = shown_languages(config);
  const serve::ShownModel shown = shown_model(name, path, config);
  draw::PlayedModel model{
      .name = name,
      .source = text::language_name(languages.source),
      .target = text::language_name(languages.target),
      .examples = shown.examples,
      .files = {{"settings",
                 web::text_of({shown, config.model, config.decoding,
                               beginning_of(vocabularies.source), beginning_of(vocabularies.target),
                               config.data.source_end, config.data.pieces})},
                {"weights", engine::packed(weights)},
                {"source", vocabularies.source.model()}}};
  if (vocabularies.target.fingerprint() != vocabularies.source.fingerprint())
    model.files["target"] = vocabularies.target.model();
  return model;
}

constexpr const char* kWebPage = "index.html";

void export_page(const ExportArgs& args) {
  const std::string file = page_in(args.output, kWebPage);
  run::require_harmless(file, {args.model, args.beside});
  const std::string program = own_part("heed.wasm");
  if (!fs::exists(program))
    throw UserError(
        "export: this heed was built without a compiler for WebAssembly; ./run web installs one "
        "and builds heed with it");
  std::vector<draw::PlayedModel> models;
  std::vector<std::string> paths = {args.model};
  if (!args.beside.empty()) paths.push_back(args.beside);
  const std::vector<std::string> names = distinct_names(paths);
  for (std::size_t i = 0; i < paths.size(); ++i)
    models.push_back(played_model(paths[i], names[i], args));
  const std::string page = draw::play_page(models, read_file(program));
  write_page(args.output, kWebPage, page);
  log::info("{}: a page of {} that translates by itself", file, human_bytes(page.size()));
}

void export_model(const ExportArgs& args) {
  if (args.format == "web") return export_page(args);
  if (args.format == "ctranslate2" && !args.languages.settings().empty())
    throw UserError(
        "export: a model of CTranslate2 names no languages; leave out --source-language and "
        "--target-language");
  args.format == "ctranslate2" ? export_for_ctranslate2(args) : export_for_transformers(args);
}

}  // namespace

void add_export(CommandLine& program) {
  auto [command, args] = program.command("export", export_model);
  command.model("model", args->model, "Folder that `heed train` wrote").required();
  command.option("beside", args->beside, "web: a second model, shown beside the first");
  command
      .option("--format", args->format,
              "The program to convert the model for: CTranslate2, or transformers of Hugging Face, "
              "or web, a page that translates by itself")
      .one_of({"ctranslate2", "huggingface", "web"});
  command
      .output_folder("-o,--output", args->output,
                     "For the exported model; web: NAME.html is the page, a folder gets index.html")
      .required();
  command.option(
      "--set", args->settings,
      "Change one key of the model's configuration, e.g. --set decoding.beam_size=1; may "
      "be repeated");
  command.group("Languages");
  args->languages.add(command);
  args->languages.add_former(command);
  command.examples({"heed export runs/opus_like --format huggingface -o opus_like-marian",
                    "heed export runs/multi30k_quick --format web -o translate.html"});
}

}  // namespace heed
