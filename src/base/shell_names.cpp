#include "base/shell_names.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/error.h"

namespace heed {
namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_of_user(char c) {
  return is_of_name(c) || c == '-' || c == '.' || c == '+';
}

/// A name in a path that a shell replaces, and the text it becomes: nothing where heed does not
/// know.
struct Replaced {
  std::size_t at = 0, bytes = 0;
  std::optional<std::string> by;
};

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<Replaced> replaced_at(const std::string& path, std::size_t at) {
  const bool begins_part = at == 0 || path[at - 1] == '/';
  if (path[at] == '~' && at == 0) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end == 1) return Replaced{0, 1, variable("HOME")};
    // A file may be called ~name; the folder of a user has something in it.
    const bool is_user =
        end < path.size() && std::ranges::all_of(path.substr(1, end - 1), is_of_user);
    return is_user ? std::optional(Replaced{0, end, std::nullopt}) : std::nullopt;
  }
  if (path[at] != '$' || at + 1 == path.size()) return std::nullopt;
  const bool braces = path[at + 1] == '{';
  if (path[at + 1] == '(') {
    const std::size_t end = path.find(')', at);
    if (end == std::string::npos) return std::nullopt;
    return Replaced{at, end + 1 - at, std::nullopt};
  }
  const std::size_t begin = at + (braces ? 2 : 1);
  std::size_t end = begin;
  while (end < path.size() && is_of_name(path[end])) ++end;
  const bool is_name = end > begin && std::isdigit(static_cast<unsigned char>(path[begin])) == 0;
  if (!is_name || (braces && (end == path.size() || path[end] != '}'))) return std::nullopt;
  Replaced out{at, end + (braces ? 1 : 0) - at, variable(path.substr(begin, end - begin))};
  return begins_part || out.by ? std::optional(out) : std::nullopt;
}

}  // namespace

std::string shell_note(const std::string& path) {
  if (path.find_first_of("~$") == std::string::npos) return "";
  std::string expanded, first;
  bool known = true;
  std::size_t last = 0;
  for (std::size_t at = 0; at < path.size();) {
    const auto name = replaced_at(path, at);
    if (!name) {
      expanded += path[at++];
      continue;
    }
    if (first.empty()) first = path.substr(at, name->bytes);
    known = known && name->by;
    expanded += name->by.value_or("");
    last = at += name->bytes;
  }
  if (first.empty()) return "";
  std::error_code none;
  const std::string literal = path.substr(0, path.find('/', last));
  if (std::filesystem::exists(std::filesystem::symlink_status(literal, none))) return "";
  return fmt::format("only a shell replaces {}; write {}", first,
                     known ? expanded : "the path in full");
}

std::string shell_hint(const std::string& path) {
  const std::string note = shell_note(path);
  return note.empty() ? "" : "; " + note;
}

void require_expanded(const std::string& path) {
  const std::string note = shell_note(path);
  if (!note.empty()) throw UserError("{}: {}", path, note);
}

}  // namespace heed
