// heed watch [RUN...]: runs in a browser while they train.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "apps/commands.h"
#include "base/error.h"
#include "base/log.h"
#include "base/shell_names.h"
#include "base/signals.h"
#include "base/strings.h"
#include "draw/pages.h"
#include "http/message.h"
#include "http/server.h"
#include "run/learning.h"

namespace heed {
namespace {

struct WatchArgs {
  std::vector<std::string> folders = {"runs"};
  int64_t port = 8000;
  bool json = false;
};

http::Response validation_of(const run::Feed& feed, const http::Request& request) {
  const auto run = http::find(request.query, "run"), text = http::find(request.query, "update");
  const auto update = exact_number<int64_t>(text.value_or(""));
  if (!run || !update || *update < 0) return http::error(400, "run and update are needed");
  const auto found = feed.validation(*run, *update);
  if (!found) return http::error(404, "no such run, or no such validation");
  return {.body = *found};
}

void watch(const WatchArgs& args) {
  for (const std::string& folder : args.folders) {
    if (std::filesystem::is_directory(folder)) continue;
    if (args.json || std::filesystem::exists(folder))
      throw UserError(
          "watch: no folder '{}'; name a run's folder, or the one that your runs are in{}", folder,
          shell_hint(folder));
    log::info("no folder '{}' yet; its runs are shown once it is there{}", folder,
              shell_hint(folder));
  }
  run::Feed feed(args.folders);
  if (args.json) {
    std::cout << feed.snapshot() << '\n';
    return;
  }
  signals::install();
  // All answers are given by the server's one thread.
  const http::Server server(
      {.port = static_cast<uint16_t>(args.port)},
      {{"GET", "/",
        [page = draw::watch_page()](const http::Request&, const http::Reply& reply) {
          reply.send({.type = "text/html; charset=utf-8", .body = page});
        }},
       {"GET", "/snapshot.json",
        [&feed](const http::Request&, const http::Reply& reply) {
          reply.send({.body = feed.snapshot()});
        }},
       {"GET", "/validation.json", [&feed](const http::Request& request, const http::Reply& reply) {
          reply.send(validation_of(feed, request));
        }}});
  log::info(server.url() + " shows the runs; Ctrl-C ends it");
  while (!signals::interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace

void add_watch(CommandLine& program) {
  auto [command, args] = program.command("watch", watch);
  command.option("runs", args->folders,
                 "Folders of runs, or folders that contain runs; a folder may appear later");
  command.group("Output");
  command.option("--port", args->port, "Port of this machine's loopback interface; 0: any")
      .between(0, 65535);
  command.flag("--json", args->json, "Print the data of the page once instead of serving it");
  command.examples({"heed watch", "heed watch runs/demo runs/multi30k_quick --port 8080"});
}

}  // namespace heed
