// heed COMMAND [options]: builds the command line from the table and turns every outcome into an
// exit code: 0 done, 1 the environment failed, 2 the user's mistake, 70 a bug.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstddef>
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
#include "config/view.h"
#include "run/config.h"

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

/// Names that commands of other programs have, or had here, and what does their work. Words in
/// capitals stand for the arguments that were given, where there are as many of them.
const std::pair<const char*, const char*> kOtherNames[] = {
    {"benchmark", "`heed-bench translate MODEL FILE`"},
    {"bleu", "`heed evaluate --hypothesis FILE --reference FILE`"},
    {"bpe", "`heed vocab FILE -o NAME.model --algorithm bpe`"},
    {"check", "`heed doctor CONFIG` or `heed config CONFIG --check`"},
    {"compare", "`heed lengths MODEL OTHER_MODEL`"},
    {"continue", "`heed train MODEL --resume`"},
    {"convert", "`heed import` or `heed export`"},
    {"create", "`heed init SOURCE TARGET`"},
    {"delete", "`rm -r RUN`"},
    {"decode", "`heed translate MODEL FILE`"},
    {"eval", "`heed evaluate MODEL`"},
    {"explain", "`heed config --explain KEY`"},
    {"filter", "`heed clean SOURCE TARGET --remove all -o cleaned`"},
    {"finetune", "`heed init SOURCE TARGET --from MODEL`"},
    {"fit", "`heed train CONFIG`"},
    {"generate", "`heed translate MODEL FILE`"},
    {"infer", "`heed translate MODEL FILE`"},
    {"info", "`heed inspect MODEL`"},
    {"interactive", "`heed serve MODEL`"},
    {"learn", "`heed train CONFIG`"},
    {"list", "`heed runs`"},
    {"ls", "`heed runs`"},
    {"new", "`heed init SOURCE TARGET`"},
    {"plot", "`heed runs --curves MODEL` (a training) or `heed attention MODEL --text TEXT`"},
    {"predict", "`heed translate MODEL FILE`"},
    {"prepare", "`heed init SOURCE TARGET`"},
    {"preprocess", "`heed init SOURCE TARGET`"},
    {"pronouns", "`heed contrast --antecedents`"},
    {"quantize", "`heed translate MODEL FILE --set decoding.weights=int8`"},
    {"realign", "`heed clean SOURCE TARGET --realign -o realigned`"},
    {"resume", "`heed train MODEL --resume`"},
    {"rm", "`rm -r RUN`"},
    {"show", "`heed inspect MODEL`"},
    {"split", "`heed init SOURCE TARGET`"},
    {"spm", "`heed vocab FILE -o NAME.model`"},
    {"spmtrain", "`heed vocab FILE -o NAME.model`"},
    {"status", "`heed runs`"},
    {"tensorboard", "`heed train CONFIG --set training.tensorboard=true`"},
    {"test", "`heed evaluate MODEL`"},
    {"tokenize", "`heed vocab FILE -o NAME.model`"},
    {"tune", "`heed init SOURCE TARGET --from MODEL`"},
    {"validate", "`heed evaluate MODEL`"},
    {"web", "`heed serve MODEL`"},
    {"visualize", "`heed attention MODEL --text TEXT`"}};

/// Names that options of other programs or other commands have, without separators, and what does
/// their work: an option or an argument of the command, where it has it, or the whole of a text.
/// Those of keys of the configuration are in config/suggest.h.
const std::pair<const char*, const char*> kOtherOptions[] = {
    {"amp", "`--set precision=bf16`"},
    {"arch", "`--set model.type=transformer`"},
    {"b", "--beam"},
    {"bf16", "`--set precision=bf16`"},
    {"c", "config"},
    {"check", "`heed config CONFIG --check`"},
    {"checkpoint", "model"},
    {"continue", "--resume"},
    {"cpu", "--device"},
    {"cpu", "`--set device=cpu`"},
    {"cuda", "--device"},
    {"cuda", "`--set device=cuda`"},
    {"dryrun", "`heed config CONFIG --check`"},
    {"finetunefrommodel", "--from"},
    {"force", "--overwrite"},
    {"fp16", "`--set precision=bf16`"},
    {"gpu", "--device"},
    {"gpu", "`--set device=cuda`"},
    {"gpus", "--device"},
    {"gpus", "--ranks"},
    {"i", "file"},
    {"input", "file"},
    {"m", "model"},
    {"model", "`--set training.from=RUN` (to begin with its weights) or `--set output=FOLDER`"},
    {"numbeams", "--beam"},
    {"o", "`--set output=FOLDER`"},
    {"overwrite", "--force"},
    {"restart", "--overwrite"},
    {"source", "--text"},
    {"src", "file"},
    {"src", "--text"},
    {"test", "`--set data.test.source=FILE --set data.test.target=FILE`"},
    {"train", "`--set data.train.source=FILE --set data.train.target=FILE`"},
    {"v", "--version"},
    {"valid", "`--set data.valid.source=FILE --set data.valid.target=FILE`"},
    {"verbose", "--log-level"},
    {"worldsize", "--ranks"}};

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

bool is_option(const std::string& word) {
  return word.starts_with('-') && word != "-";
}

/// The name of an option without dashes, without separators and in lower case.
std::string folded_name(const std::string& option) {
  return config::folded(option.substr(0, option.find('=')));
}

/// The value that was given with an unknown option, or `otherwise`.
std::string value_of(const std::string& option, const std::vector<std::string>& words,
                     const std::string& otherwise) {
  if (const std::size_t equals = option.find('='); equals != option.npos)
    return option.substr(equals + 1);
  const auto found = std::ranges::find(words, option);
  if (found == words.end() || found + 1 == words.end() || found[1].starts_with("--"))
    return otherwise;
  return found[1];
}

/// The command with its arguments that have no name: "heed init SOURCE TARGET".
std::string usage_of(const CLI::App& command) {
  std::string usage = "heed " + command.get_name();
  for (const CLI::Option* option : command.get_options())
    if (!option->nonpositional())
      for (const char c : " " + option->get_name())
        usage.push_back(c >= 'a' && c <= 'z' ? c - 32 : c);
  return usage;
}

/// Whether the command takes settings of a whole configuration, and not of translations alone.
bool takes_config(const CLI::App& command) {
  return command.get_option_no_throw("config") != nullptr || command.get_name() == "config";
}

/// "`--set KEY=VALUE` does this" for an option that is a key of the configuration, by its name here
/// or in other trainers; "" where the command takes no such setting.
std::string setting_of(const std::string& option, const CLI::App& command,
                       const std::vector<std::string>& words) {
  if (command.get_option_no_throw("--set") == nullptr) return "";
  run::Config config;
  const std::string name = option.substr(option.find_first_not_of('-'));
  const std::string key = config::key_named(
      name.substr(0, name.find('=')), config::view(config), [&](const std::string& path) {
        return takes_config(command) || path == "threads" || path.starts_with("decoding.");
      });
  if (key.empty()) return "";
  const char* condition =
      key == "training.epochs"             ? ", unless training.updates ends the training before"
      : key == "decoding.max_length_ratio" ? ", as a multiple of the pieces of a source"
      : key == "decoding.sampling.temperature" ? ", beside --sample"
                                               : "";
  return fmt::format("`--set {}={}` does this{}", key, shell_word(value_of(option, words, "VALUE")),
                     condition);
}

/// What does the work of an option of another name, or "".
std::string other_option(const std::string& option, const CLI::App& command) {
  for (const auto& [name, cure] : kOtherOptions) {
    if (folded_name(option) != name) continue;
    const std::string text = cure;
    if (text.starts_with('`')) {
      const bool is_here = command.get_option_no_throw("--set") != nullptr && takes_config(command);
      if (is_here) return "; " + text + " does this";
    } else if (command.get_option_no_throw(text) != nullptr) {
      return text.starts_with("--")
                 ? fmt::format("; did you mean '{}'?", text)
                 : fmt::format("; it has no name before it: `{}`", usage_of(command));
    }
  }
  return "";
}

std::string cure_of_option(const std::string& extra, const CLI::App& command,
                           const std::vector<std::string>& words) {
  std::vector<std::string> flags, arguments;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->nonpositional()) arguments.push_back(option->get_name());
    if (!option->get_group().empty())  // a former name has none
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  const std::string name = extra.substr(0, extra.find('='));
  if (const std::string other = other_option(extra, command); !other.empty()) return other;
  const std::string near = config::nearest(name, flags);
  if (!near.empty() && config::distance(name, near) <= 1)
    return fmt::format("; did you mean '{}'?", near);
  if (const std::string argument = config::nearest(name, arguments);
      !argument.empty() && config::distance(name, argument) <= 1)
    return fmt::format("; it has no name before it: `{}`", usage_of(command));
  if (const std::string setting = setting_of(extra, command, words); !setting.empty())
    return "; " + setting;
  return config::did_you_mean(name, flags);
}

std::string unknown_option(const std::string& extra, const CLI::App& command,
                           const std::vector<std::string>& words) {
  return fmt::format("unknown option '{}'{}", one_line(extra),
                     cure_of_option(extra, command, words));
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// Whether a configuration has such a key.
bool is_key(const std::string& path) {
  run::Config config;
  return config::find_field(config::view(config), path) != nullptr;
}

/// What was meant by an argument too many, or "".
std::string cure_of_argument(const std::string& extra, const CLI::App& command,
                             const std::vector<std::string>& words) {
  const auto at = std::ranges::find(words, extra);
  if (at - words.begin() >= 2 && at != words.end() && at[-2] == "--set" &&
      at[-1].find('=') == std::string::npos)
    return fmt::format("; write --set {}", shell_word(at[-1] + "=" + extra));
  if (command.get_option_no_throw("--set") != nullptr && is_key(extra.substr(0, extra.find('='))))
    return fmt::format("; write --set {}", shell_word(extra));
  std::error_code none;
  if (command.get_name() == "train" && at != words.end() &&
      std::filesystem::is_regular_file(at[-1], none) &&
      std::filesystem::is_regular_file(extra, none))
    return fmt::format(
        "; it trains by a configuration, which `heed init {} {}` writes for a corpus",
        shell_path(at[-1]), shell_path(extra));
  if (command.get_name() == "evaluate" && at != words.end() &&
      std::filesystem::is_regular_file(at[-1], none))
    return fmt::format("; to score a text: `heed evaluate --hypothesis {} --reference {}`",
                       shell_path(at[-1]), shell_path(extra));
  if (command.get_option_no_throw("--output") != nullptr && !std::filesystem::exists(extra, none))
    return fmt::format("; what it writes is named by -o {}", shell_path(extra));
  return "";
}

/// The text with the arguments in place of its words in capitals, where there are as many.
std::string with_arguments(const std::string& text, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = split(text, ' ');
  const auto is_place = [](const std::string& word) {
    return word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_`") == word.npos;
  };
  if (std::ranges::count_if(words, is_place) != std::ssize(arguments)) return text;
  std::size_t next = 0;
  for (std::string& word : words)
    if (is_place(word)) word = shell_path(arguments[next++]) + (word.ends_with('`') ? "`" : "");
  return join(words, " ");
}

std::string unknown_command(const std::string& extra, const CLI::App& app,
                            const std::vector<std::string>& words) {
  std::string word = config::folded(extra);
  if (word.ends_with("ise")) word[word.size() - 2] = 'z';  // tokenise
  const std::vector<std::string> given(std::ranges::find(words, extra), words.end());
  const std::vector<std::string> arguments(given.begin() + 1, given.end());
  const bool are_plain = std::ranges::none_of(
      arguments, [](const std::string& argument) { return argument.starts_with('-'); });
  for (const auto& [name, command] : kOtherNames)
    if (word == name)
      return fmt::format("{}: {} does this", one_line(extra),
                         are_plain ? with_arguments(command, arguments) : std::string(command));
  std::error_code none;
  const std::string near = config::nearest(extra, commands_of(app));
  if (!near.empty() && !std::filesystem::exists(extra, none))
    return fmt::format("unknown command '{}'; did you mean '{}'?", one_line(extra), near);
  if (std::filesystem::is_directory(extra, none))
    return fmt::format(
        "'{0}' is a folder, and no command; with a model in it: `heed translate {0} "
        "FILE`; `heed help` lists the commands",
        shell_path(extra));
  if (std::filesystem::exists(extra, none))
    return fmt::format("'{}' is a file, and no command; to train on a corpus: {}", one_line(extra),
                       with_arguments("`heed init SOURCE TARGET`",
                                      are_plain ? given : std::vector<std::string>{}));
  return fmt::format("unknown command '{}'; `heed help` lists the commands", one_line(extra));
}

/// Returns the words of the command line with `help` and `version`, which people type as commands,
/// in the form of options: `heed help train` is `heed train --help`.
std::vector<std::string> with_options(std::vector<std::string> words) {
  if (words.size() < 2) return words;
  if (words[1] == "version" && words.size() == 2) words[1] = "--version";
  if (words[1] != "help") return words;
  const std::size_t end = words.size() > 2 && words[2] == "help" ? 3 : 2;
  words.erase(words.begin() + 1, words.begin() + static_cast<std::ptrdiff_t>(end));
  if (words.size() > 2 && !words[2].starts_with('-'))
    throw UserError("help: unexpected argument '{}'; name one command", one_line(words[2]));
  words.push_back("--help");
  return words;
}

/// What CLI11 says of the error, in the words of this program.
std::string said(const CLI::ParseError& error) {
  std::string message = error.what();
  std::ranges::replace(message, '\n', ' ');
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return message;
  const std::string option = message.substr(0, message.find(':'));
  if (message.ends_with(" missing")) return option + ": has no value; write one after it";
  if (message.find(": At Most 1 ") != message.npos)
    return option + ": is given twice; give it once";
  return message;
}

/// Why CLI11 refused the line, with the nearest flag or command where one was misspelt.
std::string explain(const CLI::ParseError& error, const CLI::App& app,
                    const std::vector<std::string>& words) {
  const std::string message = said(error);
  const auto is_of_program = [&](const CLI::Option* option) {
    return message.starts_with(option->get_name() + ":") && option->get_name() != "--help";
  };
  const auto chosen = app.get_subcommands();
  const bool of_program = chosen.empty() || std::ranges::any_of(app.get_options(), is_of_program);
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string where = of_program ? "" : command.get_name() + ": ";
  const std::string see =
      fmt::format("; see heed {}--help", of_program ? "" : command.get_name() + " ");
  // Commands leave what they do not know to the program.
  const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  const bool unexpected = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool lacks_command =
      chosen.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  // Its value may be taken for another argument, which is refused first.
  const auto option =
      std::ranges::find_if(extras, [](const std::string& extra) { return is_option(extra); });
  if (option != extras.end()) return where + unknown_option(*option, command, words);
  if (extras.empty() && lacks_command) return "a command is required" + see;
  if (extras.empty() || !(unexpected || lacks_command)) return where + message + see;
  if (lacks_command) return unknown_command(extras.front(), app, words);
  const std::string cure = cure_of_argument(extras.front(), command, words);
  return fmt::format("{}unexpected argument '{}'{}", where, one_line(extras.front()),
                     cure.empty() ? see : cure);
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
    return report(unknown_command(words[1], app, words), 2);
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
    return report(explain(error, app, words), 2);
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
