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

/// The arguments with which another heed shows what this one was told to: `--quiet`, or
/// `--log-level` and a level, or none.
std::vector<std::string> arguments();

void debug(const std::string& text);
void info(const std::string& text);
void warn(const std::string& text);
void error(const std::string& text);
/// The same of what fmt::format() takes: info("{}: {} lines", path, count).
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

/// An error in the files alone: where stderr says it in its own form.
void error_in_files(const std::string& text);

/// Whom lines come from where several processes share a terminal: "rank 2: " stands before them
/// then.
void set_origin(const std::string& name);
/// "rank 2: ", or "".
const std::string& origin();

/// Copies every line from now on to the end of `path`, each one flushed. Throws Failure when it
/// cannot be opened.
void add_file(const std::string& path);

/// Stops copying to all files, closing them.
void close_files();

/// Whether somebody sees what progress() shows: stderr is a terminal, and set_quiet() was not
/// called.
bool shows_progress();

/// Shows `text` as the last line of the terminal, in place of the progress line before; log lines
/// scroll by above it. Does nothing where nobody sees it.
void progress(const std::string& text);
/// A line that is made anew for the terminal's columns each time it is drawn. Called by any thread
/// that logs, and must not log.
void progress(std::function<std::string(int columns)> line);

/// Takes the progress line away.
void clear_progress();

}  // namespace heed::log
