// Declares the arguments of a command. Only the .cpp file includes CLI11, which so is compiled
// once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heed {

/// One declared argument; the functions state what its value may be.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument& required();
  /// The help shows this word, such as FOLDER, in place of the kind of the value.
  Argument& shows_type(const std::string& word);
  /// The help shows this text as the default, and none where it is empty.
  Argument& shows_default(const std::string& text);
  Argument& positive();
  Argument& not_negative();
  Argument& between(double low, double high);
  Argument& between(int64_t low, int64_t high);
  Argument& between(int low, int high) { return between(int64_t{low}, int64_t{high}); }
  Argument& one_of(const std::vector<std::string>& words);
  /// `word` means `value`: a name for a special number.
  Argument& word(const std::string& word, const std::string& value);
  Argument& needs(const Argument& other);
  Argument& excludes(const std::vector<Argument>& others);

 private:
  Argument& expects(const std::string& range, const std::function<bool(double)>& holds);

  CLI::Option* option_;
};

template <class Values>
struct Declared;

/// The arguments of one command, or of the program.
class CommandLine {
 public:
  explicit CommandLine(CLI::App* app) : app_(app) {}

  /// Adds a command. Options that it does not know itself may be those of the program: `heed train
  /// x.yaml --quiet`. For a command of the program the description is in apps/commands.def.
  CommandLine command(const std::string& name, const std::string& description = "");

  /// Adds a command with the function that it runs once its arguments are read, and an object for
  /// their values.
  template <class Args>
  Declared<std::remove_cvref_t<Args>> command(const std::string& name, void (*action)(Args),
                                              const std::string& description = "");

  /// The arguments declared from here on stand under this heading of the help.
  CommandLine& group(const std::string& heading);

  /// `names` as "-o,--output", or "model" for one that is told by its position. An empty text, as
  /// in
  /// `--output ''`, is a mistake. The help shows the value that the variable has, unless that is
  /// empty or 0. `Value`: std::string, int, int64_t, double, std::optional of the last two, or a
  /// std::vector of std::string, which has one value each time the option is given.
  template <class Value>
  Argument option(const std::string& names, Value& value, const std::string& help);
  /// The folder of a model, or several with commas between them. The name of a run alone is that of
  /// runs/NAME, where no such folder is here. `Value`: std::string, or a std::vector of it.
  template <class Value>
  Argument model(const std::string& names, Value& value, const std::string& help);
  /// Declares an option with several values in one, separated by commas.
  Argument list(const std::string& names, std::vector<std::string>& values,
                const std::string& help);
  Argument flag(const std::string& names, bool& value, const std::string& help);
  /// Declares the name that the flag `present` had before. The help does not show it; who gives it
  /// is told of the present one.
  Argument former_flag(const std::string& name, const std::string& present, bool& value);
  /// The same of an option with a value.
  template <class Value>
  Argument former_option(const std::string& name, const std::string& present, Value& value);
  /// A FILE that the command reads, or - for standard input. Before the command runs, one that is
  /// not there or cannot be read is named with its option. `Value`: std::string, or a std::vector
  /// of it.
  template <class Value>
  Argument input(const std::string& names, Value& value, const std::string& help);
  /// A FILE that the command writes, or - for standard output. Before the command runs, one that
  /// it may not replace is refused (run/saved_config.h), with all other arguments as what it may
  /// read.
  Argument output(const std::string& names, std::string& value, const std::string& help);
  /// A FOLDER into which the command writes.
  Argument output_folder(const std::string& names, std::string& value, const std::string& help) {
    return option(names, value, help).shows_type("FOLDER");
  }

  /// The end of the help: lines as one would type them.
  void examples(const std::vector<std::string>& lines);
  /// Sets the function that the command runs once its arguments are read.
  void run(std::function<void()> action);

 private:
  CLI::App* app_;
  std::string group_ = "Options";
  // Shared, because the action of run() outlives this.
  std::shared_ptr<std::vector<CLI::Option*>> inputs_ =
      std::make_shared<std::vector<CLI::Option*>>();
  std::shared_ptr<std::vector<CLI::Option*>> outputs_ =
      std::make_shared<std::vector<CLI::Option*>>();
  std::shared_ptr<std::vector<std::pair<CLI::Option*, std::string>>> former_ =
      std::make_shared<std::vector<std::pair<CLI::Option*, std::string>>>();  // and present names
};

/// A command and the values of its arguments.
template <class Values>
struct Declared {
  CommandLine command;
  std::shared_ptr<Values> values = std::make_shared<Values>();
};

template <class Args>
Declared<std::remove_cvref_t<Args>> CommandLine::command(const std::string& name,
                                                         void (*action)(Args),
                                                         const std::string& description) {
  Declared<std::remove_cvref_t<Args>> declared{command(name, description)};
  declared.command.run([values = declared.values, action] { action(*values); });
  return declared;
}

/// Returns the values of an option, each once, in the order of their first mention.
template <class Value>
std::vector<Value> without_repeats(const std::vector<Value>& values) {
  std::vector<Value> out;
  for (const Value& value : values)
    if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
  return out;
}

}  // namespace heed
