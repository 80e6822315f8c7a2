// Tensors on disk, in safetensors files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/tensor.h"
#include "model/pointer.h"

namespace heed::model {

/// The contents of one safetensors file: tensors by name, and metadata as strings.
struct TensorFile {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Writes the file by write_safetensors(), with the same errors.
void save_tensors(const TensorFile& file, const std::string& path);

/// Reads a file by open_safetensors(), with the same errors: the tensors are the file's own pages.
TensorFile load_tensors(const std::string& path, bool foreign = false);

/// Throws UserError naming `origin`, the first tensor that is of whole numbers, and its type.
void require_floats(const std::map<std::string, Tensor>& weights, const std::string& origin);

/// Returns all parameters and buffers by dotted name, tied ones once (shared storage, not copied).
std::map<std::string, Tensor> named_weights(const Model& model);
/// Copies `weights` into the tensors `own`. Throws UserError naming `origin` and the first tensor
/// that is missing, surplus, of another shape or of whole numbers.
void load_weights(const std::map<std::string, Tensor>& own,
                  const std::map<std::string, Tensor>& weights, const std::string& origin);
/// Copies `weights` into all of the model's parameters.
void load_weights(Model& model, const std::map<std::string, Tensor>& weights,
                  const std::string& origin);
/// Copies `weights` into the parameters of these modules (training.take) alone. Throws UserError
/// for a module that the model does not have, too.
void load_modules(Model& model, const std::vector<std::string>& modules,
                  std::map<std::string, Tensor> weights, const std::string& origin);
/// Does the work of load_weights() without copies: the model's parameters become these tensors, and
/// only tensors that do not lie at a multiple of 64 bytes are copied. Those of load_tensors() lie
/// in the mapped file, which must not be written to as long as the model lives.
void take_weights(Model& model, const std::map<std::string, Tensor>& weights,
                  const std::string& origin);
/// Moves the parameters and buffers of a model on the CPU to memory of their own: from then on the
/// file of take_weights() may be overwritten.
void release_file(Model& model);
/// The parameters and buffers of `to`, a model of the same kind, become those of `from`, in the
/// same memory; their gradients stay apart.
void share_weights(const Model& from, Model& to);

/// Gives weights other values for the lifetime of this object.
class Replaced {
 public:
  Replaced() = default;
  Replaced(Replaced&&) = default;
  Replaced& operator=(Replaced&&) = delete;
  ~Replaced();

  void replace(const Tensor& weight, const Tensor& value);

 private:
  std::vector<std::pair<Tensor, Tensor>> kept_;  // weights, and their values before
};

/// Freezes the parameters of the modules with these dotted names, and parameters named so
/// themselves: they take no gradient any more. Tied weights are frozen by any of their names.
/// Throws UserError where a name fits nothing, or where nothing is left to train.
void freeze(Model& model, const std::vector<std::string>& names);

}  // namespace heed::model
