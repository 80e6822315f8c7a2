// libheed_graphs.so: CUDA graphs for src/kernels/graph.cpp, which loads it. Built apart from the
// program because it alone is compiled with headers of CUDA (cmake/HeedGraphs.cmake).
#include "kernels/graph_plugin.h"

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/Event.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

#include <map>
#include <mutex>
#include <type_traits>

namespace heed::kernels {
namespace {

class CudaRecording final : public Recording {
 public:
  explicit CudaRecording(std::unique_ptr<at::cuda::CUDAGraph> graph) : graph_(std::move(graph)) {}
  void replay() override { graph_->replay(); }

 private:
  std::unique_ptr<at::cuda::CUDAGraph> graph_;
};

/// `to` goes on when all that `from` was given until now is done.
void follow(const c10::Stream& to, const c10::Stream& from) {
  c10::Event event(at::kCUDA);
  event.record(from);
  event.block(to);
}

class CudaRecorder final : public GraphRecorder {
 public:
  std::unique_ptr<Recording> record(const at::Device& device,
                                    const std::function<void()>& work) override {
    TORCH_CHECK(c10::cuda::device_count() > 0, "no GPUs found");
    const std::lock_guard lock(mutex_);
    const c10::cuda::CUDAGuard on(device.index() < 0 ? c10::cuda::current_device()
                                                     : device.index());
    const auto current = c10::cuda::getCurrentCUDAStream();
    const auto stream = stream_of(c10::cuda::current_device());
    follow(stream, current);
    auto graph = std::make_unique<at::cuda::CUDAGraph>();
    {
      const c10::cuda::CUDAStreamGuard guard(stream);
      work();  // libraries make their workspaces for this stream, and choose their kernels
      capture(*graph, work);
    }
    follow(current, stream);
    return std::make_unique<CudaRecording>(std::move(graph));
  }

 private:
  void capture(at::cuda::CUDAGraph& graph, const std::function<void()>& work) {
    graph.register_generator_state(at::cuda::detail::getDefaultCUDAGenerator());
    // Other threads may allocate and wait meanwhile.
    graph.capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
    try {
      work();
    } catch (...) {
      try {
        graph.capture_end();
      } catch (...) {  // what `work` threw says more
      }
      throw;
    }
    graph.capture_end();
  }

  c10::cuda::CUDAStream stream_of(c10::DeviceIndex device) {
    const auto found = streams_.find(device);
    if (found != streams_.end()) return found->second;
    return streams_.emplace(device, c10::cuda::getStreamFromPool(false, device)).first->second;
  }

  std::mutex mutex_;
  at::cuda::MempoolId_t pool_ = at::cuda::graph_pool_handle();
  std::map<c10::DeviceIndex, c10::cuda::CUDAStream> streams_;
};

}  // namespace
}  // namespace heed::kernels

/// heed::kernels::kGraphRecorder.
extern "C" heed::kernels::GraphRecorder* heed_graph_recorder_1() {
  static auto& one = *new heed::kernels::CudaRecorder;  // graphs may outlive static variables
  return &one;
}

static_assert(std::is_same_v<decltype(&heed_graph_recorder_1), heed::kernels::GraphRecorderOfGpus>);
