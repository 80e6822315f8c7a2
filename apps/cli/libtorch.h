// Two programs are made of apps/. `heed` is linked without LibTorch, so that it starts in some
// milliseconds, and has the commands that can work without it. heed-torch has all commands. The
// functions that are declared here differ between the two: with_libtorch.cpp defines those of
// heed-torch, without_libtorch.cpp those of `heed`.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "run/config.h"
#include "run/line_models.h"

namespace heed {

/// log P(target | source) of a pair, as the sum over its tokens: the pieces and the end of
/// sentence.
struct PairScore {
  double log_probability = 0;
  std::size_t tokens = 0;
};

/// Returns the score of each pair of lines. Throws as decode::Translator::score().
using PairScorer = std::function<std::vector<PairScore>(const std::vector<std::string>& sources,
                                                        const std::vector<std::string>& targets)>;

/// The functions of heed-torch that commands of both programs call.
struct LibTorch {
  /// run::line_models() of run::open_models().
  run::LineModels (*open_line_models)(const std::string& models, const run::OpenOptions& options);
  /// Opens the model of run::open_model().
  PairScorer (*open_scorer)(const std::string& model, const run::OpenOptions& options);
  /// run::check_file()
  void (*check)(const std::string& file, const std::vector<std::string>& settings);
};

/// Returns the functions of LibTorch. In `heed` it does not return: `heed` becomes heed-torch,
/// which begins again with the same arguments. To be called before anything is printed or logged,
/// and before a stream is read. Throws Failure where heed-torch cannot be started.
const LibTorch& libtorch();

/// A command that opens the models later calls this before it prints or reads anything: where they
/// have no engines, `heed` becomes heed-torch here.
inline void prepare_models(const std::string& models, const run::OpenOptions& options) {
  if (!run::have_engines(models, options)) libtorch();
}

/// Opens the models as engines, or by LibTorch where one of them has no engine.
inline run::LineModels open_line_models(const std::string& models,
                                        const run::OpenOptions& options) {
  return run::have_engines(models, options) ? run::open_engines(models, options)
                                            : libtorch().open_line_models(models, options);
}

/// Returns the best translation of each line by the models, which it opens.
inline std::vector<std::string> translations_of(const std::string& models,
                                                const run::OpenOptions& options,
                                                const std::vector<std::string>& lines) {
  return run::translate_all(open_line_models(models, options), lines);
}

/// To be called first in main(), with its arguments. Throws Failure where the libraries of LibTorch
/// are of another version than heed was built with.
void prepare_libtorch(char** arguments);

/// Throws the exception that is being handled; one of LibTorch's as one that says what to do.
[[noreturn]] void rethrow();

}  // namespace heed
