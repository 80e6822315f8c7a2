// The weights of a network as plain numbers, and products with them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/matrix.h"
#include "engine/threads.h"
#include "model/description/safetensors_file.h"
#include "model/description/safetensors_header.h"

namespace heed::engine {

using Floats = std::vector<float>;

/// Numbers of a model, row by row, that stay where they are while `owner` lives.
struct Array {
  const float* data = nullptr;  // null: they are int8
  std::vector<int64_t> shape;
  std::shared_ptr<const void> owner = {};
  QuantisedRows quantised = {};  // [rows, columns]
  /// The numbers lie in pages of a file, to which nothing is written.
  bool mapped = false;

  int64_t rows() const { return shape.front(); }
  int64_t columns() const { return shape.back(); }
  int64_t count() const;
  Floats copy() const;
  /// Copies a row in fp32 to `to` [columns].
  void copy_row(int64_t row, float* to) const;
};

/// Returns floating-point numbers of a file in fp32, without a copy if that is possible.
Array array_at(const char* numbers, model::Dtype type, std::vector<int64_t> shape,
               std::shared_ptr<const void> owner);

/// The weights of a model by their names in its file.
class Weights {
 public:
  /// `origin` begins messages: the file or other origin of the weights.
  explicit Weights(std::map<std::string, Array> arrays, std::string origin = "model")
      : arrays_(std::move(arrays)), origin_(std::move(origin)) {}

  /// The array of a name. Throws UserError where there is none of that name.
  const Array& at(const std::string& name) const;
  /// The array of a name, which must have this shape; -1 stands for any size. Throws UserError
  /// where it has another shape, too.
  const Array& at(const std::string& name, const std::vector<int64_t>& shape) const;
  /// Copies numbers in fp32, so that the file may change afterwards.
  void release_file();
  bool contains(const std::string& name) const { return arrays_.contains(name); }
  const std::map<std::string, Array>& all() const { return arrays_; }

 private:
  std::map<std::string, Array> arrays_;
  std::string origin_;
};

/// x W^T + b.
struct Linear {
  Matrix matrix;
  Floats bias;  // [columns], or empty
};

/// The layer of rows [first, first + count) of `weight` [columns, inner] and of `bias`; null: it
/// has no bias. Pages of a file that it has read are given back, so that the file and the layers of
/// a large model are not in memory at the same time; who looks up rows there maps them again.
Linear make_linear(const Array& weight, const Array* bias, WeightFormat numbers, int64_t first = 0,
                   int64_t count = -1);

// Products of rows with rearranged matrices, their columns divided among threads.

inline constexpr int64_t kRowsWorthAThread = 16;

/// Multiplies one left factor after another. Each decoder has an object of its own, because it
/// keeps the rounded rows.
class Products {
 public:
  explicit Products(const Threads& threads) : threads_(threads) {}

  /// Sets the left factor of the products that follow: x [rows, inner], which must stay until the
  /// next one.
  void take(const Linear& linear, const float* x, int64_t rows);
  /// The number of panels from which on waking a thread pays.
  int64_t grain(const Linear& linear) const;
  /// to [rows, columns] = finish(x W^T + b).
  void product(const Linear& linear, float* to, Finish finish = {});
  /// product() of the panels [first, last) alone, by the calling thread; see multiply().
  void panels(const Linear& linear, int64_t first, int64_t last, float* to, int64_t stride,
              Finish finish = {}) const;
  /// take() and then product().
  void product(const Linear& linear, const float* x, int64_t rows, float* to, Finish finish = {}) {
    take(linear, x, rows);
    product(linear, to, finish);
  }

 private:
  const Threads& threads_;
  LeftFactor taken_;
};

struct WeightsFile {
  Weights weights;
  std::map<std::string, std::string> metadata;
};

/// Maps the file: its fp32 numbers are used where they lie, others are widened. The I8 tensor NAME
/// is one of rows whose scales are the F32 tensor NAME.scale. Throws UserError as
/// model::open_safetensors(), and for whole numbers without scales.
WeightsFile read_weights(const std::string& path);

/// read_weights() for a file that is in memory. `path` begins messages.
Weights weights_in(const model::SafetensorsFile& file, const std::string& path);

/// The bytes of the file with the matrices of linear layers and word vectors as int8, as Matrix
/// quantises them, a quarter as large.
std::string packed(const WeightsFile& file);

}  // namespace heed::engine
