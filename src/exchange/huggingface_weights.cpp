// The files of weights in a folder of Hugging Face's transformers.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "engine/weights.h"
#include "exchange/arrays.h"
#include "exchange/huggingface_parts.h"
#include "exchange/json_object.h"
#include "exchange/package.h"
#include "exchange/tensors.h"
#include "exchange/torch_file.h"
#include "model/description/safetensors_header.h"

namespace heed::exchange {
namespace {

using engine::Array;

/// The file of a format, and the index, which says in which files the tensors are where there are
/// several.
struct WeightFormat {
  const char *file, *index;
  Tensors (*read)(const Bytes& file, const std::string& name);
};
constexpr WeightFormat kWeightFormats[] = {
    {"model.safetensors", "model.safetensors.index.json", read_safetensors},
    {"pytorch_model.bin", "pytorch_model.bin.index.json", read_pickle}};

/// The files that the index's table of tensors names, each once.
std::vector<std::string> files_in_index(const Package& package, const char* index) {
  const JsonObject table(package, index);
  const std::string place = table.place();
  if (!table.has("weight_map") || !table.all()["weight_map"].is_object())
    throw UserError("{}: has no table 'weight_map' of tensors and files", place);
  std::vector<std::string> files;
  for (const auto& [tensor, file] : table.all()["weight_map"].items()) {
    if (!file.is_string()) throw UserError("{}: '{}' is in no file", place, one_line(tensor));
    if (const std::string name = file; std::ranges::find(files, name) == files.end())
      files.push_back(name);
  }
  for (const std::string& file : files)
    if (!package.has(file))
      throw UserError("{}: is missing, and {} says that tensors are in it",
                      package.place_of(one_line(file)), index);
  return files;
}

/// Whether a tensor of this name is a part of the network, and no table of numbers beside it.
bool is_weight(const std::string& name) {
  return name.ends_with(".weight") || name.ends_with(".bias");
}

/// Files of other formats that a user may take for weights.
std::vector<std::string> other_weights(const Package& package) {
  std::vector<std::string> files;
  for (const std::string& file : package.files())
    if (file.find('/') == std::string::npos &&
        (file.ends_with(".safetensors") || (file.ends_with(".bin") && file.starts_with("pytorch"))))
      files.push_back(file);
  return files;
}

}  // namespace

bool has_huggingface_weights(const Package& package) {
  return std::ranges::any_of(kWeightFormats, [&](const WeightFormat& format) {
    return package.has(format.file) || package.has(format.index);
  });
}

engine::Weights huggingface_weights(const Package& package) {
  for (const WeightFormat& format : kWeightFormats) {
    const bool whole = package.has(format.file), parts = package.has(format.index);
    if (!whole && !parts) continue;
    if (whole && parts)
      throw UserError("{}: {} and {} are there, and only one can be the model; move the other away",
                      package.place_of(""), format.file, format.index);
    const auto files =
        whole ? std::vector<std::string>{format.file} : files_in_index(package, format.index);
    std::map<std::string, Array> arrays;
    std::string origin;
    for (const std::string& file : files) {
      origin = package.place_of(file);
      for (const auto& [name, tensor] : format.read(package.read(file), origin))
        if (model::is_float(tensor.type) || is_weight(name))
          arrays[name] = array_of(tensor, origin + ": " + name);
    }
    return engine::Weights(std::move(arrays), origin);
  }
  const std::vector<std::string> others = other_weights(package);
  throw UserError(
      "{}: is missing, and so are its index and pytorch_model.bin{}",
      package.place_of("model.safetensors"),
      others.empty() ? "" : fmt::format("; of {} the model must be named so", join(others, ", ")));
}

}  // namespace heed::exchange
