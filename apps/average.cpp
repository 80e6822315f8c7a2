// heed average: the mean of several sets of weights, as a model folder.

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "apps/commands.h"
#include "base/error.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "config/differences.h"
#include "model/description/config.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/model_folder.h"
#include "run/saved_config.h"
#include "text/vocabulary.h"
#include "train/checkpoint.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct AverageArgs {
  std::vector<std::string> inputs;
  std::string output;
};

/// The model folder that `input` is or lies in: checkpoints/x.heed belongs to the folder above.
std::string folder_of(const std::string& input) {
  fs::path path = fs::absolute(input);
  while (path.has_relative_path() && !fs::exists(path / kConfigFile)) path = path.parent_path();
  if (!fs::exists(path / kConfigFile))
    throw UserError(input + ": lies in no model folder, so its model is not known");
  return path.string();
}

/// Whether it changes what a network of `config` computes.
bool matters(const config::Difference& one, const run::Config& config) {
  constexpr std::string_view kSection = "model.";
  return one.path.starts_with(kSection) &&
         model::changes_result(one.path.substr(kSection.size()), config.model);
}

/// Throws UserError unless `input` has the network and the vocabularies of `first`: weights of
/// another model may have the same names and shapes.
void require_same_model(const std::string& first, const std::string& input) {
  const std::string one = folder_of(first), other = folder_of(input);
  if (one == other) return;
  const run::Config a = run::saved_config(one), b = run::saved_config(other);
  const auto differences = config::differences(a, b);
  const auto found = std::ranges::find_if(
      differences, [&](const config::Difference& one) { return matters(one, a); });
  if (found != differences.end())
    throw UserError(
        "{}: is another model than {}, {} is {} and not {}; average weights of one architecture",
        input, first, found->path, found->after, found->before);
  const run::Vocabularies of_a = run::load_vocabularies(one, run::is_joint(a)),
                          of_b = run::load_vocabularies(other, run::is_joint(b));
  const auto require = [&](const std::string& side, const text::Vocabulary& x,
                           const text::Vocabulary& y) {
    run::require_same_pieces(
        side, {input, y}, {first, x},
        fmt::format("name the same one in data.vocabulary.{} of both runs", side));
  };
  require("source", of_a.source, of_b.source);
  require("target", of_a.target, of_b.target);
}

void average(const AverageArgs& args) {
  run::require_no_model(args.output);
  std::vector<std::string> files;
  for (const std::string& input : args.inputs) {
    require_same_model(args.inputs.front(), input);
    files.push_back(fs::is_directory(input) ? file_in(input, kWeightsFile) : input);
    run::require_bound(files.back(), folder_of(input));
  }
  const std::string origin = folder_of(args.inputs.front());
  const run::Config config = run::saved_config(origin);
  run::write_model(run::load_vocabularies(origin, run::is_joint(config)), config,
                   train::average(files), args.output);
  log::info("{}: mean of {} sets of weights", args.output, files.size());
}

}  // namespace

void add_average(CommandLine& program) {
  auto [command, args] = program.command("average", average);
  command
      .option("inputs", args->inputs,
              "Model folders, best-*.safetensors or update-*.heed files of one architecture")
      .required();
  command.output_folder("-o,--output", args->output, "Folder of the new model").required();
  command.examples({"heed average runs/x/checkpoints/best-*.safetensors -o runs/x-average",
                    "heed average runs/multi30k_quick/checkpoints/update-*.heed "
                    "-o runs/multi30k_quick-average"});
}

}  // namespace heed
