#include "model/freeze.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/strings.h"
#include "model/description/names.h"

namespace heed::model {
namespace {

bool is_within(const std::string& parameter, const std::string& name) {
  return parameter == name || parameter.starts_with(name + ".");
}

/// The modules of the model itself, for messages.
std::string modules_of(const Model& model) {
  std::set<std::string> names;
  for (const auto& item : model.named_parameters())
    names.insert(item.key().substr(0, item.key().find('.')));
  return join({names.begin(), names.end()}, ", ");
}

}  // namespace

void freeze(Model& model, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    bool found = false;
    const auto freeze_one = [&](const std::string& key, Tensor tensor) {
      if (!is_within(key, name)) return;
      tensor.set_requires_grad(false);
      found = true;
    };
    for (auto& item : model.named_parameters()) freeze_one(item.key(), item.value());
    // Tied to an embedding it is a parameter by that name alone.
    if (const Tensor tied = model.output().weight; tied.defined())
      freeze_one(std::string(kOutputModule) + ".weight", tied);
    if (!found)
      throw UserError(
          "training.freeze: the model has no module '{}'; it has {}, and their parts, such as "
          "encoder.0",
          name, modules_of(model));
  }
  const auto parameters = model.parameters();
  if (std::ranges::none_of(parameters, [](const Tensor& each) { return each.requires_grad(); }))
    throw UserError("training.freeze: names the whole model; leave something to train");
}

}  // namespace heed::model
