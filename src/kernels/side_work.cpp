#include "kernels/side_work.h"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace heed::kernels {
namespace {

c10::impl::VirtualGuardImpl streams_of(const at::Device& device) {
  return c10::impl::VirtualGuardImpl(device.type());
}

}  // namespace

SideWork::SideWork(const at::Device& device)
    : stream_(streams_of(device).getStreamFromGlobalPool(device)),
      begun_(device.type()),
      done_(device.type()) {}

void SideWork::run(std::vector<Tensor> read, const std::function<void()>& work) {
  begun_.record(streams_of(stream_.device()).getStream(stream_.device()));
  begun_.block(stream_);
  std::ranges::move(read, std::back_inserter(kept_));
  const c10::StreamGuard guard(stream_);
  work();
}

void SideWork::join() {
  if (kept_.empty()) return;
  done_.record(stream_);
  done_.block(streams_of(stream_.device()).getStream(stream_.device()));
  kept_.clear();
}

}  // namespace heed::kernels
