// heed export --format ctranslate2
#include "exchange/ctranslate2.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/export/export_formats.h"
#include "base/files.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "decode/search/config.h"
#include "decode/translator.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/line_models.h"
#include "run/model_folder.h"
#include "run/saved_config.h"
#include "study/alignment.h"
#include "text/vocabulary.h"

namespace heed {
namespace {

using nlohmann::json;

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

}  // namespace

void write_for_ctranslate2(const run::ModelFolder& folder, const std::string& path) {
  const run::Config& config = folder.config;
  const bool joint = folder.source.fingerprint() == folder.target.fingerprint();
  if (joint) {
    write_atomic(path + "/shared_vocabulary.json", piece_list(folder.target));
  } else {
    write_atomic(path + "/source_vocabulary.json", piece_list(folder.source));
    write_atomic(path + "/target_vocabulary.json", piece_list(folder.target));
  }
  write_atomic(path + "/config.json", description(folder.target, config));
  exchange::write_ctranslate2(config.model, decode::weights_of(*folder.model),
                              alignment_in_ctranslate2(config), path + "/model.bin");
}

void export_ctranslate2(const ExportArgs& args) {
  require_no_languages(args, "a model of CTranslate2");
  const std::string program = "CTranslate2";
  const run::ModelFolder folder = open_for(program, exchange::missing_in_ctranslate2, args);
  const run::Config& config = folder.config;
  OutputFolder out(args.output, exported_files());
  const bool joint = folder.source.fingerprint() == folder.target.fingerprint();
  write_for_ctranslate2(folder, out.temporary());
  run::save_vocabularies({folder.source, folder.target}, out.temporary(), joint);
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

}  // namespace heed
