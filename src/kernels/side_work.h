// Work of a GPU beside other work: small products that do not fill a GPU run next to each other.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <functional>
#include <vector>

#include "kernels/tensor.h"

namespace heed::kernels {

/// A second stream of a GPU. It may be used while a graph is recorded (kernels/graph.h).
class SideWork {
 public:
  /// Throws c10::Error where the device, which is not a CPU, has a single stream.
  explicit SideWork(const at::Device& device);

  /// Does `work` on the second stream, after all that the current stream was given until now. What
  /// it reads must be in `read`, which is kept until join(): memory that is given back earlier may
  /// be written to while `work` reads it. Results are written into tensors that live on.
  void run(std::vector<Tensor> read, const std::function<void()>& work);

  /// Makes the current stream wait for all work of the second one.
  void join();

 private:
  c10::Stream stream_;
  c10::Event begun_, done_;
  std::vector<Tensor> kept_;
};

}  // namespace heed::kernels
