#include "model/initial.h"

#include <ATen/ATen.h>
#include <torch/nn/init.h>

#include <cmath>
#include <utility>

namespace heed::model {
namespace {

thread_local bool uninitialised = false;

}  // namespace

Uninitialised::Uninitialised() : before_(std::exchange(uninitialised, true)) {}

Uninitialised::~Uninitialised() {
  uninitialised = before_;
}

bool Uninitialised::wanted() {
  return uninitialised;
}

Tensor xavier(int64_t rows, int64_t columns) {
  const double bound = std::sqrt(6.0 / static_cast<double>(rows + columns));
  const Tensor weight = at::empty({rows, columns});
  return uninitialised ? weight : weight.uniform_(-bound, bound);
}

Tensor normal(int64_t rows, int64_t width) {
  const Tensor weight = at::empty({rows, width});
  return uninitialised ? weight : weight.normal_(0, 1 / std::sqrt(static_cast<double>(width)));
}

Tensor orthogonal(int64_t size) {
  const Tensor weight = at::empty({size, size});
  return uninitialised ? weight : torch::nn::init::orthogonal_(weight);
}

}  // namespace heed::model
