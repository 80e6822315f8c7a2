// heed inspect MODEL: what is in a model folder.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "apps/commands.h"
#include "apps/options.h"
#include "config/io.h"
#include "model/weights.h"

namespace heed {
namespace {

struct InspectArgs {
  std::string model;
  bool config = false;
};

std::string shape_text(at::IntArrayRef sizes) {
  std::ostringstream text;
  text << '[';
  for (std::size_t i = 0; i < sizes.size(); ++i) text << (i == 0 ? "" : ", ") << sizes[i];
  text << ']';
  return text.str();
}

/// `encoder.0.norm.weight` belongs to module `encoder.0.norm`.
std::string module_of(const std::string& name) {
  const auto dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(0, dot);
}

void inspect(const InspectArgs& args) {
  const ModelFolder folder = open_model(args.model, {.device = "cpu"});
  if (args.config) {
    // As it was saved: the folder was opened on another device.
    std::cout << config::dump(load_config(args.model + "/config.yaml", {}));
    return;
  }
  const auto weights = model::named_weights(*folder.model);
  std::size_t width = 9;
  for (const auto& [name, tensor] : weights) width = std::max(width, name.size());
  std::map<std::string, int64_t> modules;
  int64_t total = 0;
  std::printf("%-*s  %-18s %12s\n", static_cast<int>(width), "tensor", "shape", "parameters");
  for (const auto& [name, tensor] : weights) {
    std::printf("%-*s  %-18s %12lld\n", static_cast<int>(width), name.c_str(),
                shape_text(tensor.sizes()).c_str(), static_cast<long long>(tensor.numel()));
    modules[module_of(name).substr(0, name.find('.'))] += tensor.numel();
    total += tensor.numel();
  }
  std::printf("\n");
  for (const auto& [name, count] : modules)
    std::printf("%-*s  %-18s %12lld  %5.1f %%\n", static_cast<int>(width), name.c_str(), "",
                static_cast<long long>(count),
                100.0 * static_cast<double>(count) / static_cast<double>(total));
  std::printf("%-*s  %-18s %12lld\n", static_cast<int>(width), "all", "",
              static_cast<long long>(total));
  std::printf("\nvocabulary: source %d pieces (%s), target %d pieces (%s)\n", folder.source.size(),
              folder.source.fingerprint().c_str(), folder.target.size(),
              folder.target.fingerprint().c_str());
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto args = std::make_shared<InspectArgs>();
  CLI::App* command =
      app.add_subcommand("inspect", "What is in a model: tensors, shapes, parameters, vocabulary");
  command->add_option("model", args->model, "Folder that `heed train` wrote")->required();
  command->add_flag("--config", args->config, "Print the resolved configuration instead");
  command->footer("Example:\n  heed inspect runs/demo/bahdanau");
  command->callback([args] { inspect(*args); });
}

}  // namespace heed
