#include "apps/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "run/saved_config.h"
#include "text/tmx_lines.h"

namespace heed {

Argument& Argument::required() {
  option_->required();
  return *this;
}

Argument& Argument::shows_type(const std::string& word) {
  option_->type_name(word);
  return *this;
}

Argument& Argument::shows_default(const std::string& text) {
  option_->default_str(text);
  return *this;
}

// CLI11's own checks of ranges print the largest double with 300 digits.
Argument& Argument::expects(const std::string& range, const std::function<bool(double)>& holds) {
  option_->check(CLI::Validator(
      [range, holds](const std::string& text) -> std::string {
        const auto number = exact_number<double>(text);
        if (number && std::isfinite(*number) && holds(*number)) return "";
        return fmt::format("got '{}', expected {}", text, range);
      },
      ""));
  return *this;
}

Argument& Argument::positive() {
  return expects("a number above 0", [](double number) { return number > 0; });
}

Argument& Argument::not_negative() {
  return expects("a number from 0", [](double number) { return number >= 0; });
}

Argument& Argument::between(double low, double high) {
  return expects(fmt::format("{} to {}", low, high),
                 [=](double number) { return low <= number && number <= high; });
}

Argument& Argument::between(int64_t low, int64_t high) {
  return expects(fmt::format("a whole number from {} to {}", low, high), [=](double number) {
    return static_cast<double>(low) <= number && number <= static_cast<double>(high);
  });
}

Argument& Argument::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::Validator(
      [first = words.front()](const std::string& word) {
        return word.starts_with("--")
                   ? fmt::format("has no value before {}; write one there, such as {}", word, first)
                   : std::string();
      },
      ""));
  option_->check(CLI::IsMember(words));
  return *this;
}

Argument& Argument::word(const std::string& word, const std::string& value) {
  CLI::Transformer transformer(std::map<std::string, std::string>{{word, value}});
  option_->transform(transformer.description(""));
  option_->type_name(option_->get_type_name() + " or " + word);
  return *this;
}

Argument& Argument::needs(const Argument& other) {
  option_->needs(other.option_);
  return *this;
}

Argument& Argument::excludes(const std::vector<Argument>& others) {
  for (const Argument& other : others) option_->excludes(other.option_);
  return *this;
}

namespace {

/// CLI11's help page, with the options' groups in the order of their declaration and one blank line
/// between them. The group of --help, which is always declared first, comes last.
class HelpPage : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    std::vector<std::string> groups = app->get_groups();
    std::rotate(groups.begin(), groups.begin() + 1, groups.end());
    std::string page = make_description(app) + make_usage(app, std::move(name));
    page += make_positionals(app);
    for (const std::string& group : groups) {
      const auto options = app->get_options([&](const CLI::Option* option) {
        return option->nonpositional() && option->get_group() == group;
      });
      if (!group.empty() && !options.empty()) page += make_group(group, false, options);
    }
    return page + '\n' + make_footer(app);
  }
};

void require_harmless_outputs(const CLI::App& app, const std::vector<CLI::Option*>& outputs) {
  std::vector<std::string> named;
  for (const CLI::Option* option : app.get_options())
    if (std::ranges::find(outputs, option) == outputs.end())
      named.insert(named.end(), option->results().begin(), option->results().end());
  for (const CLI::Option* output : outputs)
    for (const std::string& path : output->results())
      if (path != "-") run::require_harmless(path, named);
}

/// Throws where an option that is a language names a file: other commands have options of the same
/// name for files.
void require_no_file(const CLI::App& app, const CLI::Option& option, const std::string& present) {
  std::error_code none;
  const std::string value = option.as<std::string>();
  if (!std::filesystem::exists(value, none)) return;
  const CLI::Option* const file = app.get_option_no_throw("file");
  throw UserError("{} --{}: '{}' is a file, and this option is a language ({}){}", app.get_name(),
                  option.get_lnames().at(0), one_line(value), present,
                  file == nullptr ? ""
                                  : fmt::format("; the text is the second argument: `heed {} MODEL "
                                                "{}`",
                                                app.get_name(), shell_path(value)));
}

}  // namespace

CommandLine CommandLine::command(const std::string& name, const std::string& description) {
  CLI::App* command = app_->add_subcommand(name, description);
  command->fallthrough();
  command->formatter(std::make_shared<HelpPage>());
  return CommandLine(command);
}

CommandLine& CommandLine::group(const std::string& heading) {
  group_ = heading;
  return *this;
}

namespace {

/// Returns what is wrong with a number as it was typed, or "". CLI11 would take 2.5 apart, and cut
/// 99999999999999999999.
template <class Number>
std::string number_fault(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && rest == end) return "";
  std::string fault = fmt::format("got '{}', expected ", one_line(text));
  if (std::is_floating_point_v<Number>) return fault + "a number";
  fault += "a whole number";
  const bool outside = error == std::errc::result_out_of_range && rest == end;
  return outside ? fmt::format("{} up to {}", fault, std::numeric_limits<Number>::max()) : fault;
}

template <class T>
struct Parsed {
  using Type = T;
};
template <class T>
struct Parsed<std::optional<T>> : Parsed<T> {};

}  // namespace

template <class Value>
Argument CommandLine::option(const std::string& names, Value& value, const std::string& help) {
  CLI::Option* option = app_->add_option(names, value, help);
  // Arguments told by their position are listed by CLI11 under a heading of their own.
  const bool by_name = !option->get_positional();
  if (by_name) option->group(group_);
  using One = typename Parsed<Value>::Type;
  if constexpr (std::is_arithmetic_v<One>)
    option->check(CLI::Validator(number_fault<One>, ""));
  else  // a variable of the shell may be unset, and commands take empty for not given
    option->check(CLI::Validator(
        [](const std::string& text) { return text.empty() ? "is empty; give it a value" : ""; },
        ""));
  if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    if (by_name) option->allow_extra_args(false);
    option->default_function([&value] { return join(value, ","); });
  }
  if (value != Value{}) option->capture_default_str();
  return Argument(option);
}

template Argument CommandLine::option(const std::string&, std::string&, const std::string&);
template Argument CommandLine::option(const std::string&, int&, const std::string&);
template Argument CommandLine::option(const std::string&, int64_t&, const std::string&);
template Argument CommandLine::option(const std::string&, double&, const std::string&);
template Argument CommandLine::option(const std::string&, std::optional<int64_t>&,
                                      const std::string&);
template Argument CommandLine::option(const std::string&, std::optional<double>&,
                                      const std::string&);
template Argument CommandLine::option(const std::string&, std::vector<std::string>&,
                                      const std::string&);

template <class Value>
Argument CommandLine::model(const std::string& names, Value& value, const std::string& help) {
  const Argument declared = option(names, value, help);
  app_->get_options().back()->transform(CLI::Validator(
      [](std::string& path) -> std::string {
        path = run::named_models(path);
        return "";
      },
      ""));
  return declared;
}

template Argument CommandLine::model(const std::string&, std::string&, const std::string&);
template Argument CommandLine::model(const std::string&, std::vector<std::string>&,
                                     const std::string&);

Argument CommandLine::list(const std::string& names, std::vector<std::string>& values,
                           const std::string& help) {
  const Argument declared = option(names, values, help);
  const auto trimmed = [](std::string& value) -> std::string {
    const std::string text(trim(value));
    if (!text.empty()) value = text;
    return "";
  };
  app_->get_options().back()->delimiter(',')->allow_extra_args()->transform(
      CLI::Validator(trimmed, ""));
  return declared;
}

Argument CommandLine::flag(const std::string& names, bool& value, const std::string& help) {
  CLI::Option* option = app_->add_flag(names, value, help);
  option->group(group_);
  return Argument(option);
}

Argument CommandLine::former_flag(const std::string& name, const std::string& present,
                                  bool& value) {
  CLI::Option* option = app_->add_flag(name, value);
  option->group("");
  former_->emplace_back(option, present);
  return Argument(option);
}

template <class Value>
Argument CommandLine::former_option(const std::string& name, const std::string& present,
                                    Value& value) {
  const std::string shown = std::exchange(group_, "");
  const Argument declared = option(name, value, "");
  group_ = shown;
  former_->emplace_back(app_->get_options().back(), present);
  return declared;
}

template Argument CommandLine::former_option(const std::string&, const std::string&, std::string&);
template Argument CommandLine::former_option(const std::string&, const std::string&, int64_t&);

void CommandLine::examples(const std::vector<std::string>& lines) {
  app_->footer("Examples:\n  " + join(lines, "\n  "));
}

template <class Value>
Argument CommandLine::input(const std::string& names, Value& value, const std::string& help) {
  const Argument declared = option(names, value, help).shows_type("FILE");
  inputs_->push_back(app_->get_options().back());
  return declared;
}

template Argument CommandLine::input(const std::string&, std::string&, const std::string&);
template Argument CommandLine::input(const std::string&, std::vector<std::string>&,
                                     const std::string&);

Argument CommandLine::output(const std::string& names, std::string& value,
                             const std::string& help) {
  const Argument declared = option(names, value, help).shows_type("FILE");
  outputs_->push_back(app_->get_options().back());
  return declared;
}

void CommandLine::run(std::function<void()> action) {
  app_->callback([app = app_, inputs = inputs_, outputs = outputs_, former = former_,
                  action = std::move(action)] {
    for (const auto& [option, present] : *former) {
      if (option->count() == 0) continue;
      const std::string name = option->get_lnames().at(0);
      if (present.ends_with("-language")) require_no_file(*app, *option, present);
      log::warn("{} --{}: the name of this option is {}", app->get_name(), name, present);
    }
    for (const CLI::Option* input : *inputs)
      for (const std::string& path : input->results())
        if (path != "-") text::require_text_file(path, "--" + input->get_lnames().at(0));
    require_harmless_outputs(*app, *outputs);
    action();
  });
}

}  // namespace heed
