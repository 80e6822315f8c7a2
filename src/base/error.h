// The three kinds of failure (docs/architecture.md): the user's mistake, the environment's, and
// ours.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "base/format.h"

namespace heed {

/// The system's message for an errno.
inline std::string error_text(int number) {
  return std::generic_category().message(number);
}

/// An error whose message is given as it is, or as fmt::format() takes it: Kind("{}: {}", path,
/// what).
class FormattedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  template <class First, class... More>
  FormattedError(fmt::format_string<First, More...> format, First&& first, More&&... more)
      : std::runtime_error(
            fmt::format(format, std::forward<First>(first), std::forward<More>(more)...)) {}
};

/// The user's mistake: a bad key, a missing file, mismatched line counts. The message is one line
/// that names the mistake and its place, and how to cure it. `heed` exits with 2.
class UserError : public FormattedError {
 public:
  using FormattedError::FormattedError;
};

/// The world failed: disk full, scorer missing, out of memory. `heed` exits with 1.
class Failure : public FormattedError {
 public:
  using FormattedError::FormattedError;
};

/// A broken promise inside heed. `heed` exits with 70 and asks for a report.
class Bug : public std::logic_error {
 public:
  explicit Bug(const std::string& what,
               std::source_location where = std::source_location::current())
      // The text is not made by {fmt}, without which the rooms of plain loops are built for other
      // processors.
      : std::logic_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                         ": " + what) {}
};

/// Throws Bug unless `condition` holds; on in every build. For conditions that no input can break.
inline void expect(bool condition, const char* what,
                   std::source_location where = std::source_location::current()) {
  if (!condition) throw Bug(what, where);
}

}  // namespace heed
