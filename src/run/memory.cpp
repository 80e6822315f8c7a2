#include "run/memory.h"

#include <dlfcn.h>

#include <algorithm>
#include <bit>

#include "base/strings.h"
#include "kernels/output_loss.h"
#include "model/description/traits.h"
#include "model/freeze.h"
#include "model/initial.h"
#include "model/model.h"
#include "train/trainer.h"

namespace heed::run {
namespace {

constexpr int64_t kNumber = 4;         // bytes: weights, gradients and moments are fp32
constexpr int64_t kTypicalWords = 40;  // pieces of a long sentence, where a batch counts sentences

int64_t moments_of(train::OptimizerKind kind) {
  return kind == train::OptimizerKind::sgd ? 0 : 2;
}

}  // namespace

MemoryNeed memory_of(const Config& config, const MemoryOf& of) {
  train::TrainConfig training = config.training;
  if (training.micro_batches == 0)
    training.micro_batches = train::default_parts(training, !of.cpu, of.ranks);
  MemoryNeed memory;
  {
    const model::WeightsBegin sizes_only(model::InitialWeights::sizes_only);
    const auto network =
        model::make_model(config.model, {.source = of.source, .target = of.target});
    memory.parameters = model::count_parameters(*network);
    model::freeze(*network, training.freeze);
    memory.trainable = model::count_parameters(*network);
  }
  const int64_t parts = train::parts_per_batch(training) * training.accumulate;
  const int64_t own = (parts + of.ranks - 1) / of.ranks;
  memory.parts = of.cpu ? std::min(of.threads, own) : 1;
  const int64_t sums = std::bit_width(static_cast<uint64_t>(own)) - 1;
  memory.weights = kNumber * memory.parameters;
  memory.optimizer = kNumber * memory.trainable * moments_of(training.optimizer) / of.ranks;
  memory.average = training.ema > 0 ? kNumber * memory.trainable / of.ranks : 0;
  memory.gradients = kNumber * memory.trainable * (memory.parts + sums);
  const bool by_tokens = training.batch_type == train::BatchType::tokens;
  const int64_t length = std::min(config.data.max_length, kTypicalWords);
  memory.tokens = training.batch_size * (by_tokens ? 1 : length) / train::parts_per_batch(training);
  const int64_t twice = training.consistency == train::Consistency::none ? 1 : 2;
  memory.batch =
      kNumber * memory.parts * memory.tokens * twice * model::traits(config.model).activations;
  // Some logits, their logarithms and their gradients; a CPU has few at a time.
  if (!of.cpu)
    memory.batch += kNumber * 3 * std::min(memory.tokens * of.target, kernels::kLogitsTogether);
  return memory;
}

std::optional<int64_t> free_memory_of_gpu() {
  // Asked through the CUDA runtime that LibTorch brought along, whose headers are not needed.
  using Query = int (*)(std::size_t * free, std::size_t * total);
  const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "cudaMemGetInfo"));
  std::size_t free = 0, total = 0;
  if (query == nullptr || query(&free, &total) != 0) return std::nullopt;
  return static_cast<int64_t>(free);
}

std::string MemoryNeed::text() const {
  const auto bytes = [](int64_t count) { return human_bytes(static_cast<uint64_t>(count)); };
  std::string text =
      fmt::format("memory: about {} besides the program: weights {} ({} parameters)",
                  bytes(total()), bytes(weights), human_count(static_cast<double>(parameters)));
  if (optimizer > 0) text += ", optimizer " + bytes(optimizer);
  if (average > 0) text += ", average of weights " + bytes(average);
  text += fmt::format(", gradients {}, batch {} ({} of {} target tokens)", bytes(gradients),
                      bytes(batch),
                      parts == 1 ? "one part" : std::to_string(parts) + " parts at a time", tokens);
  return text;
}

}  // namespace heed::run
