// Translated documents, which wait for their clients to fetch them.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace heed::serve {

/// Holds the newest files in memory, each for half an hour and all together up to a size. May be
/// used by several threads.
class TranslatedFiles {
 public:
  using Clock = std::chrono::steady_clock;

  struct File {
    std::string key, name, bytes;
    Clock::time_point since;
  };

  explicit TranslatedFiles(std::size_t most_bytes = std::size_t{64} << 20)
      : most_bytes_(most_bytes) {}

  /// Keeps a file; returns the key by which it is found again, which nobody can guess. `name` is
  /// the name with which it was sent; folders in it are left out.
  std::string add(const std::string& name, std::string bytes, Clock::time_point now = Clock::now());

  /// The file with this key; nothing where there is none any more.
  std::optional<File> find(const std::string& key, Clock::time_point now = Clock::now());

 private:
  void drop_old(Clock::time_point now);

  std::mutex mutex_;
  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::deque<File> files_;  // the oldest first
};

}  // namespace heed::serve
