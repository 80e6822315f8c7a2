// heed export MODEL: a model for other programs, or as a page that needs none.
#include <string>
#include <vector>

#include "apps/cli/command_line.h"
#include "apps/commands.h"
#include "apps/export/export_formats.h"
#include "base/error.h"
#include "base/strings.h"

namespace heed {
namespace {

struct Format {
  const char *name, *help;
  void (*write)(const ExportArgs& args);
};

constexpr Format kFormats[] = {
#define HEED_EXPORT(name, missing, help) {#name, help, export_##name},
#include "exchange/exports.def"
#undef HEED_EXPORT
};

void export_model(const ExportArgs& args) {
  for (const Format& format : kFormats)
    if (args.format == format.name) return format.write(args);
}

}  // namespace

void add_export(CommandLine& program) {
  std::vector<std::string> names, helps;
  for (const Format& format : kFormats) {
    names.emplace_back(format.name);
    helps.push_back(fmt::format("{} ({})", format.name, format.help));
  }
  auto [command, args] = program.command("export", export_model);
  command.model("model", args->model, "Folder that `heed train` wrote").required();
  command.option("beside", args->beside, "web: a second model, shown beside the first");
  command
      .option("--format", args->format,
              "The program to convert the model for: " + join(helps, ", "))
      .one_of(names);
  command.input("--lines", args->lines,
                "bergamot: source lines that the model translates, up to 1,000, to measure the "
                "ranges of its numbers in 8 bits");
  command
      .output_folder("-o,--output", args->output,
                     "For the exported model; web: NAME.html is the page, a folder gets index.html")
      .required();
  command.option(
      "--set", args->settings,
      "Change one key of the model's configuration, e.g. --set decoding.beam_size=1; may "
      "be repeated");
  command.group("Languages");
  args->languages.add(command);
  args->languages.add_former(command);
  command.examples({"heed export runs/opus_like --format huggingface -o opus_like-marian",
                    "heed export runs/multi30k_quick --format web -o translate.html"});
}

}  // namespace heed
