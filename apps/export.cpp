// heed export MODEL: a model for other programs.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "decode/search/search.h"
#include "engine/ctranslate2.h"
#include "engine/weights_file.h"
#include "kernels/rows/layer_norm.h"
#include "run/model_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct ExportArgs {
  std::string model, output, format = "ctranslate2";
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
  const int64_t longest = engine::longest_in_ctranslate2(folder.config.model);
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

void export_model(const ExportArgs& args) {
  if (fs::exists(fs::path(args.output) / kWeightsFile))
    throw UserError(args.output + ": holds a model of heed; name another folder");
  const run::ModelFolder folder =
      run::open_model(args.model, {.device = "cpu", .settings = {"precision=fp32"}});
  const std::string missing = engine::missing_in_ctranslate2(folder.config.model);
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
  const engine::WeightsFile file = engine::read_weights(file_in(args.model, kWeightsFile));
  engine::write_ctranslate2(folder.config.model, file.weights, out.place_of("model.bin"));
  out.commit();
  advise(args, folder, joint);
}

}  // namespace

void add_export(CommandLine& program) {
  auto [command, args] = program.command<ExportArgs>("export");
  command.option("model", args->model, "Folder that `heed train` wrote").required();
  command.option("--format", args->format, "The program to convert the model for")
      .one_of({"ctranslate2"});
  command.option("-o,--output", args->output, "Folder of the exported model").required();
  command.examples({"heed export runs/mine --format ctranslate2 -o runs/mine-ct2",
                    "heed export runs/multi30k_quick -o runs/multi30k_quick-ct2"});
  command.run(args, export_model);
}

}  // namespace heed
