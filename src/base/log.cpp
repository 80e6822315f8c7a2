#include "base/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/dist_sink.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/error.h"

namespace heed::log {
namespace {

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

bool has_colours() {
  const char* refused = std::getenv("NO_COLOR");
  return is_terminal() && (refused == nullptr || *refused == '\0');
}

/// How many columns a line may have: one that reaches the last column would wrap and could not be
/// redrawn. The terminal is asked each time, because windows change.
int columns_of_terminal() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1 : 79;
}

/// `text` cut to so many columns, whole UTF-8 characters only.
std::string_view fitted(std::string_view text, int columns) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool starts_character = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (starts_character && columns-- == 0) break;
  }
  return text.substr(0, end);
}

/// The terminal on stderr, with a progress line below the log. One lock covers both, and each
/// change is one write.
class Terminal : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void progress(std::function<std::string(int)> line) {
    if (!shows_progress_ || !is_terminal()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    progress_ = std::move(line);
    write("\r\033[K" + drawn());
  }

  void clear_progress() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!progress_) return;
    progress_ = nullptr;
    write("\r\033[K");
  }

  void hide_progress() { shows_progress_ = false; }
  bool shows_progress() const { return shows_progress_; }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::string text = colour(message.level) + std::string(line.data(), line.size());
    if (text.front() == '\033') text.insert(text.size() - 1, "\033[0m");
    if (progress_) text = "\r\033[K" + text + drawn();
    write(text);
  }
  void flush_() override {}

 private:
  static std::string colour(spdlog::level::level_enum level) {
    if (!has_colours()) return "";
    if (level >= spdlog::level::err) return "\033[31m";
    if (level == spdlog::level::warn) return "\033[33m";
    return level == spdlog::level::debug ? "\033[2m" : "";
  }

  std::string drawn() const {
    const int columns = columns_of_terminal();
    return std::string(fitted(progress_(columns), columns));
  }

  static void write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

  std::atomic<bool> shows_progress_ = true;
  std::function<std::string(int)> progress_;
};

std::unique_ptr<spdlog::formatter> formatter(const std::string& time) {
  return std::make_unique<spdlog::pattern_formatter>("[" + time + "] %v");
}

struct Loggers {
  std::shared_ptr<Terminal> terminal = std::make_shared<Terminal>();
  std::shared_ptr<spdlog::sinks::dist_sink_mt> files =
      std::make_shared<spdlog::sinks::dist_sink_mt>();
  spdlog::logger logger{"heed", {terminal, files}}, files_alone{"heed", files};

  Loggers() {
    terminal->set_formatter(formatter("%H:%M:%S"));
    terminal->set_level(spdlog::level::info);
    files->set_level(spdlog::level::info);
    for (spdlog::logger* each : {&logger, &files_alone}) {
      each->set_level(spdlog::level::debug);
      each->flush_on(spdlog::level::debug);
      each->set_error_handler([](const std::string& what) {
        static std::atomic<bool> said = false;
        if (!said.exchange(true))
          std::fprintf(stderr, "warning: cannot write the log file: %s\n", what.c_str());
      });
    }
  }
};

Loggers& loggers() {
  static Loggers all;
  return all;
}

// Level has spdlog's numbers.
static_assert(static_cast<int>(Level::debug) == spdlog::level::debug &&
              static_cast<int>(Level::warn) == spdlog::level::warn);

std::string origin_text;

/// Logs a text: "warning: " or "error: " stands before it, or nothing.
void say(spdlog::level::level_enum level, const std::string& text) {
  const char* const kind = level == spdlog::level::err    ? "error: "
                           : level == spdlog::level::warn ? "warning: "
                                                          : "";
  loggers().logger.log(level, spdlog::string_view_t(kind + origin_text + text));
}

}  // namespace

void set_origin(const std::string& name) {
  origin_text = name + ": ";
}

const std::string& origin() {
  return origin_text;
}

void set_level(Level level) {
  const auto threshold = static_cast<spdlog::level::level_enum>(level);
  loggers().terminal->set_level(threshold);
  loggers().files->set_level(std::min(threshold, spdlog::level::info));
}

void set_quiet() {
  set_level(Level::warn);
  loggers().terminal->hide_progress();
}

std::vector<std::string> arguments() {
  const Terminal& terminal = *loggers().terminal;
  if (!terminal.shows_progress()) return {"--quiet"};
  if (terminal.level() == spdlog::level::debug) return {"--log-level", "debug"};
  if (terminal.level() == spdlog::level::warn) return {"--log-level", "warn"};
  return {};
}

void debug(const std::string& text) {
  say(spdlog::level::debug, text);
}
void info(const std::string& text) {
  say(spdlog::level::info, text);
}
void warn(const std::string& text) {
  say(spdlog::level::warn, text);
}
void error(const std::string& text) {
  say(spdlog::level::err, text);
}

void error_in_files(const std::string& text) {
  loggers().files_alone.error(spdlog::string_view_t("error: " + text));
}

void add_file(const std::string& path) {
  try {
    auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path, /*truncate=*/false);
    file->set_formatter(formatter("%Y-%m-%d %H:%M:%S"));
    loggers().files->add_sink(std::move(file));
  } catch (const spdlog::spdlog_ex& error) {
    throw Failure(path + ": cannot write the log: " + error.what());
  }
}

void close_files() {
  loggers().files->set_sinks({});
}

bool shows_progress() {
  return loggers().terminal->shows_progress() && is_terminal();
}

void progress(const std::string& text) {
  progress([text](int) { return text; });
}

void progress(std::function<std::string(int)> line) {
  loggers().terminal->progress(std::move(line));
}

void clear_progress() {
  loggers().terminal->clear_progress();
}

}  // namespace heed::log
