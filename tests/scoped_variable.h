// A variable of the environment that has another value as long as an object lives.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace heed {

class ScopedVariable {
 public:
  /// An empty value takes the variable away.
  ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    set(value.empty() ? std::nullopt : std::optional(value));
  }
  ~ScopedVariable() { set(before_); }
  ScopedVariable& operator=(ScopedVariable&&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    value ? ::setenv(name_.c_str(), value->c_str(), /*replace=*/1) : ::unsetenv(name_.c_str());
  }

  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace heed
