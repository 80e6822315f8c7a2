// Operators that a step of a search takes from the device.
#include "decode/model_steps.h"
#include "devices/inputs.h"
#include "model/device.h"

namespace heed::devices {
namespace {

Values candidates_of(const decode::Candidates& found, int64_t rows) {
  Tensors results{{"values", at::tensor(found.values).view({rows, -1})}};
  if (!found.ids.empty())
    results["ids"] = at::tensor(at::ArrayRef<int64_t>(found.ids), at::kLong).view({rows, -1});
  return values_of(results);
}

constexpr int64_t kRows = 5;

/// Scores are fp32 everywhere.
Tensor scores_of(const DevicePrecision& on) {
  Numbers numbers(on);
  return numbers.there({kRows, 1003}).to(at::kFloat);
}

Operator best(const std::string& name, int64_t count) {
  const auto compute = [count](const DevicePrecision& on) {
    return candidates_of(decode::best_candidates({.values = scores_of(on)}, count), kRows);
  };
  return {"candidates." + name, compute, kInFp32};
}

Values all_candidates(const DevicePrecision& on) {
  return candidates_of(decode::all_candidates({.values = scores_of(on)}), kRows);
}

/// Two copies under way at once, from work that is queued before each.
Values readback(const DevicePrecision& on) {
  Numbers numbers(on);
  Tensor x = numbers.there({301, 301});
  for (int i = 0; i < 4; ++i) x = at::tanh(at::mm(x, x) / 17);
  const Tensor sums = x.to(at::kDouble).sum(0);
  const model::Download first(sums), second(sums * 2);
  return values_of({{"second", second.host()}, {"first", first.host()}});
}

}  // namespace

std::vector<Operator> decoding_operators() {
  return {best("best", 1),
          best("best_12", 12),
          best("best_300", 300),
          {"candidates.all", all_candidates, kInFp32},
          {"readback", readback, kInFp32}};
}

}  // namespace heed::devices
