// libheed_gpu.so: CUDA graphs for src/kernels/graph.cpp, which loads it. Built apart from the
// program because it alone is compiled with headers of CUDA (cmake/HeedGpu.cmake).
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/Event.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "kernels/gpu_plugin.h"
#include "kernels/graph.h"

namespace heed::kernels {
namespace {

/// The pool from which graphs allocate. LibTorch gives the memory back with the last graph of the
/// pool, and refuses the pool from then on.
using Pool = at::cuda::MempoolId_t;

class CudaRecording final : public Recording {
 public:
  CudaRecording(std::shared_ptr<const Pool> pool, std::unique_ptr<at::cuda::CUDAGraph> graph)
      : pool_(std::move(pool)), graph_(std::move(graph)) {}
  void replay() override { graph_->replay(); }

 private:
  std::shared_ptr<const Pool> pool_;
  std::unique_ptr<at::cuda::CUDAGraph> graph_;
};

/// Puts a copy of the generator in its place where a recording fails, which would leave the
/// generator waiting for its end.
class GeneratorKept {
 public:
  explicit GeneratorKept(at::Generator generator)
      : generator_(std::move(generator)), copy_(generator_.clone()) {}
  ~GeneratorKept() {
    if (!done_) generator_.graphsafe_set_state(copy_);
  }
  GeneratorKept& operator=(GeneratorKept&&) = delete;

  void done() { done_ = true; }

 private:
  at::Generator generator_, copy_;
  bool done_ = false;
};

/// Makes `to` wait until all work that `from` was given until now is done.
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
    std::shared_ptr<const Pool> pool = pool_.lock();
    if (!pool) pool_ = pool = std::make_shared<const Pool>(at::cuda::graph_pool_handle());
    {
      const c10::cuda::CUDAStreamGuard guard(stream);
      if (captures_first_ && captured(*graph, *pool, work)) {
        graph->replay();
      } else {
        captures_first_ = false;
        graph = std::make_unique<at::cuda::CUDAGraph>();
        work();  // libraries make their workspaces for this stream, and choose their kernels
        GeneratorKept generator(at::cuda::detail::getDefaultCUDAGenerator());
        capture(*graph, *pool, work);
        generator.done();
        captures_first_ = !needs_work_first_;
      }
    }
    follow(current, stream);
    return std::make_unique<CudaRecording>(std::move(pool), std::move(graph));
  }

 private:
  static void capture(at::cuda::CUDAGraph& graph, const Pool& pool,
                      const std::function<void()>& work) {
    // LibTorch registers the default generator, when a capture begins (until 2.13) or when it first
    // draws. Other threads may allocate and wait meanwhile.
    graph.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
    try {
      work();
    } catch (...) {
      try {
        graph.capture_end();
      } catch (...) {  // the exception of `work` says more
      }
      throw;
    }
    graph.capture_end();
  }

  /// Returns false where `work` has to be done before it can be recorded.
  bool captured(at::cuda::CUDAGraph& graph, const Pool& pool, const std::function<void()>& work) {
    GeneratorKept generator(at::cuda::detail::getDefaultCUDAGenerator());
    try {
      capture(graph, pool, work);
    } catch (const c10::Error&) {
      needs_work_first_ = true;
      return false;
    }
    generator.done();
    return true;
  }

  c10::cuda::CUDAStream stream_of(c10::DeviceIndex device) {
    const auto found = streams_.find(device);
    if (found != streams_.end()) return found->second;
    return streams_.emplace(device, c10::cuda::getStreamFromPool(false, device)).first->second;
  }

  std::mutex mutex_;
  // Once some work has been recorded after it was done, other work is recorded first and then
  // replayed, so that the host launches it once. This goes on until it fails.
  bool captures_first_ = false, needs_work_first_ = false;
  std::weak_ptr<const Pool> pool_;  // of the graphs that there are
  std::map<c10::DeviceIndex, c10::cuda::CUDAStream> streams_;
};

}  // namespace
}  // namespace heed::kernels

/// The function that heed::kernels::kGraphRecorder names.
extern "C" heed::kernels::GraphRecorder* heed_graph_recorder_1() {
  static auto& one = *new heed::kernels::CudaRecorder;  // graphs may outlive static variables
  return &one;
}

static_assert(std::is_same_v<decltype(&heed_graph_recorder_1), heed::kernels::GraphRecorderOfGpus>);
