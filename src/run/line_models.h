// Models of folders that translate lines, whatever computes them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decode/search/line_translator.h"
#include "decode/search/lines_request.h"
#include "document/document.h"
#include "document/format.h"
#include "inspect/details.h"
#include "run/config.h"
#include "run/measured_times.h"
#include "study/alignment.h"

namespace heed::run {

/// One model, or several whose probabilities are averaged. The settings are the first one's.
struct LineModels {
  std::string path;  // of the first
  Config config;
  std::shared_ptr<decode::LineTranslator> translator;
};

/// The layer and head of decoding.alignment, else those that guided alignment has taught, with its
/// step, or inspect::usual_choice().
study::AlignmentChoice usual_choice(const Config& config);

/// The attention that says where inlays belong: usual_choice(), or decode::copying_head() for a
/// Transformer where nothing names or has taught a head. Nothing for a model without attention.
std::optional<study::AlignmentChoice> placing_choice(const LineModels& models);

/// CPU threads of models: `threads`, or one for each core.
int64_t threads_of(const Config& config);

/// Whether `precision` leaves it to the machine at hand what a model translates in.
bool leaves_translating_open(Precision precision);

/// Whether the model of `path`, with so many target pieces, translates in bf16 on this CPU, as far
/// as `precision` says. What that leaves open is measured, or known from an earlier measurement,
/// and told in the log; where the processor does not multiply bf16 it is fp32.
bool translates_in_bf16(const Config& config, const std::string& path, int64_t vocabulary,
                        const MeasuredTimes& measured = MeasuredTimes());

/// `decoding.weights: auto` becomes auto_fp32, auto_bf16 or auto_int8 for the model of `path`, with
/// so many target pieces, on this CPU; the log says why. For any other type it does nothing.
void decide_weights(Config& config, const std::string& path, int64_t vocabulary,
                    const MeasuredTimes& measured = MeasuredTimes());

/// Whether engines can translate, by the configurations of model_paths(). Otherwise LibTorch is
/// needed: on a GPU, and for a model that has no engine. Throws UserError as open_config().
bool have_engines(const std::string& paths, const OpenOptions& options);

/// Engines of those that have_engines(). Throws UserError as open_models().
LineModels open_engines(const std::string& paths, const OpenOptions& options);

/// The best translation of each line, with progress on a terminal and the rate in the log.
std::vector<std::string> translate_all(const LineModels& models,
                                       const std::vector<std::string>& lines,
                                       const decode::LineNumbers& numbers = {});

/// The document `file` ("-": stdin) with its sentences translated. A sentence fits if the models
/// can take it, whatever `options` say; `choice`: decode::put_inlays(). Throws as
/// document::read_document() and document::Document.
std::string translate_document(const LineModels& models, const std::string& file,
                               const document::DocumentFormat& format,
                               document::DocumentOptions options,
                               const std::optional<study::AlignmentChoice>& choice);

}  // namespace heed::run
