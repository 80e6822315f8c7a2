// The three kinds of failure (docs/architecture.md): the user's mistake, the environment's, and
// ours.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

namespace heed {

/// The user's mistake: a bad key, a missing file, mismatched line counts. One line that names what
/// and where, and how to cure it. `heed` exits with 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The world failed: disk full, scorer missing, out of memory. `heed` exits with 1.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A broken promise inside heed. `heed` exits with 70 and asks for a report.
class Bug : public std::logic_error {
 public:
  explicit Bug(const std::string& what,
               std::source_location where = std::source_location::current())
      : std::logic_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                         ": " + what) {}
};

/// Throws Bug unless `condition` holds; on in every build. For what no input can cause.
inline void expect(bool condition, const char* what,
                   std::source_location where = std::source_location::current()) {
  if (!condition) throw Bug(what, where);
}

}  // namespace heed
