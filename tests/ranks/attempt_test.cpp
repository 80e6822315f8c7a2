#include "ranks/attempt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <vector>

#include "base/error.h"
#include "message.h"

namespace heed::ranks {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

RankInfo rank_of(int64_t rank, int64_t size) {
  RankInfo info;
  info.rank = rank;
  info.size = size;
  return info;
}

/// Each rank of an attempt at `store` in a thread; late[r] is how much later rank r comes.
std::vector<Attempt> all_begin(const StorePtr& store, int64_t size,
                               const std::vector<milliseconds>& late = {}) {
  std::vector<Attempt> attempts(size);
  std::vector<std::jthread> threads;
  for (int64_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      if (!late.empty()) std::this_thread::sleep_for(late[rank]);
      attempts[rank] = begin_attempt(store, rank_of(rank, size), minutes(1));
    });
  threads.clear();
  return attempts;
}

/// Expects that what one rank says is heard by all of them.
void expect_common(const std::vector<Attempt>& attempts, const std::string& text) {
  for (const Attempt& each : attempts) {
    ASSERT_TRUE(each.store);
    EXPECT_TRUE(each.absent.empty());
  }
  attempts.front().store->set("said", text);
  for (const Attempt& each : attempts) EXPECT_EQ(each.store->get_to_str("said"), text);
}

TEST(Attempt, HasAPartOfTheStoreOfItsOwn) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto one = all_begin(store, 3);
  expect_common(one, "the first attempt");
  const auto two = all_begin(store, 3);
  for (const Attempt& each : two) EXPECT_FALSE(each.store->check({"said"}));
  expect_common(two, "the second attempt");
  expect_common(one, "the first attempt still");
  EXPECT_EQ(two[1].store->get_to_str("said"), "the second attempt");
}

// Tokens of dead ranks lie in the store, and the first rank makes a list of them before the others
// have come.
TEST(Attempt, IsOfThoseWhoLive) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  all_begin(store, 3);
  const auto again = all_begin(store, 3, {milliseconds(0), milliseconds(60), milliseconds(120)});
  expect_common(again, "again");
  const auto first_last =
      all_begin(store, 3, {milliseconds(120), milliseconds(60), milliseconds(0)});
  expect_common(first_last, "the first one comes last");
}

TEST(Attempt, MayHaveAnotherNumberOfRanks) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  all_begin(store, 3);
  expect_common(all_begin(store, 2), "of two");
  expect_common(all_begin(store, 4), "of four");
}

// The ranks of an agent that was cut off from the others wait for those that now belong to another
// one.
TEST(Attempt, EndsWhereAnotherProcessIsTheSameRank) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  for (const int64_t rank : {0, 1}) {
    std::string message;
    std::jthread older([&] {
      message = message_of<Failure>([&] { begin_attempt(store, rank_of(rank, 2), minutes(1)); });
    });
    const std::string token = "token/" + std::to_string(rank);
    const auto token_now = [&] {
      return store->check({token}) ? store->get_to_str(token) : std::string();
    };
    while (token_now().empty()) std::this_thread::yield();
    // The other rank comes after the newer one: it would begin with the older one otherwise.
    const std::string of_older = token_now();
    std::vector<Attempt> newer(2);
    {
      const auto begin = [&](int64_t each) {
        newer[each] = begin_attempt(store, rank_of(each, 2), minutes(1));
      };
      const std::jthread same(begin, rank);
      while (token_now() == of_older) std::this_thread::yield();
      const std::jthread other(begin, 1 - rank);
    }
    expect_common(newer, "of the newer ones");
    older.join();
    EXPECT_EQ(message, "rank " + std::to_string(rank) +
                           " of 2: another process is this rank, too; is an older attempt still "
                           "running, or another training at the same address and port?");
    store->deleteKey("token/0");
    store->deleteKey("token/1");
  }
}

/// A store in which another process becomes the first rank between a look at its token and the list
/// of all tokens.
class ReplacedStore : public c10d::HashStore {
 public:
  std::vector<uint8_t> get(const std::string& key) override {
    if (key == "token/0" && ++reads_ == 2) set(key, {'n', 'e', 'w'});
    return c10d::HashStore::get(key);
  }

 private:
  int64_t reads_ = 0;
};

TEST(Attempt, IsNotPublishedInTheNameOfANewerFirstRank) {
  const auto store = c10::make_intrusive<ReplacedStore>();
  store->set("token/1", {'o'});
  EXPECT_THAT(message_of<Failure>([&] { begin_attempt(store, rank_of(0, 2), minutes(1)); }),
              testing::HasSubstr("another process is this rank, too"));
  EXPECT_FALSE(store->check({"list"}));
}

// The first rank of an older attempt, before it sees that it is no longer the first, puts its own
// list there once more, and the right one has just seen that all have taken its list.
TEST(Attempt, IsNotLostToALateListOfAnOlderOne) {
  const StorePtr store = c10::make_intrusive<c10d::HashStore>();
  const auto token = [&](const std::string& rank) { return store->get_to_str("token/" + rank); };
  Attempt second;
  {
    const std::jthread rank(
        [&] { second = begin_attempt(store, rank_of(1, 2), milliseconds(10000)); });
    store->set("token/0", std::string("first"));
    store->set("right/tokens", "first " + token("1"));
    store->set("list", std::string("right"));
    EXPECT_EQ(store->get_to_str("right/taken/1"), "1");
    store->set("late/tokens", "older " + token("1"));
    store->set("list", std::string("late"));
    std::this_thread::sleep_for(milliseconds(200));  // in which the rank reads it
    store->set("right/begun", std::string("1"));
  }
  ASSERT_TRUE(second.store);
  second.store->set("said", std::string("here"));
  EXPECT_EQ(store->get_to_str("right/said"), "here");
}

TEST(Attempt, NamesThoseWhoHaveNotCome) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  std::vector<Attempt> attempts(4);
  {
    std::vector<std::jthread> threads;
    for (const int64_t rank : {0, 2})
      threads.emplace_back([&, rank] {
        attempts[rank] = begin_attempt(store, rank_of(rank, 4), milliseconds(1000));
      });
  }
  for (const int64_t rank : {0, 2}) {
    EXPECT_FALSE(attempts[rank].store);
    EXPECT_EQ(attempts[rank].absent, (std::vector<int64_t>{1, 3}));
  }
}

// A rank of a dead attempt has left its token, but takes no list.
TEST(Attempt, NamesThoseWhoDoNotAnswer) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  all_begin(store, 3);
  Attempt first, second;
  {
    const std::jthread one(
        [&] { first = begin_attempt(store, rank_of(0, 3), milliseconds(1500)); });
    const std::jthread two(
        [&] { second = begin_attempt(store, rank_of(1, 3), milliseconds(1000)); });
  }
  EXPECT_EQ(first.absent, std::vector<int64_t>{2});
  EXPECT_EQ(second.absent, std::vector<int64_t>{2});
  const Attempt without_first = begin_attempt(store, rank_of(1, 3), milliseconds(50));
  EXPECT_EQ(without_first.absent, std::vector<int64_t>{0});
}

}  // namespace
}  // namespace heed::ranks
