#include "ranks/limited_store.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

namespace heed::ranks {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

/// A store that answers nothing from one call on, as one whose server was stopped.
class FallingSilent : public c10d::HashStore {
 public:
  using HashStore::set;
  void set(const std::string& key, const std::vector<uint8_t>& value) override {
    answer();
    HashStore::set(key, value);
  }
  bool check(const std::vector<std::string>& keys) override {
    answer();
    return HashStore::check(keys);
  }
  void wait(const std::vector<std::string>& keys, const milliseconds& timeout) override {
    answer();
    HashStore::wait(keys, timeout);
  }

  void fall_silent() { silent_ = true; }
  /// Lets the threads end that were left behind.
  void speak() {
    const std::lock_guard lock(mutex_);
    silent_ = false;
    changed_.notify_all();
  }
  int calls() const { return calls_; }

 private:
  void answer() {
    ++calls_;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !silent_; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> silent_ = false;
  std::atomic<int> calls_ = 0;
};

TEST(LimitedStore, AnswersAsTheStoreInIt) {
  LimitedStore store(c10::make_intrusive<c10d::HashStore>(), minutes(1));
  EXPECT_FALSE(store.check({"a"}));
  store.set("a", std::string("x"));
  EXPECT_TRUE(store.check({"a"}));
  EXPECT_EQ(store.get_to_str("a"), "x");
  EXPECT_EQ(store.compareSet("a", std::string("x"), std::string("y")), "y");
  EXPECT_EQ(store.add("n", 3), 3);
  EXPECT_EQ(store.add("n", 4), 7);
  EXPECT_EQ(store.getNumKeys(), 2);
  EXPECT_TRUE(store.deleteKey("n"));
  EXPECT_EQ(store.clone()->get_to_str("a"), "y");
  store.wait({"a"}, milliseconds(1));
  // A server that says in time that a key has not come is not silent.
  EXPECT_THROW(
      try { store.wait({"b"}, milliseconds(1)); } catch (const SilentStore&){}, c10::Error);
  EXPECT_TRUE(store.check({"a"}));
}

TEST(LimitedStore, ThrowsWhereNoAnswerComesAndAsksNoMore) {
  const auto inside = c10::make_intrusive<FallingSilent>();
  LimitedStore store(inside, milliseconds(50));
  store.set("a", std::string("x"));
  inside->fall_silent();
  EXPECT_THROW(store.check({"a"}), SilentStore);
  EXPECT_EQ(inside->calls(), 2);
  EXPECT_THROW(store.set("b", std::string("x")), SilentStore);
  EXPECT_THROW(store.get_to_str("a"), SilentStore);
  EXPECT_THROW(store.clone(), SilentStore);
  EXPECT_EQ(inside->calls(), 2);
  inside->speak();
}

TEST(LimitedStore, EndsAWaitThatIsNotAnsweredEither) {
  const auto inside = c10::make_intrusive<FallingSilent>();
  LimitedStore store(inside, milliseconds(50));
  inside->fall_silent();
  EXPECT_THROW(store.wait({"a"}, milliseconds(20)), SilentStore);
  inside->speak();
}

TEST(ResultWithin, IsWhatTheCallReturnsOrThrows) {
  EXPECT_EQ(result_within(minutes(1), [] { return 7; }), 7);
  EXPECT_THROW(result_within(minutes(1), []() -> int { throw std::out_of_range("x"); }),
               std::out_of_range);
}

}  // namespace
}  // namespace heed::ranks
