#include "apps/shared/command_line.h"

#include <CLI/CLI.hpp>
#include <map>

#include "base/strings.h"

namespace heed {

Argument& Argument::required() {
  option_->required();
  return *this;
}

Argument& Argument::shows_default() {
  option_->capture_default_str();
  return *this;
}

Argument& Argument::shows_default(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Argument& Argument::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Argument& Argument::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}

Argument& Argument::between(double low, double high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Argument& Argument::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Argument& Argument::word(const std::string& word, const std::string& value) {
  option_->transform(CLI::Transformer(std::map<std::string, std::string>{{word, value}}));
  return *this;
}

Argument& Argument::separated_by(char separator) {
  option_->delimiter(separator);
  return *this;
}

Argument& Argument::one_at_a_time() {
  option_->allow_extra_args(false);
  return *this;
}

Argument& Argument::needs(const Argument& other) {
  option_->needs(other.option_);
  return *this;
}

Argument& Argument::excludes(const Argument& other) {
  option_->excludes(other.option_);
  return *this;
}

CommandLine CommandLine::command(const std::string& name, const std::string& description) {
  return CommandLine(app_->add_subcommand(name, description));
}

CommandLine& CommandLine::group(const std::string& heading) {
  group_ = heading;
  return *this;
}

namespace {

/// Arguments told by their place are listed by CLI11 under a heading of their own.
template <class T>
Argument declare(CLI::App* app, const std::string& group, const std::string& names, T& value,
                 const std::string& help) {
  CLI::Option* option = app->add_option(names, value, help);
  if (!option->get_positional()) option->group(group);
  return Argument(option);
}

}  // namespace

Argument CommandLine::option(const std::string& names, std::string& value,
                             const std::string& help) {
  return declare(app_, group_, names, value, help);
}

Argument CommandLine::option(const std::string& names, int& value, const std::string& help) {
  return declare(app_, group_, names, value, help);
}

Argument CommandLine::option(const std::string& names, int64_t& value, const std::string& help) {
  return declare(app_, group_, names, value, help);
}

Argument CommandLine::option(const std::string& names, uint64_t& value, const std::string& help) {
  return declare(app_, group_, names, value, help);
}

Argument CommandLine::option(const std::string& names, double& value, const std::string& help) {
  return declare(app_, group_, names, value, help);
}

Argument CommandLine::option(const std::string& names, std::optional<int64_t>& value,
                             const std::string& help) {
  return declare(app_, group_, names, value, help);
}

Argument CommandLine::option(const std::string& names, std::optional<double>& value,
                             const std::string& help) {
  return declare(app_, group_, names, value, help);
}

Argument CommandLine::option(const std::string& names, std::vector<std::string>& value,
                             const std::string& help) {
  return declare(app_, group_, names, value, help);
}

Argument CommandLine::option(const std::string& names, std::vector<int64_t>& value,
                             const std::string& help) {
  return declare(app_, group_, names, value, help);
}

Argument CommandLine::flag(const std::string& names, bool& value, const std::string& help) {
  CLI::Option* option = app_->add_flag(names, value, help);
  option->group(group_);
  return Argument(option);
}

void CommandLine::examples(const std::vector<std::string>& lines) {
  app_->footer("Examples:\n  " + join(lines, "\n  "));
}

void CommandLine::run(std::function<void()> action) {
  app_->callback(std::move(action));
}

void CommandLine::require_command() {
  app_->require_subcommand(1);
}

}  // namespace heed
