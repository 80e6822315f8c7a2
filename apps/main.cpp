// heed COMMAND [options]: builds the command line from the table and turns every outcome into an
// exit code: 0 done, 1 the environment failed, 2 the user's mistake, 70 a bug.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/cli/libtorch.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/strings.h"
#include "config/suggest.h"

namespace heed {
namespace {

/// Groups of the help page.
enum class Group {
#define HEED_COMMAND_GROUP(group, heading) group,
#define HEED_COMMAND(group, name, libraries, description)
#include "apps/commands.def"
#undef HEED_COMMAND
#undef HEED_COMMAND_GROUP
};

const std::string kHeadings[] = {
#define HEED_COMMAND_GROUP(group, heading) heading,
#define HEED_COMMAND(group, name, libraries, description)
#include "apps/commands.def"
#undef HEED_COMMAND
#undef HEED_COMMAND_GROUP
};

struct Command {
  Group group;
  std::string name, description;
  void (*add)(CommandLine& program);  // null where heed-torch alone has it
};

/// In the order of the help page.
const Command kCommands[] = {
#define HEED_COMMAND_GROUP(group, heading)
#define HEED_COMMAND(group, name, libraries, description) \
  {Group::group, #name, description, add_##name},
#include "apps/commands.def"
#undef HEED_COMMAND
#undef HEED_COMMAND_GROUP
};

/// Names that commands of other programs have, or had here, and what does their work.
const std::pair<const char*, const char*> kOtherNames[] = {
    {"pronouns", "heed contrast --antecedents"},
    {"predict", "heed translate MODEL FILE"},
    {"decode", "heed translate MODEL FILE"},
    {"infer", "heed translate MODEL FILE"},
    {"interactive", "heed serve MODEL"},
    {"test", "heed evaluate MODEL"},
    {"eval", "heed evaluate MODEL"},
    {"bleu", "heed evaluate --hypothesis FILE --reference FILE"},
    {"compare", "heed lengths MODEL OTHER_MODEL"},
    {"finetune", "heed train CONFIG --set training.from=MODEL"},
    {"tune", "heed train CONFIG --set training.from=MODEL"},
    {"resume", "heed train MODEL --resume"},
    {"preprocess", "heed init SOURCE TARGET"},
    {"prepare", "heed init SOURCE TARGET"},
    {"tokenize", "heed vocab"},
    {"plot", "heed attention MODEL"},
    {"visualize", "heed attention MODEL"},
    {"convert", "heed import or heed export"},
    {"check", "heed doctor CONFIG, or heed config CONFIG --check"},
    {"list", "heed runs"}};

int report(const std::string& message, int code) {
  log::clear_progress();
  log::error_in_files(message);
  std::fflush(stdout);
  const std::string line = "heed: " + log::origin() + message + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
  return code;
}

/// Each line of standard output is one write, so that lines on standard error stand between them
/// where both go to one file. A write that fails is an exception at once, not after hours.
void open_output() {
  static char buffer[1 << 16];
  std::setvbuf(stdout, buffer, _IOLBF, sizeof buffer);
  std::cout.exceptions(std::ios::badbit);
}

void close_output() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) std::cout.setstate(std::ios::badbit);
}

std::string unknown_option(const std::string& extra, const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty())  // a former name has none
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  return fmt::format("unknown option '{}'{}", extra, config::did_you_mean(extra, flags));
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string unknown_command(const std::string& extra, const CLI::App& app) {
  std::string word = ascii_lower(extra);
  std::erase_if(word, [](char c) { return c == '-' || c == '_'; });
  for (const auto& [name, command] : kOtherNames)
    if (word == name) return fmt::format("{}: `{}` does this", one_line(extra), command);
  const std::string near = config::nearest(extra, commands_of(app));
  if (!near.empty())
    return fmt::format("unknown command '{}'; did you mean '{}'?", one_line(extra), near);
  return fmt::format("unknown command '{}'; `heed help` lists the commands", one_line(extra));
}

/// Returns the words of the command line with `help` and `version`, which people type as commands,
/// in the form of options: `heed help train` is `heed train --help`.
std::vector<std::string> with_options(std::vector<std::string> words) {
  if (words.size() < 2) return words;
  if (words[1] == "version" && words.size() == 2) words[1] = "--version";
  if (words[1] != "help") return words;
  words.erase(words.begin() + 1);
  words.push_back("--help");
  return words;
}

/// Why CLI11 refused the line, with the nearest flag or command where one was misspelt.
std::string explain(const CLI::ParseError& error, const CLI::App& app) {
  std::string message = error.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string where = chosen.empty() ? "" : command.get_name() + ": ";
  const std::string see =
      fmt::format("; see heed {}--help", chosen.empty() ? "" : command.get_name() + " ");
  // Commands leave what they do not know to the program.
  const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  const bool unexpected = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool lacks_command =
      chosen.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (extras.empty() || !(unexpected || lacks_command)) return where + message + see;
  if (extras.front().starts_with('-')) return where + unknown_option(extras.front(), command);
  if (lacks_command) return unknown_command(extras.front(), app);
  return fmt::format("{}unexpected argument '{}'{}", where, extras.front(), see);
}

/// Returns what is wrong with a list that has an empty part, or "". CLI11 leaves out such parts,
/// and of `--symbols , -o FILE` takes -o for a symbol.
std::string empty_part(const CLI::App& app, const std::vector<std::string>& words) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (std::ranges::count(words, command->get_name()) == 0) continue;
    for (const CLI::Option* option : command->get_options()) {
      const char separator = option->get_delimiter();
      for (std::size_t i = 0; separator != '\0' && i < words.size(); ++i)
        for (const std::string& name : option->get_lnames()) {
          const bool joined = words[i].starts_with("--" + name + "=");
          if (!joined && (words[i] != "--" + name || i + 1 == words.size())) continue;
          const std::string list = joined ? words[i].substr(name.size() + 3) : words[i + 1];
          if (!list.empty() && std::ranges::count(split(list, separator), "") > 0)
            return fmt::format("{}: --{}: '{}' has an empty part; leave it out",
                               command->get_name(), name, one_line(list));
        }
    }
  }
  return "";
}

int run_program(int argc, char** argv) {
  std::error_code gone;
  if (std::filesystem::current_path(gone).empty() && gone == std::errc::no_such_file_or_directory)
    // With LibTorch MKL would end the process, in words of its own.
    throw Failure("the working folder has been deleted; go to another one (cd)");
  const std::vector<std::string> words = with_options({argv, argv + argc});
  const auto chosen = std::ranges::find_first_of(words, kCommands, {}, {}, &Command::name);
  if (chosen != words.end() && !std::ranges::find(kCommands, *chosen, &Command::name)->add)
    libtorch();  // also for --help, and for what is wrong with the other words
  CLI::App app{"heed trains translators, translates, and shows what attention does.", "heed"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "heed " HEED_VERSION);
  std::string level = "info";
  bool quiet = false;
  app.add_flag("-q,--quiet", quiet, "Print warnings and errors only");
  app.add_option("--log-level", level, "debug, info, warn")
      ->check(CLI::IsMember({"debug", "info", "warn"}));
  app.parse_complete_callback([&] {
    log::set_level(level == "debug"  ? log::Level::debug
                   : level == "warn" ? log::Level::warn
                                     : log::Level::info);
    if (quiet) log::set_quiet();
  });

  CommandLine program(&app);
  for (const auto& [group, name, description, add] : kCommands) {
    add == nullptr ? void(program.command(name)) : add(program);
    app.get_subcommand(name)
        ->description(description)
        ->group(kHeadings[static_cast<std::size_t>(group)]);
  }
  // Last, or the commands would inherit it.
  app.footer(
      "`heed help COMMAND` explains a command and ends with two examples.\n"
      "To begin, try: heed init SOURCE TARGET");
  if (words.size() > 1 && !words[1].starts_with('-') &&
      std::ranges::count(commands_of(app), words[1]) == 0)
    return report(unknown_command(words[1], app), 2);
  if (words.size() == 1) {
    std::cerr << app.help();
    return 2;
  }
  if (const std::string fault = empty_part(app, words); !fault.empty()) return report(fault, 2);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));  // from the last one
    return 0;
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(explain(error, app), 2);
  }
}

/// Tells of the exception that is being handled; its exit code.
int report_exception() noexcept try {
  try {
    rethrow();
  } catch (const UserError& error) {
    return report(error.what(), 2);
  } catch (const Failure& error) {
    return report(error.what(), 1);
  } catch (const std::filesystem::filesystem_error& error) {
    return report(error.path1().string() + ": " + error.code().message(), 1);
  } catch (const std::ios::failure&) {
    return report("standard output: cannot write", 1);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again)
      return report(std::string("bug, please report it: ") + error.what(), 70);
    return report("out of memory, or of threads that this user may have (ulimit -v, ulimit -u)", 1);
  } catch (const std::bad_alloc&) {
    return report("out of memory; lower training.batch_size or decoding.batch_size", 1);
  } catch (const std::exception& error) {
    return report(std::string("bug, please report it: ") + error.what(), 70);
  }
} catch (...) {  // telling needs memory, too, unless the text is ready
  std::fputs("heed: out of memory\n", stderr);
  return 1;
}

/// A library's thread has nobody above it who catches, and a library that cannot start all of its
/// threads ends the process while the exception is on its way.
[[noreturn]] void end_of_a_thread() {
  static std::atomic_flag reported;
  if (reported.test_and_set())  // several threads may end at once; one of them reports
    for (;;) pause();
  if (std::current_exception()) std::_Exit(report_exception());
  if (std::uncaught_exceptions() > 0) try {
      std::_Exit(
          report("a library failed while it started threads: out of memory, or of threads "
                 "that this user may have (ulimit -v, ulimit -u)",
                 1));
    } catch (...) {
      std::_Exit(report_exception());
    }
  std::abort();
}

/// Ends the process with what it has written so far, and leaves its memory to the system. A return
/// from main would first take apart LibTorch's registry of operators, piece by piece: 0.1 s, a
/// third of what a short command takes.
[[noreturn]] void leave(int code) {
#ifdef HEED_SANITIZE
  std::exit(code);  // leaks are looked for at an orderly end
#else
  std::_Exit(code);
#endif
}

}  // namespace
}  // namespace heed

int main(int argc, char** argv) {
  heed::repair_inherited();
  std::set_terminate(heed::end_of_a_thread);
  int code = 0;
  try {
    heed::prepare_libtorch(argv);
    heed::open_output();
    code = heed::run_program(argc, argv);
    heed::close_output();
  } catch (...) {
    code = heed::report_exception();
  }
  heed::leave(code);
}
