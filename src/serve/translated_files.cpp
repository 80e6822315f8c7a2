#include "serve/translated_files.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/format.h"

namespace heed::serve {

namespace {

constexpr std::chrono::minutes kPatience{30};

}  // namespace

std::string TranslatedFiles::add(const std::string& name, std::string bytes,
                                 Clock::time_point now) {
  std::random_device random;
  std::string key;
  for (int i = 0; i < 4; ++i) key += fmt::format("{:08x}", random());
  const std::lock_guard lock(mutex_);
  bytes_ += bytes.size();
  files_.push_back({.key = key,
                    .name = name.substr(name.find_last_of("/\\") + 1),
                    .bytes = std::move(bytes),
                    .since = now});
  drop_old(now);
  return key;
}

std::optional<TranslatedFiles::File> TranslatedFiles::find(const std::string& key,
                                                           Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  drop_old(now);
  const auto found = std::ranges::find(files_, key, &File::key);
  if (found == files_.end()) return std::nullopt;
  return *found;
}

/// Drops files that have waited too long, and the oldest of too many; never the newest.
void TranslatedFiles::drop_old(Clock::time_point now) {
  while (!files_.empty() &&
         (now - files_.front().since > kPatience || (files_.size() > 1 && bytes_ > most_bytes_))) {
    bytes_ -= files_.front().bytes.size();
    files_.pop_front();
  }
}

}  // namespace heed::serve
