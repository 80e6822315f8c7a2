// heed config: check, explain and dump configurations.

#include "model/description/config.h"

#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "apps/cli/libtorch.h"
#include "apps/commands.h"
#include "base/error.h"
#include "config/io.h"
#include "config/print.h"
#include "config/view.h"
#include "exchange/ctranslate2.h"
#include "exchange/marian_mt.h"
#include "exchange/marian_network.h"
#include "run/config.h"

namespace heed {
namespace {

struct ConfigArgs {
  std::string file, explain;
  std::vector<std::string> settings;
  bool markdown = false, check = false;
};

struct ExportFormat {
  const char* name;
  std::string (*missing)(const model::ModelConfig&);
};

constexpr ExportFormat kExportFormats[] = {
#define HEED_EXPORT(name, missing, help) {#name, missing},
#include "exchange/exports.def"
#undef HEED_EXPORT
};

/// Returns, for each format of `heed export` that not every model has, whether this one can.
std::string exports_of(const model::ModelConfig& model) {
  const auto line = [](const char* format, const std::string& missing) {
    return fmt::format("    {}  {}\n", format, missing.empty() ? "yes" : "no, " + missing);
  };
  std::string lines;
  for (const ExportFormat& format : kExportFormats)
    if (format.missing != nullptr) lines += line(format.name, format.missing(model));
  return "  export, of this configuration\n" + lines;
}

void config_command(const ConfigArgs& args) {
  if (args.check && args.file.empty())
    throw UserError("config --check: which configuration? As in `heed config my.yaml --check`");
  std::error_code none;
  if (run::Config keys; !args.file.empty() && !std::filesystem::exists(args.file, none) &&
                        config::find_field(config::view(keys), args.file) != nullptr)
    throw UserError(
        "config: no file '{0}'; it is a key, which `heed config --explain {0}` explains",
        args.file);
  if (!args.explain.empty()) {
    const std::string text = config::explain<run::Config>(args.explain);
    const bool of_model = text.starts_with("model");
    if (!of_model && !(args.file.empty() && args.settings.empty()))
      throw UserError(
          "config --explain {0}: a file and --set matter for `model` alone; leave them out, as in "
          "`heed config --explain {0}`",
          args.explain);
    const run::Config config = args.file.empty() ? run::with_settings({}, args.settings)
                                                 : run::load_config(args.file, args.settings);
    std::cout << text << (of_model ? exports_of(config.model) : "");
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
                  "Explain one key or section: type, default, allowed values, effect; of `model` "
                  "also which formats of heed export the configuration can have")
          .excludes({check});
  command.flag("--markdown", args->markdown, "Print the whole reference, as in docs/config.md")
      .excludes({file, settings, check, explain});
  command.examples({"heed config configs/demo.yaml --set training.updates=100",
                    "heed config --explain training.schedule"});
}

}  // namespace heed
