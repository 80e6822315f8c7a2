// heed serve MODEL [MODEL]: a page to type in, and translations and attention for other programs.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/libtorch.h"
#include "apps/cli/options.h"
#include "apps/cli/shown_model.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/strings.h"
#include "data/languages.h"
#include "http/server.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/line_models.h"
#include "run/saved_config.h"
#include "serve/served_model.h"
#include "serve/service.h"

namespace heed {
namespace {

using std::chrono::milliseconds;

struct ServeArgs {
  std::string models, beside;  // each may be an ensemble
  std::string address = "127.0.0.1";
  int64_t port = 8000, queue = 1000, seconds = 30, connections = 256, kilobytes = 1024;
  std::vector<std::string> names, origins;
  ModelOptions common;
};

/// "transformer", or "transformer+bahdanau" of an ensemble.
std::string name_of(const std::string& paths) {
  std::vector<std::string> names;
  for (const std::string& path : run::model_paths(paths)) names.push_back(folder_name(path));
  return join(names, "+");
}

serve::ServedModel served(const run::LineModels& models, const std::string& name,
                          const std::string& paths) {
  const data::LanguagePair languages = shown_languages(models.config);
  return {shown_model(name, run::model_paths(paths).front(), models.config),
          languages.source,
          languages.target,
          models.translator,
          run::usual_choice(models.config).reads,
          models.config.model,
          run::placing_choice(models)};
}

/// The options of the second model, which the languages of the first may not fit.
run::OpenOptions options_beside(const ServeArgs& args) {
  ModelOptions common = args.common;
  const std::string path = run::model_paths(args.beside).front();
  const run::Config own = run::open_config(path, {.settings = common.settings}).config;
  common.languages = common.languages.fitting(own);
  run::OpenOptions options = common.open();
  options.release_files = true;
  return options;
}

void serve_models(const ServeArgs& args) {
  run::OpenOptions options = args.common.open();
  options.release_files = true;  // a new model may be copied over the served one
  prepare_models(args.models, options);
  run::OpenOptions others;  // of the second model
  if (!args.beside.empty()) {
    others = options_beside(args);
    prepare_models(args.beside, others);
  }
  const bool alike = name_of(args.models) == name_of(args.beside);
  const auto name = [&](const std::string& paths) { return alike ? paths : name_of(paths); };
  const run::LineModels first = open_line_models(args.models, options);
  const int64_t threads = run::threads_of(first.config);
  std::vector<serve::ServedModel> models = {served(first, name(args.models), args.models)};
  if (!args.beside.empty()) {
    // All compute with the threads of the first one's configuration, as in an ensemble.
    others.settings.push_back("threads=" + std::to_string(threads));
    const run::LineModels second = open_line_models(args.beside, others);
    models.push_back(served(second, name(args.beside), args.beside));
    if (models[0].name == models[1].name) throw UserError("serve: {} is named twice", args.models);
  }
  std::vector<std::string> unnamed;
  for (const serve::ServedModel& model : models)
    if (!model.names_its_languages()) unnamed.push_back(model.name);
  serve::Service service(
      std::move(models),
      {.queue = args.queue, .patience = std::chrono::seconds(args.seconds), .threads = threads});
  signals::install();
  http::Server server(
      {.address = args.address,
       .port = static_cast<uint16_t>(args.port),
       .body = static_cast<std::size_t>(args.kilobytes) << 10,
       .connections = static_cast<unsigned>(args.connections),
       .names = args.names,
       .origins = args.origins,
       .finished = [&](const http::FinishedRequest& about) { service.note(about); }},
      service.routes());
  std::cout << server.url() << std::endl;  // for whoever started it and waits
  log::info("serving {}{} at {}; Ctrl-C ends it", args.models,
            args.beside.empty() ? "" : " and " + args.beside, server.url());
  for (const std::string& model : unnamed)
    log::warn(
        "{}: its files do not say its languages, so that clients that ask for de or en get 400; "
        "--source-language and --target-language name them",
        model);
  while (!signals::interrupted()) service.work(milliseconds(50));

  // Requests that were accepted are answered.
  service.drain();
  server.drain();
  const std::size_t left = server.pending();
  if (left > 0) log::info("ending; first " + counted(static_cast<int64_t>(left), "answer"));
  const auto most = std::chrono::steady_clock::now() + std::chrono::seconds(args.seconds);
  while (server.pending() > 0 && std::chrono::steady_clock::now() < most)
    service.work(milliseconds(5));
}

}  // namespace

void add_serve(CommandLine& program) {
  auto [command, args] = program.command("serve", serve_models);
  add_models(command, args->models);
  command.option("beside", args->beside, "A second model, shown beside the first on the page");
  command.group("Where");
  command.option("--port", args->port, "Port; 0: any that is free").between(0, 65535);
  command.option(
      "--address", args->address,
      "Address to listen at: 127.0.0.1 is for this machine only, 0.0.0.0 for the network");
  command.option(
      "--name", args->names,
      "At 127.0.0.1: another name than localhost to answer to, such as a proxy's; may be repeated");
  command.option("--allow-origin", args->origins,
                 "Sites whose pages may send requests, e.g. https://example.org, or * for all; may "
                 "be repeated");
  command.group("Limits");
  command.option("--queue", args->queue, "Lines that may wait; then clients get 429")
      .between(1, 1000000);
  command.option("--timeout", args->seconds, "Seconds that a request may take; then it gets 503")
      .between(1, 3600);
  command.option("--max-body", args->kilobytes, "KiB of a request; a larger one gets 413")
      .between(1, 1 << 20);
  command.option("--connections", args->connections, "Clients connected at once; others wait")
      .between(1, 10000);
  args->common.add(command);
  args->common.languages.add_former(command);
  command.examples({"heed serve runs/multi30k_transformer",
                    "heed serve runs/multi30k_transformer runs/multi30k_bahdanau --port 8080"});
}

}  // namespace heed
