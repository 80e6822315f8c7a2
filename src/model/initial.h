// How weights begin.
#pragma once

#include "kernels/tensor.h"

namespace heed::model {

/// Xavier-uniform [rows, columns] (Glorot and Bengio 2010).
Tensor xavier(int64_t rows, int64_t columns);
/// Normal with a deviation of 1 / sqrt(width): [rows, width].
Tensor normal(int64_t rows, int64_t width);
/// Orthogonal [size, size] (Saxe et al. 2014).
Tensor orthogonal(int64_t size);

/// What weights made by a thread begin with.
enum class InitialWeights {
  drawn,
  /// Whatever their memory held: for a model that is about to be loaded, where drawing them takes
  /// longer than reading the file.
  uninitialised,
  /// Matrices have sizes and next to no memory: for a model that is only counted, and may be larger
  /// than this machine.
  sizes_only,
};

/// While one lives, weights made by this thread begin so.
class WeightsBegin {
 public:
  explicit WeightsBegin(InitialWeights so);
  ~WeightsBegin();
  WeightsBegin(const WeightsBegin&) = delete;
  WeightsBegin& operator=(const WeightsBegin&) = delete;
  static InitialWeights now();

 private:
  InitialWeights before_;
};

}  // namespace heed::model
