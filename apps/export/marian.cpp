// heed export --format marian
#include <string>

#include "apps/export/export_formats.h"
#include "base/error.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "decode/translator.h"
#include "engine/weights.h"
#include "exchange/marian_export.h"
#include "exchange/marian_network.h"
#include "run/config.h"
#include "run/model_folder.h"

namespace heed {

void export_marian(const ExportArgs& args) {
  require_no_languages(args, "a model of Marian");
  const run::ModelFolder folder = open_for_marian("Marian", exchange::missing_in_marian,
                                                  exchange::search_missing_in_marian, args);
  OutputFolder out(args.output, exported_files());
  const engine::Weights weights = decode::weights_of(*folder.model);
  const auto notes = exchange::write_marian({.model = folder.config.model,
                                             .decoding = decoding_of(folder),
                                             .weights = weights,
                                             .source = folder.source,
                                             .target = folder.target},
                                            out.temporary(), args.model);
  out.commit();
  for (const std::string& note : notes) log::warn("{}", note);
  log::info("{}: marian-decoder -c {}/decoder.yml translates with it", args.output, args.output);
}

}  // namespace heed
