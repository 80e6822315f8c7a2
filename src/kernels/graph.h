// Work of a GPU that is recorded once and then started again as one: hundreds of kernels for the
// price of one launch.
//
// A recording consists of kernels and addresses. A replay reads and writes the same memory as the
// recording; lengths, shapes and numbers of the host are those of the recording. So everything that
// changes must lie in tensors of the device that were made before, and be written into them.
//
// Memory that `work` allocates and keeps no longer than itself is the graph's. All graphs of a
// process share it: results that one graph leaves there are lost when another runs. So results,
// too, are written into tensors that were made before.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <string>

namespace heed::kernels {

/// The first number of the GPU's compute capability, 8 for Ampere and 9 for Hopper; 0 where CUDA is
/// not loaded or does not say.
int compute_capability(const c10::Device& device);

/// The calls that some work made to a device.
class Recording {
 public:
  virtual ~Recording() = default;
  /// Makes the calls again on the current stream, with the present numbers in memory. They draw
  /// from the device's generator and advance it, as the work itself would.
  virtual void replay() = 0;
};

/// The interface by which a kind of device records.
class GraphRecorder {
 public:
  virtual ~GraphRecorder() = default;
  /// Records what `work` does, and has the device do it once: calls `work`, perhaps twice or, where
  /// it throws c10::Error the first time, three times. Throws c10::Error where the work cannot be
  /// recorded: where the host waits for the device, reads from it or writes to it, or seeds its
  /// generator.
  virtual std::unique_ptr<Recording> record(const at::Device& device,
                                            const std::function<void()>& work) = 0;
};

class Graph {
 public:
  /// Why there are no graphs on this device; empty where there are.
  static std::string why_not(const at::Device& device);

  /// Sets the recorder for devices of this type, which must live as long as the process. The
  /// recorder for GPUs is in a library beside the program, which is loaded when it is first wanted.
  static void set_recorder(at::DeviceType type, GraphRecorder* recorder);

  /// Does `work` and records it. The tensors outside of `work` that it reads and writes must
  /// outlive this object and stay where they are; anything else that it refers to is needed for the
  /// recording only. Throws UserError where why_not() says something, else as
  /// GraphRecorder::record().
  Graph(const at::Device& device, const std::function<void()>& work);

  void replay() const { recording_->replay(); }

  /// Throws c10::Error while the calling thread records. A copy from the host would be made again
  /// at each replay, from memory that has long been something else's.
  static void refuse_copies_from_host();

 private:
  std::unique_ptr<Recording> recording_;
};

}  // namespace heed::kernels
