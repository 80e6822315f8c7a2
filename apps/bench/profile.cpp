#include "apps/bench/profile.h"

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

namespace heed {
namespace {

using Clock = std::chrono::steady_clock;

struct Record {
  std::mutex mutex;
  std::map<std::string, study::OperationCost> operations;
  double flops = 0;
};

Record& record() {
  static Record one;
  return one;
}

/// An operation that has begun, and the one that called it.
struct Call : at::ObserverContext {
  Clock::time_point start = Clock::now();
  double inner = 0;  // seconds of the operations that it called
  double flops = 0;
  Call* caller = nullptr;
};

thread_local Call* current = nullptr;

int64_t elements(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() ? value.toTensor().numel() : 0;
}

/// 2 x elements of the left factor x columns of the right one, for the products that all others
/// end in.
double flops_of(const std::string& name, c10::ArrayRef<const c10::IValue> inputs) {
  if (name == "mkldnn::_linear_pointwise" && inputs.size() > 1)  // weights are [out, in]
    return 2.0 * static_cast<double>(elements(inputs[0])) *
           static_cast<double>(inputs[1].toTensor().size(0));
  std::size_t left = 0;
  if (name == "aten::addmm" || name == "aten::baddbmm" || name == "aten::addmm_")
    left = 1;
  else if (name != "aten::mm" && name != "aten::bmm")
    return 0;
  if (inputs.size() < left + 2 || elements(inputs[left + 1]) == 0) return 0;
  const auto columns = inputs[left + 1].toTensor().size(-1);
  return 2.0 * static_cast<double>(elements(inputs[left])) * static_cast<double>(columns);
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  auto call = std::make_unique<Call>();
  call->flops = flops_of(function.name(), function.inputs());  // they are gone at the end
  call->caller = std::exchange(current, call.get());
  return call;
}

void end(const at::RecordFunction& function, at::ObserverContext* context) {
  auto* call = static_cast<Call*>(context);
  current = call->caller;
  const double seconds = std::chrono::duration<double>(Clock::now() - call->start).count();
  if (call->caller) call->caller->inner += seconds;
  const std::string name = function.name();
  Record& all = record();
  const std::lock_guard lock(all.mutex);
  study::OperationCost& cost = all.operations[name];
  cost.name = name;
  cost.seconds += seconds - call->inner;
  ++cost.calls;
  all.flops += call->flops;
}

}  // namespace

Profile::Profile() {
  record().operations.clear();
  record().flops = 0;
  handle_ = at::addGlobalCallback(
      at::RecordFunctionCallback(begin, end)
          .needsInputs(true)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

Profile::~Profile() {
  at::removeCallback(handle_);
}

std::vector<study::OperationCost> Profile::operations() const {
  std::vector<study::OperationCost> out;
  const std::lock_guard lock(record().mutex);
  for (const auto& [name, cost] : record().operations) out.push_back(cost);
  std::ranges::sort(out, std::ranges::greater(), &study::OperationCost::seconds);
  return out;
}

double Profile::product_flops() const {
  const std::lock_guard lock(record().mutex);
  return record().flops;
}

}  // namespace heed
