// heed inspect MODEL: what is in a model folder.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "apps/commands.h"
#include "apps/inspect/model_report.h"
#include "config/io.h"

namespace heed {
namespace {

struct InspectArgs {
  std::string model;
  bool config = false, json = false;
};

void inspect(const InspectArgs& args) {
  const ModelReport report = read_report(args.model);
  if (args.config)
    std::cout << config::dump(report.config);
  else
    std::cout << (args.json ? report_json(report) : report_text(report));
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto args = std::make_shared<InspectArgs>();
  CLI::App* command = app.add_subcommand(
      "inspect", "What is in a model: modules, shapes, parameters, vocabulary, scores, settings");
  command->add_option("model", args->model, "Folder that `heed train` wrote")->required();
  CLI::Option* config =
      command->add_flag("--config", args->config, "Print the resolved configuration instead");
  command->add_flag("--json", args->json, "Print everything as JSON instead")->excludes(config);
  command->footer("Example:\n  heed inspect runs/demo/bahdanau");
  command->callback([args] { inspect(*args); });
}

}  // namespace heed
