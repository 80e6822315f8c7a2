// The whole configuration: a few top-level keys and one section per layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/schema.h"
#include "config/view.h"
#include "data/config.h"
#include "decode/search/config.h"
#include "model/description/config.h"
#include "score/config.h"
#include "train/config.h"

namespace heed::run {

HEED_ENUM(
    Precision,
    (auto_,
     "On a CPU bf16 where the model's products are measured to be faster in it, else fp32; on "
     "a GPU bf16 where it has it. A training on a CPU writes its choice into the run's "
     "config.yaml."),
    (fp32, "Single precision."), (tf32, "fp32 with faster products on a GPU."),
    (bf16, "Half the bits, with the range of fp32."),
    (fp16, "Half the bits, with a small range; needs a GPU."),
    (auto_fp32, "fp32 for training; a machine that translates chooses as with auto."),
    (auto_bf16, "bf16 for training; a machine that translates chooses as with auto."))

/// One member of the family that `heed bottleneck` trains.
struct SystemConfig {
  HEED_CONFIG(SystemConfig);
  HEED_FREE(std::string, name, "",
            "Folder and label. Without `set`, the name of an rnn attention or `transformer` "
            "selects that model.")
  HEED_FREE(std::vector<std::string>, set, {},
            "Settings of this system, each key=value; they replace those of the rest of the file.")
};

struct Config {
  HEED_CONFIG(Config);
  HEED_FREE(std::string, name, "model",
            "Name of the run. Its folder is runs/NAME unless `output` is set.")
  HEED_FREE(std::string, about, "", "What the report of `heed bottleneck` says about the corpus.")
  HEED_FREE(std::string, output, "", "Folder of the run; empty means runs/NAME.")
  HEED_FIXED(int64_t, seed, 1,
             "Seed of every random generator: the same seed gives the same model.")
  HEED_FREE(std::string, device, "auto", "auto (a GPU where there is one), cpu, cuda or cuda:N.")
  HEED_FREE(int64_t, threads, 0,
            "CPU threads; 0 uses every core. Two or more for each part of a batch "
            "(training.micro_batches) change the last bits of the result.",
            config::Between<int64_t>{0, 1024})
  HEED_FIXED(Precision, precision, Precision::auto_, "Precision of the matrix products.")
  HEED_FIXED(bool, deterministic, false,
             "Use no GPU kernels whose results differ from run to run. On a CPU they never do.")
  HEED_SECTION(data::DataConfig, data, "Corpora and vocabularies.")
  HEED_SECTION(model::ModelConfig, model, "The network.")
  HEED_SECTION(train::TrainConfig, training, "The optimisation.")
  HEED_SECTION(decode::DecodeConfig, decoding, "The search for translations.")
  HEED_SECTION(score::EvaluationConfig, evaluation, "Scores and intervals.")
  HEED_FREE(std::vector<SystemConfig>, systems, {},
            "bottleneck: the systems to compare. Each is this file with its own settings.")
};

/// Command-line settings that lie over the configuration of a run's folder.
struct OpenOptions {
  std::string device;                 // --device; empty: the config's
  std::vector<std::string> settings;  // --set
  bool release_files = false;         // weights are read at once: their files may change meanwhile
};

/// Returns the configuration that is meant by a name on the command line: the file of that name,
/// for configs/NAME also the one that was installed with heed, NAME.yaml, NAME.yml, or the run in
/// runs/NAME; `name` itself where there is none of them.
std::string config_file(const std::string& name);

/// with_settings() of config_file(path), which may be a run's folder. Throws ConfigError.
Config load_config(const std::string& path, const std::vector<std::string>& settings);

/// Checks a configuration that `who` reads as well ("each system"): throws UserError where its file
/// can be read only once (text::is_stream).
void require_no_stream(const std::string& file, const std::string& who);

/// `settings` ("key=value") laid over `config`, and all rules between fields checked. Throws
/// ConfigError.
Config with_settings(Config config, const std::vector<std::string>& settings);

/// Checks all rules between fields. Throws ConfigError.
void check(const Config& config);

/// The decoder layer of a Transformer whose cross-attention links words: that of
/// decoding.alignment, else the one that guided alignment taught, else the one before the last, or
/// the only one.
int64_t alignment_layer(const Config& config);

/// Whether both languages have one vocabulary.
bool is_joint(const Config& config);
/// Whether both have the same pieces under the same ids.
bool shares_pieces(const Config& config);

/// Returns `output`, or runs/NAME.
std::string run_folder(const Config& config);

}  // namespace heed::run

namespace heed {
// The one large view is compiled in config.cpp, not in each command.
extern template config::SectionView config::view(run::Config&, config::OnResume);
}  // namespace heed
