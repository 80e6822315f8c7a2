// heed config: check, explain and dump configurations.
#include "run/config.h"

#include <iostream>

#include "apps/cli/libtorch.h"
#include "apps/commands.h"
#include "base/error.h"
#include "config/io.h"
#include "config/print.h"

namespace heed {
namespace {

struct ConfigArgs {
  std::string file, explain;
  std::vector<std::string> settings;
  bool markdown = false, check = false;
};

void config_command(const ConfigArgs& args) {
  if (args.check && args.file.empty())
    throw UserError("config --check: which configuration? As in `heed config my.yaml --check`");
  if (!args.explain.empty()) {
    std::cout << config::explain<run::Config>(args.explain);
  } else if (args.markdown) {
    std::cout << config::reference<run::Config>();
  } else if (args.file.empty()) {
    std::cout << config::dump_with_help(run::with_settings(run::Config(), args.settings));
  } else {
    if (args.check)
      libtorch().check(args.file, args.settings);
    else
      std::cout << config::dump(run::load_config(args.file, args.settings));
  }
}

}  // namespace

void add_config(CommandLine& program) {
  auto [command, args] = program.command("config", config_command);
  const Argument file =
      command.option("file", args->file,
                     "Configuration to resolve and print; without one, every key with its default");
  const Argument settings =
      command.option("--set", args->settings,
                     "Change one key of the file, e.g. --set model.heads=4; may be repeated");
  const Argument check = command.flag(
      "--check", args->check,
      "List all errors that would stop its training: files, lines, vocabulary, device, memory");
  const Argument explain =
      command
          .option("--explain", args->explain,
                  "Explain one key or section: type, default, allowed values, effect")
          .excludes({file, settings, check});
  command.flag("--markdown", args->markdown, "Print the whole reference, as in docs/config.md")
      .excludes({file, settings, check, explain});
  command.examples({"heed config configs/demo.yaml --set training.updates=100",
                    "heed config --explain training.schedule"});
}

}  // namespace heed
