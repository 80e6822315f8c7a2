// The `training` section of the configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/graphs.h"
#include "config/schema.h"
#include "score/metrics.h"

namespace heed::train {

HEED_ENUM(BatchType, (tokens, "Target tokens, padding included."), (sentences, "Sentences."))
HEED_ENUM(Consistency, (none, "Each pair is predicted once."),
          (rdrop, "The second prediction has other dropout (Liang et al. 2021)."),
          (simcut, "Some words are cut from the second prediction (Gao et al. 2022)."))
HEED_ENUM(GuidedStep, (emits, "The step that predicts the piece."),
          (reads,
           "The next step, which has it as input (Chen et al. 2020): better alignments, but the "
           "only attention of a recurrent model is then one step late."))
HEED_ENUM(Quantise, (none, "In the precision of the training."),
          (int8, "As whole numbers of 8 bits; the gradient passes straight through the rounding."))
using config::Graphs;
using score::Metric;

/// The lines of optimizers.def and schedules.def (train/kinds.h), as HEED_ENUM would declare them.
enum class OptimizerKind {
#define HEED_OPTIMIZER(name, ...) name,
#include "train/optimizers.def"
#undef HEED_OPTIMIZER
};
enum class ScheduleKind {
#define HEED_SCHEDULE(name, ...) name,
#include "train/schedules.def"
#undef HEED_SCHEDULE
};
const config::EnumText& heed_enum_text(OptimizerKind);
const config::EnumText& heed_enum_text(ScheduleKind);

struct EarlyStopping {
  HEED_CONFIG(EarlyStopping);
  HEED_FIXED(Metric, metric, Metric::loss,
             "What must improve, and what chooses the best checkpoint.")
  HEED_FIXED(bool, lower_is_better, false,
             "metric: command: whether a lower number is better, as for an error rate.")
  HEED_FREE(int64_t, patience, 10,
            "Validations in a row without improvement after which training stops. 0: it does not "
            "stop early.",
            config::Between<int64_t>{0, 1000000})
};

HEED_ENUM(AdapterKind, (none, "All weights are trained."),
          (lora,
           "Low-rank adaptation (Hu et al. 2021): B A x is added to W x, and only A and B are "
           "trained. In the saved model they are added to W."))
HEED_ENUM(AdaptedMatrix,
          (attention,
           "Those of all attention layers; queries, keys and values of self-attention are one "
           "matrix, and keys and values of cross-attention."),
          (feed_forward, "Both of each feed-forward layer."))
inline const std::vector<std::string>& adapted_names() {
  return heed_enum_text(AdaptedMatrix{}).names;
}
inline const std::vector<std::string>& adapted_helps() {
  return heed_enum_text(AdaptedMatrix{}).helps;
}

struct Adapters {
  HEED_CONFIG(Adapters);
  HEED_FIXED(AdapterKind, kind, AdapterKind::none, "What is trained in place of the weights.")
  HEED_FIXED(int64_t, rank, 16, "lora: rows of A.", config::Between<int64_t>{1, 1024})
  HEED_FIXED(double, alpha, 32, "lora: B A x is multiplied by alpha / rank.",
             config::Between<double>{0.001, 10000.0})
  HEED_FIXED(std::vector<std::string>, matrices, {"attention"}, "lora: the matrices W.",
             config::EachOneOf{adapted_names, adapted_helps})
};

struct TrainConfig {
  HEED_CONFIG(TrainConfig);
  HEED_FIXED(int64_t, batch_size, 4096,
             "Size of one batch: target tokens with padding, or sentences (batch_type).",
             config::Between<int64_t>{1, 10000000})
  HEED_FIXED(BatchType, batch_type, BatchType::tokens, "What batch_size counts.")
  HEED_FIXED(int64_t, accumulate, 1, "Batches whose gradients are summed before one update.",
             config::Between<int64_t>{1, 100000})
  HEED_FIXED(int64_t, micro_batches, 0,
             "Number of parts of each batch; one CPU thread computes a part. With fewer than two "
             "threads for each part (times accumulate) the number of threads changes no bit of the "
             "result. 0: decided when the run begins, and written into its config.yaml. On a CPU "
             "this is one part for every 2,048 target tokens or 64 sentences of batch_size, on "
             "GPUs one part of an update for each GPU.",
             config::Between<int64_t>{0, 100000})
  HEED_FIXED(std::string, from, "",
             "Folder of a trained model: this run begins with its weights and its vocabulary. "
             "Optimizer, schedule, best score and patience begin anew.")
  HEED_FIXED(std::vector<std::string>, take, {},
             "Modules that have their weights from training.from, by name, for example encoder or "
             "embedding; the others begin anew, and may be of another shape. Empty: all have them.")
  HEED_FIXED(
      std::vector<std::string>, freeze, {},
      "Modules of the model that are not trained, by name, for example encoder or decoder.0.")
  HEED_SECTION(
      Adapters, adapters,
      "For a trained Transformer (training.from): a few new weights are trained in place of "
      "its own. This takes far less memory.")
  HEED_FIXED(OptimizerKind, optimizer, OptimizerKind::adam, "How gradients become updates.")
  HEED_FIXED(double, learning_rate, 0.0005,
             "Highest learning rate of the schedule; noam: the factor before width^-0.5.",
             config::Between<double>{0.0, 1000})
  HEED_FIXED(std::vector<double>, betas, (std::vector<double>{0.9, 0.98}),
             "adam, adamw: decay rates of the two moments.",
             config::EachBetween<double>{0.0, 0.999999})
  HEED_FIXED(double, epsilon, 1e-8,
             "adam, adamw, adadelta: keeps the division finite; adadelta's papers use 1e-6.",
             config::Between<double>{1e-16, 1.0})
  HEED_FIXED(double, weight_decay, 0.0,
             "Weight decay towards zero. adamw decouples it from the gradient.",
             config::Between<double>{0.0, 1.0})
  HEED_FIXED(ScheduleKind, schedule, ScheduleKind::inverse_sqrt,
             "Learning rate of update t, relative to learning_rate and multiplied by min(1, t / "
             "warmup).")
  HEED_FIXED(int64_t, warmup, -1,
             "Updates over which the learning rate rises from zero. -1: 4,000, but 0 with the "
             "schedules constant and luong.",
             config::Between<int64_t>{-1, 100000000})
  HEED_FIXED(double, decay, 0.5, "plateau, luong: factor of one reduction of the learning rate.",
             config::Between<double>{0.01, 1.0})
  HEED_FIXED(double, label_smoothing, 0.1,
             "Share of the probability spread over the whole vocabulary in the training target.",
             config::Between<double>{0.0, 0.9})
  HEED_FIXED(Consistency, consistency, Consistency::none,
             "Each pair is predicted twice and the predictions have to agree. An update costs "
             "twice as much.")
  HEED_FIXED(double, consistency_weight, 3.0,
             "rdrop, simcut: weight of the agreement in the loss; the papers use 5 and 3.",
             config::Between<double>{0.0, 1000})
  HEED_FIXED(double, consistency_share, 0.05,
             "simcut: share of the words of both sides that are cut from the second prediction.",
             config::Between<double>{0.0, 0.9})
  HEED_FIXED(double, guided_alignment, 0.0,
             "Weight of the alignment loss: the cross entropy of the attention with the links of "
             "data.train.alignment, a sum over linked target pieces, divided by all target pieces. "
             "0 leaves it out; rnn: Chen et al. 2016, transformer: Garg et al. 2019.",
             config::Between<double>{0.0, 1000})
  HEED_FIXED(int64_t, taught_layer, -2,
             "guided_alignment, transformer: the decoder layer that is taught, from 0; negative "
             "ones count from the end, -2 is the one before the last, or the only one.",
             config::Between<int64_t>{-64, 63})
  HEED_FIXED(int64_t, taught_head, 0,
             "guided_alignment, transformer: the head of its cross-attention, from 0.",
             config::Between<int64_t>{0, 255})
  HEED_FIXED(GuidedStep, guided_step, GuidedStep::emits,
             "guided_alignment: the step to which a target piece's links are taught.")
  HEED_FIXED(double, coverage_loss, 0.0,
             "Weight of the loss for attending to a source piece again (See et al. 2017): a sum "
             "over target pieces, divided by their number. transformer: the attention of "
             "taught_layer and taught_head.",
             config::Between<double>{0.0, 1000.0})
  HEED_FIXED(double, clip_norm, 1.0,
             "Gradients with a larger norm are scaled down to it. 0: never.",
             config::Between<double>{0.0, 1e9})
  HEED_FIXED(double, ema, 0.0,
             "Decay of the running average of weights, which is then validated and saved. 0: no "
             "average; 0.999 is usual.",
             config::Between<double>{0.0, 0.9999999})
  HEED_FIXED(Quantise, quantise, Quantise::none,
             "How updates and validations see the matrices of linear layers. A few hundred updates "
             "with int8 prepare a trained model (training.from) for decoding.weights: int8.")
  HEED_FREE(Graphs, graphs, Graphs::auto_,
            "Whether forward and backward passes and the optimizer's part of an update on a GPU "
            "are recorded as CUDA graphs, which one launch starts again; they take memory for two "
            "more copies of the weights.")
  HEED_FREE(int64_t, updates, 100000, "Updates in all, those before a resume included.",
            config::Between<int64_t>{1, 1000000000})
  HEED_FREE(int64_t, epochs, 0, "Passes over the corpus in all. 0: no limit but `updates`.",
            config::Between<int64_t>{0, 1000000})
  HEED_FREE(double, max_minutes, 0.0,
            "Training time in all, resumed parts included, without time in which the process was "
            "stopped; the schedules `cosine` and `luong` end with it. 0: no limit.",
            config::Between<double>{0.0, 1e7})
  HEED_FREE(int64_t, validate_every, 1000, "Updates between two validations.",
            config::Between<int64_t>{1, 1000000000})
  HEED_FREE(bool, validate_bleu, true,
            "Translate the validation set and score BLEU at every validation.")
  HEED_FREE(int64_t, validation_beam, 1, "Beam size of these translations; 1 is greedy.",
            config::Between<int64_t>{1, 100})
  HEED_FREE(std::string, validation_command, "",
            "A shell command that scores these translations. It reads them, one on each line, "
            "finds the sources in the file $1 and the references in the file $2, and prints a "
            "number; higher is better.")
  HEED_FREE(int64_t, validation_samples, 20,
            "Sentences, spread over the set, whose translations each validation keeps in "
            "validations/UPDATE.txt; three are logged.",
            config::Between<int64_t>{0, 1000000})
  HEED_FREE(bool, validation_outputs, false,
            "Keep all translations of each validation, in validations/UPDATE.hypothesis.")
  HEED_FREE(bool, tensorboard, false,
            "Also write TensorBoard event files: what metrics.jsonl has, and samples and a picture "
            "of attention at each validation.")
  HEED_FREE(int64_t, save_every, 1000,
            "Updates between two checkpoints, from which a killed run can be resumed.",
            config::Between<int64_t>{1, 1000000000})
  HEED_FREE(int64_t, log_every, 50, "Updates between two lines of metrics.",
            config::Between<int64_t>{1, 1000000000})
  HEED_SECTION(EarlyStopping, early_stopping, "When to stop before the end.")
  HEED_FIXED(int64_t, keep_best, 1,
             "Number of best checkpoints that are kept. If more than one, their average is the "
             "final model.",
             config::Between<int64_t>{1, 1000})
  HEED_FREE(
      int64_t, keep_last, 2,
      "Number of newest checkpoints that are kept. With 1 there is no other one if it is damaged.",
      config::Between<int64_t>{1, 1000})
};

/// Returns the number of parts that micro_batches: 0 means. On a CPU it follows from batch_size
/// alone, whatever the machine. A GPU computes a part at once, so that each of the `ranks` gets one
/// part of an update.
int64_t default_parts(const TrainConfig& config, bool gpu, int64_t ranks);

/// Updates of the warm-up, 0 without one: `warmup`, or what -1 stands for.
int64_t warmup_updates(const TrainConfig& config);

/// Parts of each batch: micro_batches, else the default on a CPU.
int64_t parts_per_batch(const TrainConfig& config);

/// Returns the metrics that a validation computes of its translations, in the order of the table:
/// BLEU (validate_bleu), the number of validation_command, and the metric that decides, unless that
/// is the loss.
std::vector<Metric> translation_metrics(const TrainConfig& config);

/// Whether a lower number of the metric that decides is better.
bool less_is_better(const EarlyStopping& stopping);

/// Checks the rules between fields. Throws ConfigError.
void check(const TrainConfig& config);

}  // namespace heed::train
