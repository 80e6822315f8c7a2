// Events, generators, and what LibTorch asks of a device.
#include "accelerator/device.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>

#include "accelerator/graphs.h"
#include "accelerator/internal.h"

namespace heed::accelerator {
namespace {

/// Copies to the host that are under way, and what the host waited for.
class Queue {
 public:
  void send(const at::Tensor& host, const at::Tensor& values) {
    const std::lock_guard lock(mutex_);
    std::memset(host.mutable_data_ptr(), 0xff, host.nbytes());
    under_way_.push_back({++sent_, host, values});
  }
  int64_t sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  bool arrived(int64_t number) {
    const std::lock_guard lock(mutex_);
    return under_way_.empty() || under_way_.front().number > number;
  }
  void wait_for(int64_t number) {
    if (arrived(number)) return;
    note(Wait::kEvent, "event");
    const std::lock_guard lock(mutex_);
    for (; !under_way_.empty() && under_way_.front().number <= number; under_way_.pop_front())
      std::memcpy(under_way_.front().host.mutable_data_ptr(),
                  under_way_.front().values.const_data_ptr(), under_way_.front().host.nbytes());
  }

  void note(Wait kind, const std::string& what) {
    const std::lock_guard lock(mutex_);
    waits_.emplace_back(kind, what);
  }
  std::size_t waits() {
    const std::lock_guard lock(mutex_);
    return waits_.size();
  }
  std::vector<std::string> waits(Wait kind, std::size_t begin) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (std::size_t i = begin; i < waits_.size(); ++i)
      if (waits_[i].first == kind) out.push_back(waits_[i].second);
    return out;
  }

 private:
  struct Copy {
    int64_t number;
    at::Tensor host, values;
  };
  std::mutex mutex_;
  std::deque<Copy> under_way_;
  int64_t sent_ = 0;
  std::vector<std::pair<Wait, std::string>> waits_;
};

Queue& queue() {
  static Queue& one = *new Queue;
  return one;
}

/// One device with one stream. An event is the number of copies that were sent before it.
struct Guard final : c10::impl::DeviceGuardImplInterface {
  static c10::Stream stream() { return c10::Stream(c10::Stream::DEFAULT, device()); }
  static int64_t& number(void* event) { return *static_cast<int64_t*>(event); }

  c10::DeviceType type() const override { return at::kPrivateUse1; }
  c10::Device exchangeDevice(c10::Device) const override { return device(); }
  c10::Device getDevice() const override { return device(); }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  c10::Stream getStream(c10::Device) const override { return stream(); }
  c10::Stream getDefaultStream(c10::Device) const override { return stream(); }
  c10::Stream exchangeStream(c10::Stream) const override { return stream(); }
  bool queryStream(const c10::Stream&) const override { return queue().arrived(queue().sent()); }
  void synchronizeStream(const c10::Stream&) const override { queue().wait_for(queue().sent()); }
  void synchronizeDevice(c10::DeviceIndex) const override { queue().wait_for(queue().sent()); }

  void record(void** event, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const override {
    if (!*event) *event = new int64_t;
    number(*event) = queue().sent();
  }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void* event) const override {
    Capture::refuse("a question about an event");
    return !event || queue().arrived(number(event));
  }
  void synchronizeEvent(void* event) const override {
    Capture::refuse("waiting for an event");
    if (event) queue().wait_for(number(event));
  }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
    delete static_cast<int64_t*>(event);
  }
};

struct Generator final : at::CPUGeneratorImpl {
  using CPUGeneratorImpl::CPUGeneratorImpl;
  void set_current_seed(uint64_t seed) override {
    Capture::refuse("another seed");
    CPUGeneratorImpl::set_current_seed(seed);
  }
};

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    return default_generator();
  }
  at::Generator getNewGenerator(c10::DeviceIndex) const override {
    return at::make_generator<at::CPUGeneratorImpl>();
  }
  bool isPinnedPtr(const void* address) const override { return is_pinned(address); }
  at::Allocator* getPinnedMemoryAllocator() const override { return &pinned_memory(); }
};

}  // namespace

void register_device() {
  c10::register_privateuse1_backend("sim");
  c10::SetAllocator(at::kPrivateUse1, &memory());
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  c10::impl::registerDeviceGuard(at::kPrivateUse1, new Guard);
}

at::Device device() {
  return {at::kPrivateUse1, 0};
}

Watch::Watch() : begin_(queue().waits()) {}

std::vector<std::string> Watch::waits(Wait kind) const {
  return queue().waits(kind, begin_);
}

namespace {

std::atomic<int64_t> launches = 0;

}  // namespace

void note_launch() {
  ++launches;
}

Work::Work() : launches_(accelerator::launches), bytes_(memory_ever_used()) {}

int64_t Work::launches() const {
  return accelerator::launches - launches_;
}

int64_t Work::bytes() const {
  return memory_ever_used() - bytes_;
}

const at::Generator& default_generator() {
  static thread_local const at::Generator one = at::make_generator<Generator>(uint64_t{1});
  return one;
}

void note(Wait kind, const std::string& what) {
  Capture::refuse(what);
  queue().note(kind, what);
}

void send_later(const at::Tensor& host, const at::Tensor& values) {
  Capture::refuse("a copy to the host");
  queue().send(host, values);
}

}  // namespace heed::accelerator
