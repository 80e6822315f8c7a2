// The formats of `heed export`, as rows of exchange/exports.def, and what they share.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/options.h"
#include "decode/search/config.h"
#include "exchange/ctranslate2.h"
#include "exchange/marian_mt.h"
#include "exchange/marian_network.h"
#include "model/description/config.h"

namespace heed {

namespace run {
struct ModelFolder;
}

struct ExportArgs {
  std::string model, beside, lines, output, format = "ctranslate2";
  std::vector<std::string> settings;
  LanguageOptions languages;
};

// Export a model in the format of a row.
#define HEED_EXPORT(name, missing, help) void export_##name(const ExportArgs& args);
#include "exchange/exports.def"
#undef HEED_EXPORT

/// Returns the names of all files that a folder of any format may have: who exports into one twice
/// finds no file of the first.
std::vector<std::string> exported_files();

/// The file of a model card.
inline constexpr const char* kModelCard = "README.md";

/// Opens the model of `args` in fp32 for a program. `missing_in` says what the program lacks that a
/// model needs; a model that needs it is refused.
run::ModelFolder open_for(const std::string& program,
                          std::string (*missing_in)(const model::ModelConfig&),
                          const ExportArgs& args);

/// The same for a program of Marian's family, and `missing_in_search` likewise of the search. Its
/// sources end with </s>, and it adds no symbols of languages.
run::ModelFolder open_for_marian(const std::string& program,
                                 std::string (*missing_in)(const model::ModelConfig&),
                                 std::string (*missing_in_search)(const decode::DecodeConfig&),
                                 const ExportArgs& args);

/// The model's search with the attention that links words: decoding.alignment, or the head that
/// guided alignment has taught.
decode::DecodeConfig decoding_of(const run::ModelFolder& folder);

/// Writes model.bin, config.json and the lists of pieces of a model that has nothing
/// missing_in_ctranslate2().
void write_for_ctranslate2(const run::ModelFolder& folder, const std::string& path);

/// Warns of what heed's search has and the program's has not.
void warn_of_search(const std::string& program, const decode::DecodeConfig& config);

/// Throws UserError where languages are named for a format that has no place for them.
void require_no_languages(const ExportArgs& args, const std::string& what);

}  // namespace heed
