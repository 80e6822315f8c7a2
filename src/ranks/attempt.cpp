#include "ranks/attempt.h"

#include <c10/util/Exception.h>

#include <optional>
#include <random>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/strings.h"
#include "ranks/backends.h"
#include "ranks/limited_store.h"
#include "ranks/rank_info.h"

namespace heed::ranks {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kNewestList = "list";

std::string new_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

class Meeting {
 public:
  Meeting(const StorePtr& store, const RankInfo& info) : store_(store), info_(info) {}

  /// Returns the name of the attempt once it has begun.
  std::optional<std::string> look() {
    if (read(token_of(info_.rank)) != mine_)
      throw Failure(
          "{}: another process is this rank, too; is an older attempt still running, or another "
          "training at the same address and port?",
          info_.name());
    if (info_.leads())
      publish();
    else
      take();
    if (list_.empty() || !read(begun_of(list_))) return std::nullopt;
    return list_;
  }

  void leave_token() { store_->set(token_of(info_.rank), mine_); }

  /// Returns the ranks for which the others wait; none if the last one has just come.
  std::vector<int64_t> absent() {
    std::vector<int64_t> without_token, without_list;
    for (int64_t rank = 0; rank < info_.size; ++rank) {
      if (!read(token_of(rank))) without_token.push_back(rank);
      if (!list_.empty() && rank > 0 && !read(taken_of(list_, rank))) without_list.push_back(rank);
    }
    if (!without_token.empty()) return without_token;
    if (without_list.empty() && !info_.leads()) return {0};
    return without_list;
  }

 private:
  static std::string token_of(int64_t rank) { return fmt::format("token/{}", rank); }
  static std::string tokens_of(const std::string& list) { return list + "/tokens"; }
  static std::string begun_of(const std::string& list) { return list + "/begun"; }
  static std::string taken_of(const std::string& list, int64_t rank) {
    return fmt::format("{}/taken/{}", list, rank);
  }

  std::optional<std::string> read(const std::string& key) {
    if (!store_->check({key})) return std::nullopt;
    return store_->get_to_str(key);
  }

  /// The first rank: makes a list of those who are here now, and begins when all have taken it.
  void publish() {
    std::vector<std::string> tokens;
    for (int64_t rank = 0; rank < info_.size; ++rank) {
      auto token = read(token_of(rank));
      if (!token) return;
      tokens.push_back(*std::move(token));
    }
    // Another process has become the first rank since this one looked. A list with that process's
    // token would look like its own to the other ranks, and nobody would begin it.
    if (tokens.front() != mine_) return;
    if (tokens != tokens_) {
      tokens_ = std::move(tokens);
      list_ = fmt::format("{}-{}", mine_, ++lists_);
      store_->set(tokens_of(list_), join(tokens_, " "));
    }
    // The first rank of an older attempt may have put its own there meanwhile.
    if (read(kNewestList) != list_) store_->set(kNewestList, list_);
    for (int64_t rank = 1; rank < info_.size; ++rank)
      if (!store_->check({taken_of(list_, rank)})) return;
    store_->set(begun_of(list_), std::string("1"));
  }

  /// Another rank: takes the newest list if this process is on it.
  void take() {
    const auto newest = read(kNewestList);
    if (!newest || newest == seen_) return;
    seen_ = newest;
    const auto tokens = split(store_->get_to_str(tokens_of(*newest)), ' ');
    if (std::ssize(tokens) != info_.size || tokens[info_.rank] != mine_) return;
    // A list by a first rank that is no longer the first does not count. The list that was taken
    // before stays: its own first rank may have begun already, and then does not publish it again.
    if (tokens[0] != read(token_of(0))) return;
    list_ = *newest;
    store_->set(taken_of(list_, info_.rank), std::string("1"));
  }

  const StorePtr store_;
  const RankInfo& info_;
  const std::string mine_ = new_token();
  std::string list_;                 // that this rank has published or taken
  std::optional<std::string> seen_;  // the newest one that this rank has read
  std::vector<std::string> tokens_;
  int64_t lists_ = 0;
};

}  // namespace

Attempt begin_attempt(const StorePtr& store, const RankInfo& info,
                      std::chrono::milliseconds timeout) {
  const auto start = Clock::now();
  Meeting meeting(store, info);
  try {
    meeting.leave_token();
    for (;; std::this_thread::sleep_for(pause_after(Clock::now() - start))) {
      if (const auto name = meeting.look())
        return {c10::make_intrusive<c10d::PrefixStore>(*name, store)};
      if (Clock::now() - start < timeout) continue;
      if (auto absent = meeting.absent(); !absent.empty()) return {{}, std::move(absent)};
    }
  } catch (const SilentStore&) {
    return {{}, {0}};
  } catch (const c10::Error&) {
    return {{}, {0}, true};
  }
}

}  // namespace heed::ranks
