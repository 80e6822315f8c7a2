#include "train/consistency.h"

#include "model/model.h"

namespace heed::train {
namespace {

template <class Value>
std::vector<Value> repeated(const std::vector<Value>& values) {
  std::vector<Value> out = values;
  out.insert(out.end(), values.begin(), values.end());
  return out;
}

/// Of the second half of rows [2 size, width] with `lengths`.
void cut_some(std::vector<int64_t>& tokens, const std::vector<int64_t>& lengths, int64_t width,
              double share, Random& random) {
  const auto rows = std::ssize(lengths);
  for (int64_t row = rows / 2; row < rows; ++row)
    for (int64_t t = 0; t < lengths[row]; ++t)
      if (random.uniform() < share) tokens[row * width + t] = model::kCut;
}

}  // namespace

kernels::PairWeights pair_weights(const TrainConfig& config) {
  const double weight = config.consistency_weight;
  switch (config.consistency) {
    case Consistency::rdrop:
      return {.first = 0.5, .second = 0.5, .forward = weight / 4, .backward = weight / 4};
    case Consistency::simcut:
      return {.first = 1, .second = 0, .forward = weight, .backward = 0};
    case Consistency::none:
      break;
  }
  throw Bug("no pairs without training.consistency");
}

data::Batch both_of(const data::Batch& batch, const TrainConfig& config, Random& random) {
  data::Batch both{.size = 2 * batch.size,
                   .source_length = batch.source_length,
                   .target_length = batch.target_length,
                   .source = repeated(batch.source),
                   .target_input = repeated(batch.target_input),
                   .target_output = repeated(batch.target_output),
                   .source_lengths = repeated(batch.source_lengths),
                   .target_lengths = repeated(batch.target_lengths),
                   .origins = repeated(batch.origins)};
  if (config.consistency != Consistency::simcut) return both;
  const double share = config.consistency_share;
  cut_some(both.source, both.source_lengths, both.source_length, share, random);
  cut_some(both.target_input, both.target_lengths, both.target_length, share, random);
  return both;
}

}  // namespace heed::train
