// heed export --format web: a page that translates by itself.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/options.h"
#include "apps/cli/page_file.h"
#include "apps/cli/shown_model.h"
#include "apps/export/export_formats.h"
#include "base/error.h"
#include "base/files.h"
#include "base/installation.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "data/languages.h"
#include "draw/pages.h"
#include "engine/network.h"
#include "engine/weights.h"
#include "model/description/traits.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/saved_config.h"
#include "serve/answers/answers.h"
#include "serve/served_model.h"
#include "text/language_tags.h"
#include "text/vocabulary.h"
#include "web/settings.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

void export_web(const ExportArgs& args) {
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

}  // namespace heed
