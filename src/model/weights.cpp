#include "model/weights.h"

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "model/description/config.h"
#include "model/description/safetensors_file.h"
#include "model/description/safetensors_header.h"
#include "model/model.h"

namespace heed::model {
namespace {

constexpr std::array kTypes{
    std::pair{Dtype::F64, at::kDouble},    std::pair{Dtype::I64, at::kLong},
    std::pair{Dtype::F32, at::kFloat},     std::pair{Dtype::I32, at::kInt},
    std::pair{Dtype::BF16, at::kBFloat16}, std::pair{Dtype::F16, at::kHalf},
    std::pair{Dtype::I16, at::kShort},     std::pair{Dtype::I8, at::kChar},
    std::pair{Dtype::U8, at::kByte},       std::pair{Dtype::BOOL, at::kBool}};

constexpr int64_t kAlignment = 64;

at::ScalarType tensor_type(Dtype type) {
  return std::ranges::find(kTypes, type, &std::pair<Dtype, at::ScalarType>::first)->second;
}

Dtype dtype_of(const Tensor& tensor) {
  for (const auto& [dtype, type] : kTypes)
    if (type == tensor.scalar_type()) return dtype;
  throw Bug("a tensor's type has no name in safetensors");
}

/// The tensor in `slot`: the mapped bytes, or a copy where another program did not align them.
Tensor tensor_at(const SafetensorsFile& file, const Slot& slot) {
  char* bytes = file.data + slot.begin;
  const Tensor tensor = at::from_blob(
      bytes, slot.shape, [owner = file.owner](void*) {}, at::TensorOptions(tensor_type(slot.type)));
  const bool aligned = reinterpret_cast<std::uintptr_t>(bytes) % bytes_of(slot.type) == 0;
  return aligned ? tensor : tensor.clone();
}

/// The modules of the model itself, for messages.
std::string modules_of(const Model& model) {
  std::set<std::string> names;
  for (const auto& item : model.named_parameters())
    names.insert(item.key().substr(0, item.key().find('.')));
  return join({names.begin(), names.end()}, ", ");
}

bool is_of_module(std::string_view weight, std::string_view module) {
  return weight.starts_with(module) &&
         (weight.size() == module.size() || weight[module.size()] == '.');
}

[[noreturn]] void fail_without_module(const char* key, const std::string& name,
                                      const Model& model) {
  throw UserError("{}: the model has no module '{}'; it has {}, and their parts, such as encoder.0",
                  key, name, modules_of(model));
}

}  // namespace

void save_tensors(const TensorFile& file, const std::string& path) {
  std::vector<Tensor> dense;
  std::vector<SlotBytes> slots;
  for (const auto& [name, tensor] : file.tensors) {
    dense.push_back(tensor.detach().cpu().contiguous());
    slots.push_back(
        {{.name = name, .type = dtype_of(tensor), .shape = tensor.sizes().vec()},
         {static_cast<const char*>(dense.back().const_data_ptr()), dense.back().nbytes()}});
  }
  write_safetensors(std::move(slots), file.metadata, path);
}

TensorFile load_tensors(const std::string& path, bool foreign) {
  SafetensorsFile file = open_safetensors(path, foreign);
  TensorFile loaded{.metadata = std::move(file.metadata)};
  for (const Slot& slot : file.slots) loaded.tensors.emplace(slot.name, tensor_at(file, slot));
  return loaded;
}

std::map<std::string, Tensor> named_weights(const Model& model) {
  std::map<std::string, Tensor> weights;
  std::set<const void*> seen;
  const auto add = [&](const std::string& name, const Tensor& tensor) {
    if (tensor.numel() > 0 && !seen.insert(tensor.const_data_ptr()).second) return;
    weights.emplace(name, tensor.detach());
  };
  for (const auto& item : model.named_parameters()) add(item.key(), item.value());
  for (const auto& item : model.named_buffers()) add(item.key(), item.value());
  return weights;
}

void require_floats(const std::map<std::string, Tensor>& weights, const std::string& origin) {
  for (const auto& [name, tensor] : weights)
    if (!tensor.is_floating_point())
      throw UserError("{}: tensor '{}' holds whole numbers ({}), which are no weights", origin,
                      one_line(name), name_of(dtype_of(tensor)));
}

namespace {

/// Throws UserError unless `weights` have the names and shapes of `own`.
void require_fitting(const std::map<std::string, Tensor>& own,
                     const std::map<std::string, Tensor>& weights, const std::string& origin) {
  const auto shape_text = [](const Tensor& tensor) -> std::string {
    if (tensor.dim() == 0) return "a single number";
    return fmt::format("{}", fmt::join(tensor.sizes(), " x "));
  };
  const std::string other = "; these weights belong to another model";
  for (const auto& [name, tensor] : own) {
    const auto found = weights.find(name);
    if (found == weights.end()) throw UserError("{}: has no tensor '{}'{}", origin, name, other);
    if (found->second.sizes() != tensor.sizes())
      throw UserError("{}: tensor '{}' is {}, the model needs {}{}", origin, name,
                      shape_text(found->second), shape_text(tensor), other);
  }
  for (const auto& [name, tensor] : weights)
    if (!own.contains(name))
      throw UserError("{}: surplus tensor '{}'{}", origin, one_line(name), other);
  require_floats(weights, origin);
}

}  // namespace

void load_weights(const std::map<std::string, Tensor>& own,
                  const std::map<std::string, Tensor>& weights, const std::string& origin) {
  require_fitting(own, weights, origin);
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : own) Tensor(tensor).copy_(weights.at(name));
}

void load_weights(Model& model, const std::map<std::string, Tensor>& weights,
                  const std::string& origin) {
  load_weights(named_weights(model), weights, origin);
}

void load_modules(Model& model, const std::vector<std::string>& modules,
                  std::map<std::string, Tensor> weights, const std::string& origin) {
  const auto own = named_weights(model);
  const auto known = model.named_modules();
  for (const std::string& module : modules)
    if (!known.contains(module) && !own.contains(module))
      fail_without_module("training.take", module, model);
  const auto is_taken = [&](const std::string& weight) {
    return std::ranges::any_of(modules, [&](const auto& one) { return is_of_module(weight, one); });
  };
  std::erase_if(weights, [&](const auto& one) { return !is_taken(one.first); });
  for (const auto& [name, tensor] : own)
    if (!is_taken(name)) weights.emplace(name, tensor);
  load_weights(own, weights, origin);
}

void take_weights(Model& model, const std::map<std::string, Tensor>& weights,
                  const std::string& origin) {
  const auto own = named_weights(model);
  require_fitting(own, weights, origin);
  const auto take = [&](const std::string& name, Tensor tensor) {
    const auto found = own.find(name);
    if (found == own.end()) return;  // tied: the same tensor by another name
    const Tensor& weight = weights.at(name);
    // Products may round differently where a matrix is aligned differently.
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(weight.const_data_ptr()) % kAlignment == 0;
    tensor.set_data((aligned ? weight : weight.clone()).to(tensor.scalar_type()));
  };
  for (const auto& item : model.named_parameters()) take(item.key(), item.value());
  for (const auto& item : model.named_buffers()) take(item.key(), item.value());
}

void release_file(Model& model) {
  const auto move = [](Tensor tensor) {
    if (tensor.is_cpu()) tensor.set_data(tensor.detach().clone());
  };
  for (const auto& item : model.named_parameters()) move(item.value());
  for (const auto& item : model.named_buffers()) move(item.value());
}

void share_weights(const Model& from, Model& to) {
  const auto share = [](const auto& theirs, const auto& own) {
    expect(theirs.size() == own.size(), "models of one kind");
    for (const auto& item : own) item.value().set_data(theirs[item.key()].detach());
  };
  share(from.named_parameters(), to.named_parameters());
  share(from.named_buffers(), to.named_buffers());
}

void Replaced::replace(const Tensor& weight, const Tensor& value) {
  const at::NoGradGuard no_grad;
  kept_.emplace_back(weight, weight.clone());
  weight.copy_(value);
}

Replaced::~Replaced() {
  const at::NoGradGuard no_grad;
  for (auto one = kept_.rbegin(); one != kept_.rend(); ++one) one->first.copy_(one->second);
}

void freeze(Model& model, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    bool found = false;
    const auto freeze_one = [&](const std::string& key, Tensor tensor) {
      if (!is_of_module(key, name)) return;
      tensor.set_requires_grad(false);
      found = true;
    };
    for (auto& item : model.named_parameters()) freeze_one(item.key(), item.value());
    // An output weight that is tied to an embedding is a parameter by the embedding's name alone.
    if (const Tensor tied = model.output().weight; tied.defined())
      freeze_one(std::string(kOutputModule) + ".weight", tied);
    if (!found) fail_without_module("training.freeze", name, model);
  }
  const auto parameters = model.parameters();
  if (std::ranges::none_of(parameters, [](const Tensor& each) { return each.requires_grad(); }))
    throw UserError("training.freeze: names the whole model; leave something to train");
}

}  // namespace heed::model
