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

/// While one lives, weights made by this thread hold whatever their memory held: for a model that
/// is about to be loaded, where drawing them takes longer than reading the file.
class Uninitialised {
 public:
  Uninitialised();
  ~Uninitialised();
  Uninitialised(const Uninitialised&) = delete;
  Uninitialised& operator=(const Uninitialised&) = delete;
  static bool wanted();

 private:
  bool before_;
};

}  // namespace heed::model
