#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/export/export_formats.h"
#include "base/error.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "decode/search/config.h"
#include "exchange/marian_export.h"
#include "exchange/marian_mt.h"
#include "model/description/config.h"
#include "run/config.h"
#include "run/line_models.h"
#include "run/model_folder.h"
#include "study/alignment.h"
#include "text/vocabulary.h"

namespace heed {

std::vector<std::string> exported_files() {
  std::vector<std::string> files = {"shared_vocabulary.json",
                                    "source_vocabulary.json",
                                    "target_vocabulary.json",
                                    kJointVocabulary,
                                    "model.bin",
                                    kModelCard};
  const auto add = [&](const auto& more) { files.insert(files.end(), more.begin(), more.end()); };
  add(exchange::kMarianFiles);
  add(exchange::kMarianFolder);
  return files;
}

run::ModelFolder open_for(const std::string& program,
                          std::string (*missing_in)(const model::ModelConfig&),
                          const ExportArgs& args) {
  if (!args.beside.empty()) throw UserError("export: {} models; {} takes one", 2, program);
  if (std::filesystem::exists(std::filesystem::path(args.output) / kConfigFile))
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
              nlohmann::json(config.word_penalty).dump());
  if (config.coverage_penalty > 0)
    log::warn("{} has no such coverage penalty; decoding.coverage_penalty {} has no equal there",
              program, nlohmann::json(config.coverage_penalty).dump());
  if (!config.glossary.empty())
    log::warn("{} has no glossary; decoding.glossary has no equal there", program);
  if (config.mbr > 0)
    log::warn("{} knows no minimum Bayes risk; decoding.mbr {} has no equal there", program,
              config.mbr);
}

run::ModelFolder open_for_marian(const std::string& program,
                                 std::string (*missing_in)(const model::ModelConfig&),
                                 std::string (*missing_in_search)(const decode::DecodeConfig&),
                                 const ExportArgs& args) {
  run::ModelFolder folder = open_for(program, missing_in, args);
  if (!folder.config.data.source_end)
    throw UserError("{}: data.source_end is false, and {}'s sources end with </s>", args.model,
                    program);
  if (!folder.target.beginning().empty())
    throw UserError(
        "{}: its translations begin with the symbol of a language (data.target_language), and no "
        "option of {} puts one there; leave the language out with --set data.target_language=''",
        args.model, program);
  if (const std::string missing = missing_in_search(folder.config.decoding); !missing.empty())
    throw UserError("{}: {} cannot search so: {}", args.model, program, missing);
  return folder;
}

decode::DecodeConfig decoding_of(const run::ModelFolder& folder) {
  decode::DecodeConfig decoding = folder.config.decoding;
  if (!decoding.alignment.is_given() && folder.config.training.guided_alignment == 0)
    return decoding;
  const study::AlignmentChoice choice = run::usual_choice(folder.config);
  if (choice.head > 0)
    log::warn(
        "Marian aligns by the first head of a layer: head {} of layer {}, which links words here, "
        "has no equal there",
        choice.head, choice.layer);
  decoding.alignment = {.layer = choice.layer, .head = choice.head};
  return decoding;
}

void require_no_languages(const ExportArgs& args, const std::string& what) {
  if (!args.languages.settings().empty())
    throw UserError(
        "export: {} names no languages; leave out --source-language and --target-language", what);
}

}  // namespace heed
