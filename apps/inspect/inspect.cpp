// heed inspect MODEL: what is in a model folder.
#include <iostream>
#include <memory>

#include "apps/commands.h"
#include "apps/inspect/report.h"
#include "config/io.h"

namespace heed {
namespace {

struct InspectArgs {
  std::string model;
  bool config = false, json = false;
};

void inspect(const InspectArgs& args) {
  const run::ModelReport report = run::read_report(args.model);
  if (args.config)
    std::cout << config::dump(report.config);
  else
    std::cout << (args.json ? report_json(report) : report_text(report));
}

}  // namespace

void add_inspect(CommandLine& program) {
  auto args = std::make_shared<InspectArgs>();
  CommandLine command = program.command(
      "inspect", "Show a model's modules, shapes, parameters, vocabulary, scores, settings");
  command.option("model", args->model, "Folder that `heed train` wrote").required();
  const Argument config =
      command.flag("--config", args->config, "Print the resolved configuration instead");
  command.flag("--json", args->json, "Print everything as JSON instead").excludes(config);
  command.examples(
      {"heed inspect runs/demo/bahdanau", "heed inspect runs/demo/transformer --json"});
  command.run([args] { inspect(*args); });
}

}  // namespace heed
