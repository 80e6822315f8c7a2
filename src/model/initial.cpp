#include "model/initial.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/nn/init.h>

#include <cmath>
#include <utility>

namespace heed::model {
namespace {

thread_local InitialWeights initial_weights = InitialWeights::drawn;

Tensor matrix(int64_t rows, int64_t columns) {
  const bool sizes_only = initial_weights == InitialWeights::sizes_only;
  return at::empty({rows, columns}, at::TensorOptions(sizes_only ? at::kMeta : at::kCPU));
}

bool stays_as_it_is() {
  return initial_weights != InitialWeights::drawn;
}

/// LAPACK cuts a decomposition by the number of threads that LibTorch has, and its bits follow.
class OneThread {
 public:
  OneThread() : before_(at::get_num_threads()) { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace

WeightsBegin::WeightsBegin(InitialWeights so) : before_(std::exchange(initial_weights, so)) {}

WeightsBegin::~WeightsBegin() {
  initial_weights = before_;
}

InitialWeights WeightsBegin::now() {
  return initial_weights;
}

Tensor xavier(int64_t rows, int64_t columns) {
  const double bound = std::sqrt(6.0 / static_cast<double>(rows + columns));
  const Tensor weight = matrix(rows, columns);
  return stays_as_it_is() ? weight : weight.uniform_(-bound, bound);
}

Tensor normal(int64_t rows, int64_t width) {
  const Tensor weight = matrix(rows, width);
  return stays_as_it_is() ? weight : weight.normal_(0, 1 / std::sqrt(static_cast<double>(width)));
}

Tensor orthogonal(int64_t size) {
  const Tensor weight = matrix(size, size);
  if (stays_as_it_is()) return weight;
  const OneThread one;
  return torch::nn::init::orthogonal_(weight);
}

}  // namespace heed::model
