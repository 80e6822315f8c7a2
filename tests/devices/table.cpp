#include "devices/table.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <utility>

#include "model/device.h"

namespace heed::devices {

at::ScalarType DevicePrecision::narrow() const {
  if (precision == Precision::bf16) return at::kBFloat16;
  return precision == Precision::fp16 ? at::kHalf : wide();
}

double Bounds::of(Precision precision) const {
  switch (precision) {
    case Precision::fp32:
      return fp32;
    case Precision::tf32:
      return tf32;
    case Precision::bf16:
      return bf16;
    case Precision::fp16:
      return fp16;
    case Precision::fp64:
      return 0;
  }
  return 0;
}

Bounds Bounds::times(double factor) const {
  return {
      .fp32 = fp32 * factor, .tf32 = tf32 * factor, .bf16 = bf16 * factor, .fp16 = fp16 * factor};
}

const std::vector<Operator>& table() {
  static const std::vector<Operator> all = [] {
    std::vector<Operator> out;
    for (const auto& part :
         {attention_operators, layer_operators, loss_operators, recurrent_operators,
          optimizer_operators, decoding_operators, model_operators})
      for (Operator& one : part()) out.push_back(std::move(one));
    return out;
  }();
  return all;
}

namespace {

double largest(const Tensor& numbers) {
  if (numbers.numel() == 0) return 0;
  return numbers.masked_fill(numbers.isfinite().logical_not(), 0).abs().max().item<double>();
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double error_of(const Tensor& found, const Tensor& judge, double floor) {
  if (found.sizes() != judge.sizes()) return kInfinite;
  // Equal infinities have no difference.
  const Tensor difference = (found - judge).masked_fill(found == judge, 0).abs();
  const double size = difference.numel() == 0 ? 0 : difference.max().item<double>();
  if (size == 0) return 0;
  return std::isfinite(size) ? size / std::max(largest(judge), floor) : kInfinite;
}

/// `floor`: the least that an error is measured by.
void compare(const Tensors& found, const Tensors& judge, const std::string& of, double floor,
             std::vector<Error>& out) {
  for (const auto& [name, tensor] : found)
    if (!judge.contains(name)) out.push_back({kInfinite, of + name});
  for (const auto& [name, tensor] : judge) {
    const auto entry = found.find(name);
    const double size = entry == found.end() ? kInfinite : error_of(entry->second, tensor, floor);
    out.push_back({size, of + name});
  }
}

}  // namespace

std::vector<Error> errors(const Values& found, const Values& judge) {
  constexpr double kSmall = 0.1;
  double steepest = 0;
  for (const auto& [name, gradient] : judge.gradients)
    steepest = std::max(steepest, largest(gradient));
  std::vector<Error> out;
  compare(found.results, judge.results, "", 0, out);
  compare(found.gradients, judge.gradients, "gradient of ", kSmall * steepest, out);
  return out;
}

Error largest_error(const Values& found, const Values& judge) {
  const auto all = errors(found, judge);
  return all.empty() ? Error{} : *std::ranges::max_element(all, {}, &Error::size);
}

const Values& judged(const Operator& one) {
  static std::map<std::string, Values> all;
  const auto known = all.find(one.name);
  return known != all.end() ? known->second : all.emplace(one.name, one.compute({})).first->second;
}

Row run(const Operator& one, const at::Device& device, Precision precision) {
  Row row{.name = one.name,
          .precision = precision,
          .error = {},
          .bound = one.bounds.of(precision),
          .failure = {}};
  try {
    const Values& judge = judged(one);
    if (device.is_cuda()) model::use_precision(config::name_of(precision), device);
    row.error = largest_error(one.compute({device, precision}), judge);
  } catch (const c10::Error& error) {
    row.failure = error.what_without_backtrace();
  } catch (const std::exception& error) {
    row.failure = error.what();
  }
  return row;
}

std::string Row::text() const {
  constexpr std::size_t kNameWidth = 56;
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, "  %-4s  %8.1e  %8.1e  ",
                config::name_of(precision).c_str(), error.size, bound);
  std::string line = name;
  line.resize(std::max(name.size(), kNameWidth), ' ');
  line += numbers;
  if (ok()) return line + "ok";
  return line + "FAILED: " + (failure.empty() ? error.of : failure.substr(0, failure.find('\n')));
}

std::vector<Precision> precisions_of(const at::Device& device) {
  if (device.is_cpu()) return {Precision::fp32, Precision::bf16};
  if (!device.is_cuda()) return {Precision::fp32, Precision::bf16, Precision::fp16};
  std::vector<Precision> all{Precision::fp32, Precision::tf32, Precision::fp16};
  if (model::has_bf16(device)) all.push_back(Precision::bf16);
  return all;
}

}  // namespace heed::devices
