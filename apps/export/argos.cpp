// heed export --format argos: a package of Argos Translate, which runs CTranslate2.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/cli/shown_model.h"
#include "apps/export/export_formats.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/strings.h"
#include "data/languages.h"
#include "exchange/ctranslate2.h"
#include "exchange/foreign_model.h"
#include "exchange/marian_network.h"
#include "exchange/zip_writer.h"
#include "run/config.h"
#include "run/model_folder.h"
#include "text/language_tags.h"

namespace heed {
namespace {

constexpr const char* kEnding = ".argosmodel";

/// Throws UserError that begins with `place` for what a package cannot say.
void require_package(const run::ModelFolder& folder, const std::string& place) {
  if (folder.source.is_cut())
    throw UserError(
        "{}: its text is cut by another program (data.vocabulary.algorithm is pieces), and a "
        "package cuts text with a SentencePiece file; --format ctranslate2 takes pieces",
        place);
  if (folder.source.fingerprint() != folder.target.fingerprint())
    throw UserError(
        "{}: a package has one SentencePiece file for both languages (data.vocabulary.kind is "
        "separate); --format ctranslate2 takes two",
        place);
  if (!folder.source.beginning().empty() || !folder.target.beginning().empty())
    throw UserError(
        "{}: its lines or translations begin with the symbol of a language, which no package puts "
        "there; --format ctranslate2 leaves it to the caller",
        place);
  if (const std::string missing = exchange::search_missing_in_marian(folder.config.decoding);
      !missing.empty())
    throw UserError("{}: Argos Translate cannot search so: {}", place, missing);
}

std::string metadata_of(const std::string& source, const std::string& target) {
  return nlohmann::ordered_json{
             {"package_version", "1.0"}, {"argos_version", "1.11.0"},
             {"from_code", source},      {"from_name", text::language_name(source)},
             {"to_code", target},        {"to_name", text::language_name(target)}}
             .dump(2) +
         "\n";
}

}  // namespace

void export_argos(const ExportArgs& args) {
  const run::ModelFolder folder =
      open_for("Argos Translate", exchange::missing_in_ctranslate2, args);
  require_package(folder, args.model);
  const data::LanguagePair languages = shown_languages(folder.config);
  const std::string source = exchange::code_of_language(languages.source),
                    target = exchange::code_of_language(languages.target);
  if (source.empty() || target.empty())
    throw UserError(
        "{}: a package names its languages; add --source-language and --target-language, such as "
        "de and en",
        args.model);
  const std::string name = fmt::format("translate-{}_{}-1_0", source, target);
  const std::string file = name + kEnding;
  std::vector<std::string> names = exported_files();
  names.push_back(file);
  OutputFolder out(args.output, names);
  const std::string parts = out.path_of("parts");
  std::filesystem::create_directory(parts);
  write_for_ctranslate2(folder, parts);
  exchange::ZipWriter archive(out.path_of(file));
  archive.add(name + "/metadata.json", metadata_of(source, target));
  archive.add(name + "/sentencepiece.model", folder.source.model());
  for (const char* part : {"config.json", "model.bin", "shared_vocabulary.json"})
    archive.add(fmt::format("{}/model/{}", name, part), read_file(parts + "/" + part));
  archive.commit();
  std::filesystem::remove_all(parts);
  out.commit();
  log::info(
      "{}/{}: argostranslate.package.install_from_path() of Python installs it. Argos Translate "
      "searches with a beam of 4 and divides by length^0.2: --set decoding.beam_size=4 --set "
      "decoding.length_penalty=power --set "
      "decoding.alpha=0.2 is heed's same search; <unk> becomes a copy of its source there",
      args.output, file);
}

}  // namespace heed
