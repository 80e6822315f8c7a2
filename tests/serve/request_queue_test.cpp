// The queue of requests without a server: who is translated with whom, and when.
#include "serve/request_queue.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "serve/running.h"

namespace heed::serve {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Strings = std::vector<std::string>;

constexpr milliseconds kAtOnce{0};
/// Keeps its answer, and writes its name into `order` when it comes.
class Client : public http::Recipient {
 public:
  Client(std::string name, Strings& order) : name_(std::move(name)), order_(order) {}
  void send(http::Response response) override {
    if (is_gone || answer) return;
    answer = std::move(response);
    order_.push_back(name_);
  }
  bool answered() const override { return answer.has_value(); }
  bool gone() override {
    is_gone = is_gone || leaves_after-- == 0;
    return is_gone;
  }

  std::optional<http::Response> answer;
  bool is_gone = false;
  int leaves_after = -1;  // how often it is asked whether it is gone before it is; below 0: always

 private:
  std::string name_;
  Strings& order_;
};
using ClientPtr = std::shared_ptr<Client>;

/// One thread, so that a batch has decoding.batch_size / 2 lines where it is shared.
class RequestQueueTest : public ::testing::Test {
 protected:
  RequestQueueTest() { at::set_num_threads(1); }
  ~RequestQueueTest() override { at::set_num_threads(threads_); }

  void open(const std::vector<std::size_t>& which, const decode::DecodeConfig& config = {},
            const Limits& limits = {}) {
    models_ = models_of(which, config);
    queue_ = std::make_unique<RequestQueue>(models_, limits, metrics_);
  }

  static http::Response texts_of(const decode::LinesRequest& /*request*/,
                                 const std::vector<decode::Translation>& translations) {
    Strings texts;
    for (const auto& one : translations) texts.push_back(one.text);
    return {.body = join(texts, "\n")};
  }

  ClientPtr take(const std::string& name, QueuedLines lines) {
    auto client = std::make_shared<Client>(name, order_);
    if (!lines.answer) lines.answer = texts_of;
    queue_->take(std::move(lines), http::Reply(client));
    return client;
  }
  ClientPtr take(const std::string& name, decode::LinesRequest request) {
    return take(name, QueuedLines{.request = std::move(request)});
  }
  ClientPtr take(const std::string& name, Task task) {
    auto client = std::make_shared<Client>(name, order_);
    queue_->take(std::move(task), http::Reply(client));
    return client;
  }

  decode::LinesRequest n_best(Strings lines, int64_t count) const {
    return {.lines = std::move(lines),
            .search = with_n_best(models_[0].translator->config(), count)};
  }

  bool work() { return queue_->work(kAtOnce); }
  void work_to_the_end() {
    while (work()) {
    }
  }
  static int status(const ClientPtr& client) {
    return client->answer.value_or(http::Response{}).status;
  }
  static std::string body(const ClientPtr& client) { return client->answer.value().body; }

  std::vector<ServedModel> models_;
  http::ServiceMetrics metrics_;
  Strings order_;  // of the answers, the last of which are given when the queue goes
  std::unique_ptr<RequestQueue> queue_;

 private:
  int threads_ = at::get_num_threads();
};

/// The translator's own translations of the lines, as the answers have them.
std::string alone(std::size_t which, const Strings& lines,
                  const decode::DecodeConfig& config = {}) {
  return join(expected(translator_of(which, config), lines), "\n");
}

TEST_F(RequestQueueTest, ABatchHasALineOfEachRequestInTurn) {
  open({kShares}, {.batch_size = 4});  // two lines a batch
  const Strings five(5, "mira tolo");
  const ClientPtr a = take("a", {.lines = five}), b = take("b", {.lines = {"mira sena"}}),
                  c = take("c", {.lines = {"sena tolo"}});
  std::vector<int64_t> waiting = {queue_->waiting()};
  while (work()) waiting.push_back(queue_->waiting());
  EXPECT_THAT(waiting, ElementsAre(7, 5, 3, 1, 0));  // a b, c a, a a, a
  EXPECT_THAT(order_, ElementsAre("b", "c", "a"));
  EXPECT_EQ(body(a), alone(kShares, five));
  EXPECT_EQ(body(b), alone(kShares, {"mira sena"}));
  EXPECT_EQ(body(c), alone(kShares, {"sena tolo"}));
}

TEST_F(RequestQueueTest, LinesAsLongAsTheFirstGoBeforeOthersAndNoneIsPassedOverForEver) {
  open({kShares}, {.batch_size = 4});
  take("first", {.lines = Strings(6, "mira tolo sena kupo")});
  take("short", {.lines = {"mira"}});
  for (const char* name : {"as long", "as long, too"})
    take(name, {.lines = {"mira tolo sena rel."}});
  work();
  EXPECT_THAT(order_, ElementsAre("as long"));  // `short` came earlier, and is the next first one
  work();
  EXPECT_THAT(order_, ElementsAre("as long", "short", "as long, too"));
  work_to_the_end();
  EXPECT_EQ(order_.back(), "first");
}

TEST_F(RequestQueueTest, RequestsTakeTurnsWhereABatchHasOneLine) {
  open({kShares}, {.batch_size = 1});
  for (const char* name : {"a", "b", "c"}) take(name, {.lines = {"mira", "tolo"}});
  work();
  EXPECT_THAT(order_, IsEmpty());
  work_to_the_end();
  EXPECT_THAT(order_, ElementsAre("a", "b", "c"));
}

/// With a model that shares batches, and with one that does not.
class RequestQueueOfModel : public RequestQueueTest,
                            public ::testing::WithParamInterface<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Models, RequestQueueOfModel, ::testing::Values(kShares, kSharesNot),
                         [](const auto& info) {
                           return info.param == kShares ? "Shares" : "SharesNot";
                         });

TEST_P(RequestQueueOfModel, AShortRequestDoesNotWaitForTheTurnsOfManyLongOnes) {
  open({GetParam()}, {.batch_size = 2});
  const Strings line = {"mira tolo sena kupo mira tolo sena kupo"}, lines(5, line[0]);
  for (int i = 0; i < 20; ++i) take("long", {.lines = i % 2 == 0 ? line : lines});
  take("task", Task{.bytes = 1000, .answer = [](auto&) { return http::Response{}; }});
  work();
  take("short", {.lines = {"mira"}});
  for (int i = 0; i < 2; ++i) work();
  EXPECT_THAT(order_, ::testing::Contains("short"));
  EXPECT_GT(queue_->waiting(), 40);
  take("task, too", Task{.bytes = 5, .answer = [](auto&) { return http::Response{}; }});
  for (int i = 0; i < 2; ++i) work();
  EXPECT_THAT(order_, ::testing::Contains("task, too"));
}

TEST_F(RequestQueueTest, ALongRequestDoesNotWaitForShortOnesThatKeepComing) {
  open({kShares}, {.batch_size = 2});
  take("long", {.lines = Strings(3, "mira tolo sena kupo mira tolo sena kupo")});
  for (int i = 0; i < 7; ++i) {
    take("short", {.lines = {"mira"}});
    work();
  }
  EXPECT_THAT(order_, ElementsAre("short", "short", "short", "short", "long"));
}

TEST_F(RequestQueueTest, ABatchOfLongLinesHasFewerOfThem) {
  open({kShares}, {.batch_size = 8});  // four lines of 128 bytes
  const auto lines_of_turns = [&] {
    std::vector<int64_t> lines;
    for (int64_t before = queue_->waiting(); work(); before = queue_->waiting())
      lines.push_back(before - queue_->waiting());
    return lines;
  };
  Strings mira(52, "mira");
  for (const char* name : {"a", "b", "c", "d"}) take(name, {.lines = {join(mira, " ")}});  // 259
  EXPECT_THAT(lines_of_turns(), ElementsAre(1, 1, 1, 1));
  mira.resize(51);
  for (const char* name : {"a", "b", "c", "d"}) take(name, {.lines = {join(mira, " ")}});  // 254
  EXPECT_THAT(lines_of_turns(), ElementsAre(2, 2));
  // Of a longer line than a model reads only that much counts: two such lines are too large, too.
  mira.resize(50000, "mira");
  take("a", {.lines = {join(mira, " "), "tolo"}});
  EXPECT_THAT(lines_of_turns(), ElementsAre(1, 1));
  take("a", {.lines = Strings(9, "mira")});
  EXPECT_THAT(lines_of_turns(), ElementsAre(4, 4, 1));
}

TEST_P(RequestQueueOfModel, ASearchEndsWhenNobodyWaitsForIt) {
  open({GetParam()}, {.batch_size = 2});
  const ClientPtr leaves = take("leaves", {.lines = {"mira tolo"}});
  leaves->leaves_after = 3;  // it is asked once before the search, and before each step
  work();
  EXPECT_TRUE(leaves->is_gone);
  EXPECT_EQ(queue_->waiting(), 1);
  const ClientPtr stays = take("stays", {.lines = {"mira"}});
  work();
  EXPECT_EQ(queue_->waiting(), 0);
  EXPECT_THAT(order_, ElementsAre("stays"));
  EXPECT_EQ(body(stays), alone(GetParam(), {"mira"}));
}

TEST_F(RequestQueueTest, ASearchGoesOnWhereOneOfItsClientsWaits) {
  open({kShares}, {.batch_size = 4});
  const ClientPtr leaves = take("leaves", {.lines = {"mira tolo"}});
  const ClientPtr stays = take("stays", {.lines = {"mira sena"}});
  leaves->leaves_after = 3;
  work();
  EXPECT_THAT(order_, ElementsAre("stays"));
  EXPECT_EQ(body(stays), alone(kShares, {"mira sena"}));
}

TEST_F(RequestQueueTest, LinesThatATaskAsksForTakeTurnsLikeOthers) {
  open({kShares}, {.batch_size = 2});
  const auto ask = [](const decode::LineTranslator&) {
    return QueuedLines{.request = {.lines = {"mira", "tolo"}}, .answer = texts_of};
  };
  const ClientPtr task = take("task", Task{.answer = ask});
  EXPECT_EQ(queue_->waiting(), 1);
  work();
  EXPECT_EQ(queue_->waiting(), 2);
  take("other", {.lines = {"sena"}});
  work_to_the_end();
  EXPECT_EQ(queue_->waiting(), 0);
  EXPECT_EQ(body(task), alone(kShares, {"mira", "tolo"}));
}

TEST_F(RequestQueueTest, LinesThatATaskAsksForMustFitIntoTheQueue) {
  open({kShares}, {}, {.queue = 2});
  const auto ask = [](const decode::LineTranslator&) {
    return QueuedLines{.request = {.lines = {"mira", "tolo", "sena"}}, .answer = texts_of};
  };
  const ClientPtr task = take("task", Task{.answer = ask});
  work();
  EXPECT_EQ(status(task), 429);
  EXPECT_EQ(queue_->waiting(), 0);
}

TEST_F(RequestQueueTest, ModelsThatShareNoBatchesTakeTurnsOfTheirOwnBatches) {
  const decode::DecodeConfig config{.batch_size = 2};
  open({kSharesNot}, config);
  const Strings five = {"mira", "", "mira tolo sena", "quorz rel", "vadi"};
  const ClientPtr a = take("a", {.lines = five}), b = take("b", {.lines = {"mira", "tolo"}});
  std::vector<int64_t> waiting = {queue_->waiting()};
  while (work()) waiting.push_back(queue_->waiting());
  // a's four lines with pieces are two batches; the blank one goes with the last.
  EXPECT_THAT(waiting, ElementsAre(7, 5, 3, 0));
  EXPECT_THAT(order_, ElementsAre("b", "a"));
  EXPECT_EQ(body(a), alone(kSharesNot, five, config));
  EXPECT_EQ(body(b), alone(kSharesNot, {"mira", "tolo"}, config));
}

TEST_F(RequestQueueTest, ALongRequestIsCutIntoChunksAsTheTranslatorCutsAFile) {
  const decode::DecodeConfig config{.batch_size = 1};
  open({kSharesNot}, config);
  const int64_t chunk = models_[0].translator->chunk_size();
  Strings lines(static_cast<std::size_t>(chunk) + 1, "tolo");  // sorted, the last were the first
  lines.back() = "mira tolo sena kupo";
  const ClientPtr a = take("a", {.lines = lines});
  for (int64_t i = 0; i < chunk; ++i) work();
  EXPECT_EQ(queue_->waiting(), 1);
  work();
  Strings first(lines.begin(), lines.end() - 1);
  EXPECT_EQ(body(a),
            alone(kSharesNot, first, config) + "\n" + alone(kSharesNot, {lines.back()}, config));
}

TEST_F(RequestQueueTest, WhatIsDrawnIsDrawnChunkByChunk) {
  decode::DecodeConfig config{.beam_size = 1, .batch_size = 1};
  config.sampling.top_p = 1;
  open({kShares}, config);
  const Strings lines = {"mira", "tolo sena", "quorz"};
  const ClientPtr a = take("a", {.lines = lines});
  work();  // three batches at once, for their draws follow from numbers in the chunk
  EXPECT_EQ(body(a), alone(kShares, lines, config));
}

TEST_F(RequestQueueTest, OtherModelsAndNumbersOfTranslationsAreOtherBatches) {
  open({kShares, kSharesNot, kShares}, {.batch_size = 100});
  take("a", {.lines = {"mira"}});
  take("other model", QueuedLines{.model = 2, .request = {.lines = {"mira"}}});
  take("alternatives", n_best({"mira"}, 2));
  take("no sharing", QueuedLines{.model = 1, .request = {.lines = {"mira"}}});
  take("prefix", {.lines = {"mira"}, .prefixes = {"wexta"}});
  take("fellow", {.lines = {"tolo"}});
  work();
  EXPECT_THAT(order_, ElementsAre("a", "fellow"));
  int batches = 1;
  while (work()) ++batches;
  EXPECT_EQ(batches, 5);
  EXPECT_THAT(metrics_.text(), HasSubstr("heed_batch_lines_count 5\n"));
  EXPECT_THAT(metrics_.text(), HasSubstr("heed_batch_lines_sum 6\n"));
}

TEST_F(RequestQueueTest, ClientsThatHaveGoneAreDroppedBeforeTheirLinesAndAmongThem) {
  open({kShares}, {.batch_size = 2});
  const ClientPtr before = take("before", {.lines = {"mira", "tolo"}}),
                  among = take("among", {.lines = {"mira", "tolo"}}),
                  stays = take("stays", {.lines = {"mira"}});
  before->is_gone = true;
  work();  // the first line of `among`
  EXPECT_EQ(queue_->waiting(), 2);
  among->is_gone = true;
  work();
  EXPECT_EQ(queue_->waiting(), 0);
  EXPECT_THAT(order_, ElementsAre("stays"));
  EXPECT_THAT(metrics_.text(), HasSubstr("heed_lines_total{model=\"m0\"} 2\n"));
  EXPECT_FALSE(work());
}

TEST_F(RequestQueueTest, RequestsThatWaitedTooLongAreGivenUp) {
  open({kShares}, {}, {.patience = std::chrono::seconds(0)});
  const ClientPtr late = take("late", {.lines = {"mira", "tolo"}});
  const ClientPtr task =
      take("task", Task{.answer = [](const decode::LineTranslator&) -> http::Response {
             throw std::logic_error("is not asked");
           }});
  EXPECT_FALSE(work());
  EXPECT_EQ(queue_->waiting(), 0);
  for (const ClientPtr& client : {late, task}) {
    EXPECT_EQ(status(client), 503);
    EXPECT_THAT(body(client), HasSubstr("not done within 0 seconds"));
    EXPECT_EQ(http::find(client->answer->headers, "Retry-After"), "5");
  }
}

TEST_F(RequestQueueTest, AFullQueueSaysWhenToTryAgain) {
  open({kShares}, {}, {.queue = 100});
  const ClientPtr fits = take("fits", {.lines = Strings(100, "mira")});
  const ClientPtr line = take("line", {.lines = {"mira"}});
  const ClientPtr task = take("task", Task{.answer = [](auto&) { return http::Response{}; }});
  EXPECT_FALSE(fits->answered());
  for (const ClientPtr& client : {line, task}) {
    EXPECT_EQ(status(client), 429);
    EXPECT_EQ(body(client), "{\"error\":\"too many requests wait already\"}\n");
    // 100 lines of 0.05 s, as long as none was measured.
    EXPECT_EQ(http::find(client->answer->headers, "Retry-After"), "5");
  }
  work();
  EXPECT_FALSE(take("room again", {.lines = {"mira"}})->answered());
}

TEST_F(RequestQueueTest, ATaskGetsItsModelInItsTurn) {
  open({kShares, kSharesNot});
  const decode::LineTranslator* asked = nullptr;
  const auto note = [&](const decode::LineTranslator& translator) {
    asked = &translator;
    return http::Response{.body = "done"};
  };
  take("lines", {.lines = {"mira"}});
  const ClientPtr task = take("task", Task{.model = 1, .answer = note});
  take("lines, too", {.lines = {"mira"}});
  EXPECT_EQ(queue_->waiting(), 3);
  work();  // those with lines share a batch
  EXPECT_EQ(asked, nullptr);
  work();
  EXPECT_EQ(asked, models_[1].translator.get());
  EXPECT_EQ(body(task), "done");
  EXPECT_THAT(order_, ElementsAre("lines", "lines, too", "task"));
}

TEST_F(RequestQueueTest, ATaskFindsNoTermsOfOtherRequests) {
  open({kShares, kSharesNot});
  const ClientPtr terms =
      take("terms",
           QueuedLines{
               .model = 1,
               .request = {.lines = {"mira tolo"},
                           .glossary = models_[1].translator->glossary_of({{"mira", "glume"}})}});
  const auto ask_the_other_model = [&](const decode::LineTranslator&) {
    const decode::LinesRequest request{.lines = {"mira tolo"}};
    return texts_of(request, models_[1].translator->translate(request).translations);
  };
  const ClientPtr task = take("task", Task{.model = 0, .answer = ask_the_other_model});
  work_to_the_end();
  EXPECT_THAT(body(terms), HasSubstr("glume"));
  EXPECT_EQ(body(task), alone(kSharesNot, {"mira tolo"}));
}

TEST_F(RequestQueueTest, WhatATaskThrowsIsAnswered) {
  open({kShares});
  const ClientPtr user = take(
      "user", Task{.answer = [](auto&) -> http::Response { throw UserError("q: is too long"); }});
  const ClientPtr failure =
      take("failure",
           Task{.answer = [](auto&) -> http::Response { throw Failure("the disk is full"); }});
  const ClientPtr next = take("next", {.lines = {"mira"}});
  work_to_the_end();
  EXPECT_EQ(status(user), 400);
  EXPECT_THAT(body(user), HasSubstr("q: is too long"));
  EXPECT_EQ(status(failure), 500);
  EXPECT_THAT(body(failure), HasSubstr("the server failed; its log says why"));
  EXPECT_EQ(status(next), 200);
}

TEST_F(RequestQueueTest, WhatAModelThrowsIsAnsweredToItsBatchAlone) {
  open({kShares, kSharesNot}, {.beam_size = 2, .batch_size = 4});
  const ClientPtr many = take("many", n_best({"mira", "tolo"}, 3)),
                  as_many = take("as many", n_best({"sena"}, 3)),
                  one = take("one", {.lines = {"mira"}});
  const ClientPtr not_shared =
      take("not shared", QueuedLines{.model = 1, .request = n_best(Strings(9, "mira"), 3)});
  work_to_the_end();
  EXPECT_EQ(queue_->waiting(), 0);
  for (const ClientPtr& client : {many, as_many, not_shared}) EXPECT_EQ(status(client), 400);
  EXPECT_THAT(body(many), HasSubstr("n_best"));
  EXPECT_EQ(body(one), alone(kShares, {"mira"}, {.beam_size = 2}));
}

TEST_F(RequestQueueTest, AnAnswerThatCannotBeMadeIsItsOwnRequestsAlone) {
  open({kShares});
  const ClientPtr bad = take("bad", QueuedLines{.request = {.lines = {"mira"}},
                                                .answer = [](auto&, auto) -> http::Response {
                                                  throw std::runtime_error("no such thing");
                                                }});
  const ClientPtr good = take("good", {.lines = {"mira"}});
  work();
  EXPECT_EQ(status(bad), 500);
  EXPECT_EQ(status(good), 200);
}

TEST_F(RequestQueueTest, WaitsForARequestOfAnotherThread) {
  open({kShares});
  EXPECT_FALSE(queue_->work(milliseconds(1)));
  ClientPtr client;
  std::thread other([&] { client = take("other", {.lines = {"mira"}}); });
  while (!queue_->work(milliseconds(1000))) {
  }
  other.join();
  EXPECT_EQ(status(client), 200);
}

TEST_F(RequestQueueTest, RequestsThatWaitWhenItGoesAreAnsweredAllTheSame) {
  open({kShares});
  const ClientPtr client = take("left", {.lines = {"mira"}});
  queue_.reset();
  EXPECT_EQ(status(client), 500);
  EXPECT_THAT(body(client), HasSubstr("the request was not answered"));
}

}  // namespace
}  // namespace heed::serve
