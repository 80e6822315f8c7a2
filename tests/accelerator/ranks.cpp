#include "accelerator/ranks.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <utility>

#include "accelerator/internal.h"
#include "ranks/backends.h"
#include "ranks/rendezvous.h"

namespace heed::accelerator {
namespace {

using c10d::Backend, c10d::Work;

/// Gloo, on the memory as the device sees it. As NCCL it takes tensors of the device alone, and
/// nothing goes through the host.
class Exchanges final : public Backend {
 public:
  explicit Exchanges(ranks::BackendPtr inside)
      : Backend(inside->getRank(), inside->getSize()), inside_(std::move(inside)) {}

  const std::string getBackendName() const override { return "sim"; }

  c10::intrusive_ptr<Work> _allgather_base(at::Tensor& all, at::Tensor& mine,
                                           const c10d::AllgatherOptions& options) override {
    at::Tensor to = seen(all), from = seen(mine);
    return inside_->_allgather_base(to, from, options);
  }

  c10::intrusive_ptr<Work> alltoall_base(at::Tensor& received, at::Tensor& sent,
                                         std::vector<int64_t>& received_sizes,
                                         std::vector<int64_t>& sent_sizes,
                                         const c10d::AllToAllOptions& options) override {
    at::Tensor to = seen(received), from = seen(sent);
    return inside_->alltoall_base(to, from, received_sizes, sent_sizes, options);
  }

 private:
  static at::Tensor seen(const at::Tensor& tensor) {
    TORCH_CHECK(tensor.is_privateuseone(), "a tensor of ", tensor.device(), " for ", device());
    return as_cpu(tensor);
  }

  ranks::BackendPtr inside_;
};

}  // namespace

ranks::GroupOptions group_options() {
  ranks::GroupOptions options;
  options.device = device();
  options.device_backend = [](const ranks::RankInfo& info, const ranks::GroupOptions& with,
                              const ranks::StorePtr& store) -> ranks::BackendPtr {
    auto own = c10::make_intrusive<c10d::PrefixStore>("sim", store);
    return c10::make_intrusive<Exchanges>(ranks::host_backend(info, with, own));
  };
  return options;
}

}  // namespace heed::accelerator
