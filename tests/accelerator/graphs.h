// Graphs of the simulated accelerator: kernels::Graph on "sim".
//
// A recording computes what it records and then puts back all that changed, for CUDA computes
// nothing meanwhile. A replay computes again, into the same memory. Numbers of the host are those
// of the recording. Memory that was made while recording is filled with NaN before and after each
// replay: on a GPU other graphs write there.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace heed::accelerator {

/// The operations that are recorded on behalf of a thread, by itself or by threads that
/// differentiate for it.
class Capture : public c10::DebugInfoBase {
 public:
  /// nullptr where the calling thread records nothing.
  static Capture* current();
  /// Throws c10::Error where it records.
  static void refuse(const std::string& what);

  /// Memory that is made while this records.
  void owns(const at::Tensor& made);
  /// Takes the tensors that an operation is about to use.
  void before(const std::vector<at::Tensor>& tensors);
  void add(std::function<void()> operation) { operations_.push_back(std::move(operation)); }

  /// At the end: all memory is as it was.
  void undo();
  void replay() const;

 private:
  void spoil() const;

  std::vector<std::function<void()>> operations_;
  std::vector<c10::Storage> own_;
  std::unordered_map<c10::StorageImpl*, std::pair<c10::Storage, std::string>> before_;  // bytes
};

/// The same memory and layout, whatever becomes of the tensor; a number of the host as it is now.
at::Tensor same_memory(const at::Tensor& tensor);

/// Does `operation` on these tensors, and has it recorded.
void recorded(const std::vector<at::Tensor>& tensors, const std::function<void()>& operation);

/// The same of one that makes its results: a replay writes them where they were.
using Operation = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>;
std::vector<at::Tensor> recorded_results(const std::vector<at::Tensor>& tensors,
                                         const Operation& operation);

/// For a replay: what it computed, where the recording has it.
void put_back(const std::vector<at::Tensor>& computed, const std::vector<at::Tensor>& results);

}  // namespace heed::accelerator
