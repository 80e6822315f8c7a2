// heed export --format bergamot: a student for Firefox's engine, in 8 bits.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/shown_model.h"
#include "apps/export/export_formats.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/strings.h"
#include "data/languages.h"
#include "decode/search/lines_request.h"
#include "decode/translator.h"
#include "engine/weights.h"
#include "exchange/bergamot_export.h"
#include "exchange/foreign_model.h"
#include "exchange/marian_network.h"
#include "run/config.h"
#include "run/model_folder.h"
#include "text/pairs.h"

namespace heed {
namespace {

constexpr std::size_t kMostLines = 1000;  // which take some seconds

/// Lines and the model's translations of them.
std::vector<exchange::PiecesOfPair> translated(const run::ModelFolder& folder,
                                               const std::string& file) {
  std::vector<std::string> lines = text::read_sources(file);
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  const decode::Translator translator = folder.translator();
  const auto translations = decode::with_logged_warnings(translator.translate({.lines = lines}));
  std::vector<exchange::PiecesOfPair> pairs;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!translations[i].hypotheses.empty() && !translations[i].is_source)
      pairs.push_back({folder.source.encode(lines[i], translator.source_limit()),
                       translations[i].hypotheses[0].ids});
  if (pairs.empty()) throw UserError("{}: has no line to translate", file);
  return pairs;
}

}  // namespace

void export_bergamot(const ExportArgs& args) {
  if (args.lines.empty())
    throw UserError(
        "export: --format bergamot needs --lines FILE, a text in the language of the source, such "
        "as the validation sources: the model translates up to {} of its lines, which tells the "
        "range of its numbers in 8 bits",
        kMostLines);
  const run::ModelFolder folder = open_for_marian("Firefox's engine", exchange::missing_in_bergamot,
                                                  exchange::search_missing_in_bergamot, args);
  const run::Config& config = folder.config;
  const data::LanguagePair languages = shown_languages(config);
  const std::string source = exchange::code_of_language(languages.source),
                    target = exchange::code_of_language(languages.target);
  const engine::Weights weights = decode::weights_of(*folder.model);
  const std::string& shortlist = config.decoding.shortlist;
  const exchange::BergamotRequest request{
      .own = {.model = config.model,
              .decoding = decoding_of(folder),
              .weights = weights,
              .source = folder.source,
              .target = folder.target},
      .pairs = translated(folder, args.lines),
      .shortlist = shortlist.empty() ? "" : read_file(shortlist),
      .languages = source.size() == 2 && target.size() == 2 ? source + target : ""};
  std::vector<std::string> names = exported_files();
  for (std::string& name : exchange::files_of(exchange::bergamot_names(request)))
    if (!name.empty()) names.push_back(std::move(name));
  OutputFolder out(args.output, names);
  const std::vector<std::string> notes =
      exchange::write_bergamot(request, out.temporary(), args.model);
  out.commit();
  for (const std::string& note : notes) log::warn("{}", note);
  log::info("{}: a student for Firefox's engine and translateLocally, its ranges measured on {}",
            args.output, counted(std::ssize(request.pairs), "line"));
}

}  // namespace heed
