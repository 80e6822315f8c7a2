// Commentary for people, on stderr and in a run's train.log. The product of a command goes to
// stdout and never passes here.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"

namespace heed::log {

enum class Level { debug = 1, info, warn };

/// Lines below `level` stay off the terminal. Files get at least `info`, whatever the terminal
/// shows.
void set_level(Level level);

/// `--quiet`: warnings and errors only, and no progress line.
void set_quiet();

/// The arguments with which another process of heed logs as much as this one: `--quiet`, or
/// `--log-level` and a level, or none.
std::vector<std::string> arguments();

void debug(const std::string& text);
void info(const std::string& text);
void warn(const std::string& text);
void error(const std::string& text);
/// The same with arguments of fmt::format(): info("{}: {} lines", path, count).
template <class First, class... More>
void debug(fmt::format_string<First, More...> format, First&& first, More&&... more) {
  debug(fmt::format(format, std::forward<First>(first), std::forward<More>(more)...));
}
template <class First, class... More>
void info(fmt::format_string<First, More...> format, First&& first, More&&... more) {
  info(fmt::format(format, std::forward<First>(first), std::forward<More>(more)...));
}
template <class First, class... More>
void warn(fmt::format_string<First, More...> format, First&& first, More&&... more) {
  warn(fmt::format(format, std::forward<First>(first), std::forward<More>(more)...));
}
template <class First, class... More>
void error(fmt::format_string<First, More...> format, First&& first, More&&... more) {
  error(fmt::format(format, std::forward<First>(first), std::forward<More>(more)...));
}

/// Logs an error to the files only, where stderr shows it in a form of its own.
void error_in_files(const std::string& text);

/// Sets the name of this process, for several that share a terminal: "rank 2: " then stands before
/// its lines.
void set_origin(const std::string& name);
/// The text before each line: "rank 2: ", or "".
const std::string& origin();

/// Copies every line from now on to the end of `path`, each one flushed. Throws Failure when it
/// cannot be opened.
void add_file(const std::string& path);

/// Stops copying to all files, closing them.
void close_files();

/// Whether progress() shows anything: stderr is a terminal, and set_quiet() was not called.
bool shows_progress();

/// Shows `text` as the last line of the terminal, in place of the progress line before; log lines
/// scroll by above it. Does nothing unless shows_progress().
void progress(const std::string& text);
/// Shows a line that is made anew for the terminal's columns each time it is drawn. Any thread that
/// logs may call `line`, which must not log.
void progress(std::function<std::string(int columns)> line);

/// Removes the progress line.
void clear_progress();

}  // namespace heed::log
