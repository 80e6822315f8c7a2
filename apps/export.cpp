// heed export MODEL: a model for other programs, or as a page that needs none.
#include <nlohmann/json.hpp>

#include "apps/cli/shown_model.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/installation.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "decode/search/search.h"
#include "draw/pages.h"
#include "engine/weights.h"
#include "exchange/ctranslate2.h"
#include "kernels/rows/layer_norm.h"
#include "model/description/traits.h"
#include "model/weights.h"
#include "run/folder.h"
#include "run/model_folder.h"
#include "serve/served_model.h"
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

std::string piece_list(const text::Vocabulary& vocabulary) {
  json pieces = json::array();
  for (int32_t id = 0; id < vocabulary.size(); ++id) pieces.push_back(vocabulary.piece(id));
  return pieces.dump(1) + "\n";
}

std::string description(const text::Vocabulary& vocabulary) {
  const json tokens = {{"unk_token", vocabulary.piece(text::kUnknown)},
                       {"bos_token", vocabulary.piece(text::kBegin)},
                       {"eos_token", vocabulary.piece(text::kEnd)},
                       {"decoder_start_token", vocabulary.piece(text::kBegin)},
                       {"add_source_bos", false},
                       {"add_source_eos", true},
                       {"layer_norm_epsilon", kernels::kNormEpsilon},
                       {"multi_query_attention", false}};
  return tokens.dump(2) + "\n";
}

std::string symbols_of(const text::Vocabulary& vocabulary) {
  std::vector<std::string> symbols;
  for (int32_t id = 0; id < vocabulary.size(); ++id)
    if (vocabulary.has_symbol(vocabulary.piece(id))) symbols.push_back(vocabulary.piece(id));
  return join(symbols, " ");
}

/// What to ask CTranslate2 for, so that it searches as heed does.
std::string search_advice(const decode::DecodeConfig& config, int64_t longest) {
  const decode::SamplingConfig& sampling = config.sampling;
  const bool samples = decode::samples(sampling);
  // With a beam it would draw the candidates of a search.
  std::vector<std::string> options = {"beam_size=" +
                                      std::to_string(samples ? 1 : config.beam_size)};
  const auto penalty = [&](double value) {
    options.push_back("length_penalty=" + json(value).dump());
  };
  switch (config.length_penalty) {
    case decode::LengthPenalty::none:
      penalty(0);
      break;
    case decode::LengthPenalty::average:
      penalty(1);
      break;
    case decode::LengthPenalty::power:
    case decode::LengthPenalty::gnmt:
      penalty(config.alpha);
  }
  if (config.n_best > 1) options.push_back("num_hypotheses=" + std::to_string(config.n_best));
  if (config.no_repeat_ngram > 0)
    options.push_back("no_repeat_ngram_size=" + std::to_string(config.no_repeat_ngram));
  if (!config.forbid.empty()) {
    auto sequences = json::array();
    for (const std::string& piece : config.forbid) sequences.push_back({piece});
    options.push_back("suppress_sequences=" + sequences.dump());
  }
  if (config.min_length > 0)
    options.push_back("min_decoding_length=" + std::to_string(config.min_length));
  if (samples) {
    const double top_p = sampling.top_p > 0 ? sampling.top_p : 1;
    options.push_back("sampling_topk=" + std::to_string(sampling.top_k));
    options.push_back("sampling_topp=" + json(top_p).dump());
    options.push_back("sampling_temperature=" + json(sampling.temperature).dump());
  }
  // CTranslate2 counts </s>, which heed's limit does not.
  options.push_back("max_input_length=" +
                    std::to_string(std::min(config.max_source_length + 1, longest)));
  options.push_back("max_decoding_length=" + std::to_string(decode::length_limit(
                                                 config, config.max_source_length, longest - 1)));
  return join(options, ", ");
}

void advise(const ExportArgs& args, const run::ModelFolder& folder, bool joint) {
  const decode::DecodeConfig& config = folder.config.decoding;
  const int64_t longest = exchange::longest_in_ctranslate2(folder.config.model);
  log::info("search as heed does: translate_batch(pieces, {})", search_advice(config, longest));
  if (config.length_penalty == decode::LengthPenalty::gnmt)
    log::warn("CTranslate2 divides by length^alpha; GNMT's ((5 + length) / 6)^alpha is not there");
  if (config.coverage_penalty > 0)
    log::warn(
        "CTranslate2's coverage penalty is another formula; decoding.coverage_penalty {} has no "
        "equal there",
        json(config.coverage_penalty).dump());
  if (config.mbr > 0)
    log::warn("CTranslate2 knows no minimum Bayes risk; decoding.mbr {} has no equal there",
              config.mbr);
  const std::string symbols = symbols_of(folder.source);
  if (!symbols.empty())
    log::warn(
        "leave out the piece \u2581 that SentencePiece puts before a symbol at the beginning of "
        "a line, as heed does: " +
        symbols);
  log::info(
      "{}: for CTranslate2, pieces in and pieces out ({} cut and join them); at most {} pieces a "
      "sentence",
      args.output, joint ? kJointVocabulary : "source.spm and target.spm",
      longest == std::numeric_limits<int64_t>::max() ? "any number of"
                                                     : std::to_string(longest - 1));
}

void export_for_ctranslate2(const ExportArgs& args) {
  if (!args.beside.empty()) throw UserError("export: {} models; CTranslate2 gets one", 2);
  if (fs::exists(fs::path(args.output) / kWeightsFile))
    throw UserError(args.output + ": holds a model of heed; name another folder");
  const run::ModelFolder folder =
      run::open_model(args.model, {.device = "cpu", .settings = {"precision=fp32"}});
  const std::string missing = exchange::missing_in_ctranslate2(folder.config.model);
  if (!missing.empty())
    throw UserError(args.model + ": CTranslate2 cannot translate with it: " + missing);
  // With the vocabularies of the other kind: CTranslate2 would take those of an earlier export.
  OutputFolder out(args.output, {"shared_vocabulary.json", "source_vocabulary.json",
                                 "target_vocabulary.json", kJointVocabulary, kSourceVocabulary,
                                 kTargetVocabulary, "config.json", "model.bin"});
  const bool joint = folder.source.fingerprint() == folder.target.fingerprint();
  if (joint) {
    write_atomic(out.place_of("shared_vocabulary.json"), piece_list(folder.target));
  } else {
    write_atomic(out.place_of("source_vocabulary.json"), piece_list(folder.source));
    write_atomic(out.place_of("target_vocabulary.json"), piece_list(folder.target));
  }
  run::save_vocabularies({folder.source, folder.target}, out.place(), joint);
  write_atomic(out.place_of("config.json"), description(folder.target));
  exchange::write_ctranslate2(folder.config.model, decode::weights_of(*folder.model),
                              out.place_of("model.bin"));
  out.commit();
  advise(args, folder, joint);
}

std::vector<std::string> beginning_of(const text::Vocabulary& vocabulary) {
  std::vector<std::string> symbols;
  for (const int32_t id : vocabulary.beginning()) symbols.push_back(vocabulary.piece(id));
  return symbols;
}

draw::PlayedModel played_model(const std::string& path, const std::string& name,
                               const ExportArgs& args) {
  std::vector<std::string> settings = args.settings;
  settings.insert(settings.end(), {"device=cpu", "decoding.n_best=1", "decoding.shortlist=''"});
  const run::FolderConfig folder = run::open_config(path, {.settings = settings});
  const run::Config& config = folder.config;
  if (!engine::has_network(config.model))
    throw UserError("{}: no page can translate with it: the engine has no {}", path,
                    model::describe_model(config.model));
  const std::string file = file_in(path, kWeightsFile);
  const engine::WeightsFile weights = engine::read_weights(file);
  const run::Vocabularies vocabularies =
      run::bound_vocabularies(weights.metadata, file, path, config, folder.origin);
  const LanguageOptions languages = args.languages.of(config);
  draw::PlayedModel model{
      .name = name,
      .source = serve::language_name(languages.source),
      .target = serve::language_name(languages.target),
      .files = {{"settings", web::text_of({shown_model(name, config), config.model, config.decoding,
                                           beginning_of(vocabularies.source),
                                           beginning_of(vocabularies.target)})},
                {"weights", engine::packed(weights)},
                {"source", vocabularies.source.model()}}};
  if (vocabularies.target.fingerprint() != vocabularies.source.fingerprint())
    model.files["target"] = vocabularies.target.model();
  return model;
}

void export_page(const ExportArgs& args) {
  run::require_harmless(args.output, {args.model, args.beside});
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
  write_atomic(args.output, page);
  log::info("{}: a page of {} that translates by itself", args.output, human_bytes(page.size()));
}

void export_model(const ExportArgs& args) {
  args.format == "web" ? export_page(args) : export_for_ctranslate2(args);
}

}  // namespace

void add_export(CommandLine& program) {
  auto [command, args] = program.command("export", export_model);
  command.option("model", args->model, "Folder that `heed train` wrote").required();
  command.option("beside", args->beside, "web: a second model, shown beside the first");
  command
      .option(
          "--format", args->format,
          "The program to convert the model for; web: none, but a page that translates by itself")
      .one_of({"ctranslate2", "web"});
  command.option("-o,--output", args->output, "Folder of the exported model, or file of the page")
      .required();
  command.option("--set", args->settings,
                 "web: change one key of the model's configuration, e.g. --set "
                 "decoding.beam_size=1; may be repeated");
  args->languages.add(command);
  command.examples({"heed export runs/mine --format ctranslate2 -o runs/mine-ct2",
                    "heed export runs/multi30k_quick --format web -o translate.html"});
}

}  // namespace heed
