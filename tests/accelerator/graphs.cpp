#include "accelerator/graphs.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "accelerator/internal.h"
#include "kernels/graph.h"

namespace heed::accelerator {
namespace {

// A number in LibTorch 2.11, an object of the library in 2.15.
const auto& kKind = c10::DebugInfoKind::TEST_INFO;

class Recorder final : public kernels::GraphRecorder {
 public:
  std::unique_ptr<kernels::Recording> record(const at::Device&,
                                             const std::function<void()>& work) override {
    work();
    auto capture = std::make_shared<Capture>();
    const Finally finally{*capture, at::Generator(default_generator())};
    const c10::DebugInfoGuard guard(kKind, capture);
    work();
    return std::make_unique<Replayed>(capture);
  }

 private:
  struct Replayed final : kernels::Recording {
    explicit Replayed(std::shared_ptr<Capture> recorded) : capture(std::move(recorded)) {}
    void replay() override { capture->replay(); }
    std::shared_ptr<Capture> capture;
  };
  /// Undoes the capture and what it drew, whether the work could be recorded or not.
  struct Finally {
    ~Finally() {
      capture.undo();
      generator.set_state(state);
    }
    Capture& capture;
    at::Generator generator;
    at::Tensor state = generator.get_state();
  };
};

const bool registered_recorder = [] {
  kernels::Graph::set_recorder(at::kPrivateUse1, new Recorder);
  return true;
}();

}  // namespace

Capture* Capture::current() {
  return static_cast<Capture*>(c10::ThreadLocalDebugInfo::get(kKind));
}

void Capture::refuse(const std::string& what) {
  TORCH_CHECK(!current(), what, ": not permitted while a graph is recorded");
}

void Capture::owns(const at::Tensor& made) {
  own_.push_back(made.storage());
}

void Capture::before(const std::vector<at::Tensor>& tensors) {
  for (const at::Tensor& tensor : tensors) {
    if (!tensor.defined() || !tensor.is_privateuseone() || tensor.storage().nbytes() == 0) continue;
    const c10::Storage& storage = tensor.storage();
    const auto* const bytes = static_cast<const char*>(inside(storage.mutable_data()));
    before_.try_emplace(storage.unsafeGetStorageImpl(), storage,
                        std::string(bytes, storage.nbytes()));
  }
}

void Capture::undo() {
  for (const auto& [storage, bytes] : before_)
    std::memcpy(inside(bytes.first.mutable_data()), bytes.second.data(), bytes.second.size());
  before_.clear();
  std::erase_if(own_, [](const c10::Storage& one) { return one.use_count() == 1; });
  spoil();
}

void Capture::spoil() const {
  for (const c10::Storage& storage : own_)
    if (storage.nbytes() > 0) std::memset(inside(storage.mutable_data()), 0xff, storage.nbytes());
}

void Capture::replay() const {
  refuse("a replay");
  const at::AutoDispatchBelowADInplaceOrView below;  // as what it was recorded from
  spoil();
  for (const auto& operation : operations_) operation();
  spoil();
}

at::Tensor same_memory(const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  if (tensor.is_privateuseone())
    return view(tensor.storage(), tensor, c10::DispatchKey::PrivateUse1);
  at::Tensor number = tensor.detach().clone();
  number.unsafeGetTensorImpl()->set_wrapped_number(
      tensor.unsafeGetTensorImpl()->is_wrapped_number());
  return number;
}

void recorded(const std::vector<at::Tensor>& tensors, const std::function<void()>& operation) {
  Capture* const capture = Capture::current();
  if (capture) capture->before(tensors);
  operation();
  if (capture) capture->add(operation);
}

std::vector<at::Tensor> recorded_results(const std::vector<at::Tensor>& tensors,
                                         const Operation& operation) {
  Capture* const capture = Capture::current();
  if (!capture) return operation(tensors);
  const auto same = [](const std::vector<at::Tensor>& all) {
    std::vector<at::Tensor> out;
    for (const at::Tensor& one : all) out.push_back(same_memory(one));
    return out;
  };
  capture->before(tensors);
  const auto results = operation(tensors);
  capture->add([operation, tensors = same(tensors), results = same(results)] {
    put_back(operation(tensors), results);
  });
  return results;
}

void put_back(const std::vector<at::Tensor>& computed, const std::vector<at::Tensor>& results) {
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].defined() && !results[i].is_alias_of(computed[i]))
      as_cpu(results[i]).copy_(as_cpu(computed[i]));
}

}  // namespace heed::accelerator
