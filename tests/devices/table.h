// A table of operators: everything that is computed in a faster way on some device, written once
// and run on every device in every precision. The judge is the same computation in fp64 on a CPU,
// where heed takes its plain paths.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/schema.h"

namespace heed::devices {

using at::Tensor;
using Tensors = std::map<std::string, Tensor>;

/// fp64 is the judge's. tf32 is fp32 with products of a GPU's TF32.
HEED_ENUM(Precision, (fp64, ""), (fp32, ""), (tf32, ""), (bf16, ""), (fp16, ""))

/// The device on which an operator computes, and its precision.
struct DevicePrecision {
  at::Device device = at::kCPU;
  Precision precision = Precision::fp64;

  bool is_judge() const { return precision == Precision::fp64; }
  /// The type of weights and inputs.
  at::ScalarType wide() const { return is_judge() ? at::kDouble : at::kFloat; }
  /// The type of products: what autocast makes of wide().
  at::ScalarType narrow() const;
  /// The type for model::Autocast, which does nothing for fp32.
  at::ScalarType autocast() const { return is_judge() ? at::kFloat : narrow(); }
};

/// The tensors that an operator computed, by name: on the CPU, in fp64.
struct Values {
  Tensors results, gradients;
};

/// The largest error in each precision; 0: not run in it.
struct Bounds {
  double fp32 = 1e-5, tf32 = 4e-3, bf16 = 2e-2, fp16 = 4e-3;

  double of(Precision precision) const;
  Bounds times(double factor) const;
};
/// The bounds of operators that compute in fp32 whatever the precision, and have no products that
/// TF32 could round.
inline constexpr Bounds kInFp32{.fp32 = 1e-5, .tf32 = 0, .bf16 = 0, .fp16 = 0};

struct Operator {
  std::string name;  // "kind.variant"
  /// Builds its inputs from fixed seeds, the same for every device and precision
  /// (devices/inputs.h).
  std::function<Values(const DevicePrecision&)> compute;
  Bounds bounds = {};
};

std::vector<Operator> attention_operators();
std::vector<Operator> layer_operators();
std::vector<Operator> loss_operators();
std::vector<Operator> recurrent_operators();
std::vector<Operator> optimizer_operators();
std::vector<Operator> decoding_operators();
std::vector<Operator> model_operators();

/// The operators of all these lists.
const std::vector<Operator>& table();

/// How far something is from the judge's number, and what it is.
struct Error {
  double size = 0;
  std::string of;
};

/// max |found - judge| / max |judge| of each tensor. A small gradient is measured by 10 % of the
/// largest one: much that is added up in it cancels, in a key's bias all, and rounding is left.
/// Infinite where names, shapes or infinities differ and where there is NaN.
std::vector<Error> errors(const Values& found, const Values& judge);
Error largest_error(const Values& found, const Values& judge);

/// The values of the judge, computed once.
const Values& judged(const Operator& one);

/// One line of the table.
struct Row {
  std::string name;
  Precision precision = Precision::fp32;
  Error error;
  double bound = 0;
  std::string failure;  // what was thrown

  bool ok() const { return failure.empty() && error.size <= bound; }
  /// Name, precision, error, bound, and "ok" or "FAILED" with what is wrong.
  std::string text() const;
};

Row run(const Operator& one, const at::Device& device, Precision precision);

/// The precisions that the device computes in.
std::vector<Precision> precisions_of(const at::Device& device);

}  // namespace heed::devices
