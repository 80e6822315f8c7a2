// libheed_gpu.so: the kernels of src/kernels/layer_norm.cpp for a GPU. Each width and type is
// compiled when it is first wanted, which takes half a second.
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>

#include <type_traits>

#include "kernels/gpu_plugin.h"
#include "kernels/plugin/add_norm_call.h"
#include "kernels/plugin/compiler.h"

namespace heed::kernels {
namespace {

struct Functions {
  std::string code;  // which CUDA may read later, too
  cudaKernel_t forward = nullptr, backward = nullptr;
};

class CudaAddNorm final : public AddNormKernels {
 public:
  void forward(const AddNormForward& call) override {
    const c10::cuda::CUDAGuard on(call.sum.device());
    gpu::AddNorm arguments = gpu::arguments(call, drawn(call.share));
    launch(functions(call.x, call.weight).forward, call.moments.size(0), call.weight, arguments);
  }

  void backward(const AddNormBackward& call) override {
    const c10::cuda::CUDAGuard on(call.sum.device());
    gpu::AddNormGradient arguments = gpu::arguments(call);
    launch(functions(call.to_x, call.weight).backward, call.to_weights.size(0), call.weight,
           arguments);
  }

 private:
  /// A graph's seed and offset lie on the device, so that each replay has others.
  static gpu::Draw drawn(double share) {
    gpu::Draw draw = gpu::draw_of(share);
    if (share == 0) return draw;
    auto* const generator = at::get_generator_or_default<at::CUDAGeneratorImpl>(
        std::nullopt, at::cuda::detail::getDefaultCUDAGenerator());
    const std::lock_guard lock(generator->mutex_);
    // A thread takes four numbers at a place of its own.
    const at::PhiloxCudaState state = generator->philox_cuda_state(4);
    if (state.captured_) {
      draw.seed_at = reinterpret_cast<const gpu::Long*>(state.seed_.ptr);
      draw.offset_at = reinterpret_cast<const gpu::Long*>(state.offset_.ptr);
      draw.offset = state.offset_intragraph_;
    } else {
      draw.seed = state.seed_.val;
      draw.offset = state.offset_.val;
    }
    return draw;
  }

  const Functions& functions(const Tensor& x, const Tensor& weight) {
    int major = 0, minor = 0;
    const int device = x.get_device();
    C10_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    C10_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    const gpu::KernelKind kind{weight.numel(), x.scalar_type() == at::kBFloat16,
                               10 * major + minor};
    const std::lock_guard lock(mutex_);
    Functions& found = functions_[kind];
    if (!found.forward) {
      found.code = gpu::add_norm_code(kind);
      cudaLibrary_t library = nullptr;
      C10_CUDA_CHECK(cudaLibraryLoadData(&library, found.code.data(), nullptr, nullptr, 0, nullptr,
                                         nullptr, 0));
      C10_CUDA_CHECK(cudaLibraryGetKernel(&found.backward, library, "heed_add_norm_gradient"));
      C10_CUDA_CHECK(cudaLibraryGetKernel(&found.forward, library, "heed_add_norm"));
    }
    return found;
  }

  template <class Arguments>
  static void launch(cudaKernel_t kernel, int64_t blocks, const Tensor& weight,
                     Arguments& arguments) {
    void* all[] = {&arguments};
    const auto lanes = static_cast<unsigned>(gpu::lanes_of(static_cast<int>(weight.numel())));
    C10_CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel),
                                    dim3(static_cast<unsigned>(blocks)), dim3(lanes), all, 0,
                                    c10::cuda::getCurrentCUDAStream()));
  }

  std::mutex mutex_;
  std::map<gpu::KernelKind, Functions> functions_;
};

}  // namespace
}  // namespace heed::kernels

/// heed::kernels::kAddNormKernels.
extern "C" heed::kernels::AddNormKernels* heed_add_norm_kernels_1() {
  static auto& one = *new heed::kernels::CudaAddNorm;
  return &one;
}

static_assert(
    std::is_same_v<decltype(&heed_add_norm_kernels_1), heed::kernels::AddNormKernelsOfGpus>);
