// heed config: check, explain and dump configurations.
#include "apps/shared/config.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "apps/commands.h"
#include "base/log.h"
#include "config/io.h"
#include "config/reference.h"

namespace heed {
namespace {

struct ConfigArgs {
  std::string file, explain;
  std::vector<std::string> settings;
  bool markdown = false, check = false;
};

void config_command(const ConfigArgs& args) {
  if (!args.explain.empty()) {
    std::cout << config::explain<Config>(args.explain);
  } else if (args.markdown) {
    std::cout << config::reference<Config>();
  } else if (args.file.empty()) {
    Config config;
    for (const std::string& setting : args.settings) config::set(config, setting);
    std::cout << config::dump_with_help(config);
  } else {
    const Config config = load_config(args.file, args.settings);
    if (args.check)
      log::info(args.file + ": valid");
    else
      std::cout << config::dump(config);
  }
}

}  // namespace

void add_config(CLI::App& app) {
  auto args = std::make_shared<ConfigArgs>();
  CLI::App* command = app.add_subcommand("config", "Check, explain and dump a configuration");
  command->add_option(
      "file", args->file,
      "Configuration to resolve and print; without one, every key with its default");
  command
      ->add_option("--set", args->settings, "Lay one key over the file, e.g. --set model.heads=4")
      ->allow_extra_args(false);
  command->add_flag("--check", args->check, "Only say whether the file is valid");
  command->add_option("--explain", args->explain,
                      "One key or section: type, default, what it may be, what it changes");
  command->add_flag("--markdown", args->markdown, "The whole reference, as in docs/config.md");
  command->footer(
      "Examples:\n  heed config configs/demo.yaml --set training.updates=100\n  heed config "
      "--explain training.schedule");
  command->callback([args] { config_command(*args); });
}

}  // namespace heed
