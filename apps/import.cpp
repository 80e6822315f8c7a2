// heed import FROM -o RUN: a model of another program as a run's folder.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/io.h"
#include "data/config.h"
#include "data/hygiene.h"
#include "data/languages.h"
#include "exchange/foreign_model.h"
#include "exchange/formats.h"
#include "exchange/package.h"
#include "model/description/config.h"
#include "model/description/safetensors_file.h"
#include "model/description/safetensors_header.h"
#include "model/description/traits.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/summary.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct ImportArgs {
  std::string from, output;
  exchange::SegmentFiles segments;
  std::string source_language, target_language;
};

/// Files with the words of a licence, as they are called everywhere.
bool is_licence(const std::string& file) {
  const std::string name = ascii_lower(fs::path(file).stem().string());
  return name == "license" || name == "licence" || name == "copying" || name == "notice";
}

/// The name of a licence in the run: that of a folder below keeps the folder's, "third-LICENSE".
std::string kept_name(std::string file) {
  std::ranges::replace(file, '/', '-');
  return file;
}

int64_t parameters_of(const exchange::ForeignModel& model) {
  int64_t count = 0;
  for (const auto& [name, array] : model.weights) count += array.count();
  return count;
}

/// Returns a summary like that of a finished run, with the origin of the model.
std::string summary_of(const ImportArgs& args, const exchange::ForeignModel& model,
                       const exchange::Package& package) {
  auto files = json::array();
  for (const std::string& path : package.paths_read()) {
    const run::CorpusSum sum = run::sum_of(path);
    const std::string name = fs::is_directory(args.from)
                                 ? fs::path(path).lexically_relative(args.from).string()
                                 : fs::path(path).filename().string();
    files.push_back({{"path", name}, {"bytes", sum.bytes}, {"sha256", sum.sha256}});
  }
  const run::Summary summary{.parameters = parameters_of(model),
                             .stop_reason = "imported from " + model.program};
  json out = json_of(summary.to_json(run::Provenance{}, data::HygieneReport{}));
  out["imported"] = {{"program", model.program},
                     {"from", fs::absolute(args.from).string()},
                     {"files", std::move(files)}};
  return out.dump(2) + "\n";
}

run::Config config_of(const ImportArgs& args, const exchange::ForeignModel& model) {
  run::Config config;
  config.name = fs::path(args.output).lexically_normal().filename().string();
  config.output = args.output;
  // The program's own numbers: in bf16, which `auto` may choose, some translations differ.
  config.precision = run::Precision::fp32;
  config.model = model.model;
  config.decoding = model.decoding;
  if (!model.shortlist.empty()) config.decoding.shortlist = file_in(args.output, kShortlistFile);
  config.data.vocabulary.kind = model.joint ? data::VocabularyKind::joint
                                : model.model.tie == model::Tie::all
                                    ? data::VocabularyKind::shared
                                    : data::VocabularyKind::separate;
  config.data.vocabulary.size = model.target.size();
  config.data.source_end = model.source_end;
  if (model.source.is_cut() || model.target.is_cut()) {
    data::VocabularyConfig& vocabulary = config.data.vocabulary;
    vocabulary.algorithm = data::VocabularyAlgorithm::pieces;
    // They are in the vocabulary, and are named here as what its lines are cut with.
    for (const std::string& codes : {args.segments.source_codes, args.segments.target_codes})
      if (!codes.empty()) vocabulary.codes.push_back(codes);
    if (vocabulary.codes.empty() && model.source.reads_words())
      vocabulary.codes = {(fs::path(args.from) / exchange::kArgosCodes).string()};
    if (model.joint && !vocabulary.codes.empty()) vocabulary.codes.resize(1);
  }
  const auto chosen = [](const std::string& option, const std::string& usual) {
    return option.empty() ? usual : option;
  };
  config.data.source_language = chosen(args.source_language, model.source_language);
  config.data.target_language = chosen(args.target_language, model.target_language);
  check(config);
  return config;
}

void write_weights(const exchange::ForeignModel& model, const run::Metadata& metadata,
                   const std::string& path) {
  std::vector<model::SlotBytes> tensors;
  for (const auto& [name, array] : model.weights)
    tensors.push_back({{.name = name, .type = model::Dtype::F32, .shape = array.shape},
                       {reinterpret_cast<const char*>(array.data), array.count() * sizeof(float)}});
  model::write_safetensors(std::move(tensors), metadata, path);
}

void import_model(const ImportArgs& args) {
  run::require_no_model(args.output);
  const exchange::Package package(args.from);
  const exchange::ForeignModel model = exchange::read_model(package, args.segments);
  const run::Config config = config_of(args, model);
  const run::Vocabularies vocabularies{model.source, model.target};
  run::with_languages(vocabularies, config);  // throws where there is no such language
  std::vector<std::string> names = run::files_of_model();
  names.emplace_back(kSummaryFile);
  names.emplace_back(kShortlistFile);
  std::vector<std::string> licences;
  for (const std::string& file : package.files())
    if (is_licence(file)) licences.push_back(file);
  for (const std::string& file : licences) names.push_back(kept_name(file));
  OutputFolder out(args.output, names);
  run::save_vocabularies(vocabularies, out.temporary(), model.joint);
  write_weights(model, run::binding_of(config, vocabularies), out.path_of(kWeightsFile));
  if (!model.shortlist.empty()) write_atomic(out.path_of(kShortlistFile), model.shortlist);
  for (const std::string& file : licences)
    write_atomic(out.path_of(kept_name(file)), package.read(file).view);
  write_atomic(out.path_of(kSummaryFile), summary_of(args, model, package));
  write_atomic(out.path_of(kConfigFile), config::dump(config));
  out.commit();
  log::info("{}: {}, {} parameters, {} source and {} target pieces, from {}", args.output,
            model::describe_model(model.model), with_commas(parameters_of(model)),
            with_commas(model.source.size()), with_commas(model.target.size()), model.program);
  for (const std::string& note : model.notes) log::info("{}: {}", args.output, note);
  const auto tell = [&](const char* side, const std::string& option, const std::string& usual) {
    if (option.empty() && !usual.empty())
      log::info("{}: its {} language is {}, as its files say; --{}-language chooses another",
                args.output, side, usual, side);
  };
  tell("source", args.source_language, model.source_language);
  tell("target", args.target_language, model.target_language);
  if (!model.languages.empty() && config.data.target_language.empty())
    log::warn(
        "{}: the model has {}; say which one with --target-language, here or when it translates",
        args.output, counted(std::ssize(model.languages), "language"));
  const auto before_source = [&](const std::string& language) {
    return data::has_symbol_of(language, model.source);
  };
  if (std::ranges::any_of(model.languages, before_source) && config.data.source_language.empty())
    log::warn(
        "{}: its sources begin with their language; say which one with --source-language, here or "
        "when it translates",
        args.output);
}

}  // namespace

void add_import(CommandLine& program) {
  auto [command, args] = program.command("import", import_model);
  command
      .option("from", args->from, "Folder, or zip archive, of " + exchange::importable_programs())
      .required();
  command.output_folder("-o,--output", args->output, "Folder of the run that is made").required();
  command.input("--source-sentencepiece", args->segments.source,
                "SentencePiece file of the source, or of both sides, if FROM has none");
  command.input("--target-sentencepiece", args->segments.target, "That of the target");
  const Argument codes =
      command.input("--codes", args->segments.source_codes,
                    "For a model of text that subword-nmt or fastBPE cut: their codes, with which "
                    "heed cuts words; without them lines are pieces");
  command.input("--target-codes", args->segments.target_codes, "Those of the target").needs(codes);
  command.option("--source-language", args->source_language,
                 "For a model of many languages: the usual source language, e.g. deu_Latn");
  command.option("--target-language", args->target_language, "The usual target language");
  command.examples({"heed import opus-mt-de-en -o runs/opus",
                    "heed import nllb-200-distilled-600M -o runs/nllb --source-language deu_Latn "
                    "--target-language eng_Latn"});
}

}  // namespace heed
