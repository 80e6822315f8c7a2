// heed-bench COMMAND: what training, translating and attention cost on this machine. Its exit codes
// are those of heed.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "apps/cli/libtorch.h"
#include "base/error.h"
#include "base/log.h"
#include "base/signals.h"
#include "benchmarks/bench/bench.h"

namespace heed::bench {
namespace {

int report(const std::string& message, int code) {
  log::clear_progress();
  std::cerr << "heed-bench: " << message << '\n';
  return code;
}

int run_program(int argc, char** argv) {
  CLI::App app("What training, translating and attention cost on this machine.", "heed-bench");
  app.require_subcommand(1);
  bool quiet = false;
  app.add_flag("-q,--quiet", quiet, "Print warnings and errors only");
  app.parse_complete_callback([&] {
    log::set_level(log::Level::info);
    if (quiet) log::set_quiet();
  });
  CommandLine program(&app);
  add_train(program);
  add_translate(program);
  add_attention(program);
  add_sentences(program);
  add_tags(program);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return report(std::string(error.what()) + "; see heed-bench --help", 2);
  }
}

int report_exception() {
  try {
    rethrow();
  } catch (const UserError& error) {
    return report(error.what(), 2);
  } catch (const Failure& error) {
    return report(error.what(), 1);
  } catch (const std::exception& error) {
    return report(std::string("bug, please report it: ") + error.what(), 70);
  }
}

}  // namespace
}  // namespace heed::bench

int main(int argc, char** argv) {
  heed::repair_inherited();
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);  // a table stands between the lines of the log
  int code = 0;
  try {
    heed::prepare_libtorch(argv);
    code = heed::bench::run_program(argc, argv);
  } catch (...) {
    code = heed::bench::report_exception();
  }
  std::cout.flush();
  std::_Exit(code);  // as heed does, whose memory the system takes back sooner
}
