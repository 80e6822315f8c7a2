// heed average: the mean of several sets of weights, as a model folder.
#include <filesystem>
#include <memory>

#include "apps/commands.h"
#include "apps/shared/model_folder.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "config/io.h"
#include "model/weights.h"
#include "train/checkpoint.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct AverageArgs {
  std::vector<std::string> inputs;
  std::string output;
};

std::string weights_file(const std::string& input) {
  return fs::is_directory(input) ? (fs::path(input) / "model.safetensors").string() : input;
}

/// The model folder that `input` is or lies in: checkpoints/x.heed belongs to the folder above.
fs::path folder_of(const std::string& input) {
  fs::path path = fs::absolute(input);
  while (path.has_relative_path() && !fs::exists(path / "config.yaml")) path = path.parent_path();
  if (!fs::exists(path / "config.yaml"))
    throw UserError(input + ": lies in no model folder, so its model is not known");
  return path;
}

void average(const AverageArgs& args) {
  if (fs::exists(fs::path(args.output) / "config.yaml"))
    throw UserError(args.output + ": holds a model already; name a new folder");
  std::vector<std::string> files;
  for (const std::string& input : args.inputs) files.push_back(weights_file(input));
  const auto weights = train::average(files);
  const fs::path origin = folder_of(args.inputs.front());
  make_folder(args.output);
  for (const char* name : {"config.yaml", "joint.spm", "source.spm", "target.spm"})
    if (fs::exists(origin / name))
      write_atomic((fs::path(args.output) / name).string(), read_file((origin / name).string()));
  model::save_tensors({.tensors = weights, .metadata = {}},
                      (fs::path(args.output) / "model.safetensors").string());
  log::info(args.output + ": mean of " + std::to_string(files.size()) + " sets of weights");
}

}  // namespace

void add_average(CommandLine& program) {
  auto args = std::make_shared<AverageArgs>();
  CommandLine command = program.command("average", "Average the weights of checkpoints or models");
  command
      .option("inputs", args->inputs,
              "Model folders, best-*.safetensors or update-*.heed files of one architecture")
      .required();
  command.option("-o,--output", args->output, "Folder of the new model").required();
  command.examples({"heed average runs/x/checkpoints/best-*.safetensors -o runs/x-average",
                    "heed average runs/multi30k_quick/checkpoints/update-*.heed "
                    "-o runs/multi30k_quick-average"});
  command.run([args] { average(*args); });
}

}  // namespace heed
