// The server as its clients meet it: routes, limits, answers that come later, the end.
#include "http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.h"
#include "http/client.h"

namespace heed::http {
namespace {

using testing::Answer;
using testing::ask;
using testing::Client;
using ::testing::ElementsAre;
using testing::get_text;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::post_text;
using ::testing::UnorderedElementsAre;

Route echo() {
  return {"POST", "/echo", [](const Request& request, const Reply& reply) {
            reply.send({.type = "text/plain", .body = request.type + "|" + request.body});
          }};
}

/// Keeps replies until somebody takes them.
class Shelf {
 public:
  Handler handler() {
    return [this](const Request&, const Reply& reply) {
      const std::scoped_lock lock(mutex_);
      replies_.push_back(reply);
      came_.notify_all();
    };
  }
  std::vector<Reply> take(std::size_t count) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return replies_.size() >= count; });
    return std::exchange(replies_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Reply> replies_;
};

template <class Condition>
void wait_until(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(Server, GivesAHandlerWhatWasSentAndSendsWhatItSays) {
  Request seen;
  const Server server(
      {},
      {{"GET", "/a b", [&](const Request& request, const Reply& reply) {
          seen = request;
          reply.send(
              {.status = 201, .type = "text/plain", .body = "done", .headers = {{"X-More", "7"}}});
        }}});
  const Answer answer = ask(server.port(), get_text("/a%20b?x=1%2B2&y"));
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body, "done");
  EXPECT_EQ(answer.header("content-type"), "text/plain");
  EXPECT_EQ(answer.header("x-more"), "7");
  EXPECT_EQ(seen.method, "GET");
  EXPECT_EQ(seen.path, "/a b");
  EXPECT_THAT(seen.query, ElementsAre(Pair("x", "1+2"), Pair("y", "")));
  EXPECT_EQ(server.url(), "http://127.0.0.1:" + std::to_string(server.port()) + "/");
}

TEST(Server, ReadsBodiesAndForms) {
  Fields form;
  const Server server({},
                      {echo(), {"POST", "/form", [&](const Request& request, const Reply& reply) {
                                  form = request.form;
                                  reply.send({});
                                }}});
  EXPECT_EQ(ask(server.port(), post_text("/echo", "{}", "Application/JSON; charset=utf-8")).body,
            "application/json|{}");
  ask(server.port(), post_text("/form", "q=a+b%26c&q=%C3%A9", "application/x-www-form-urlencoded"));
  EXPECT_THAT(form, ElementsAre(Pair("q", "a b&c"), Pair("q", "\u00e9")));
  ask(server.port(),
      post_text("/form",
                "--xyz\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na\r\nb\r\n"
                "--xyz--\r\n",
                "multipart/form-data; boundary=xyz"));
  EXPECT_THAT(form, ElementsAre(Pair("q", "a\r\nb")));
  // The body comes in chunks, without a length.
  Client client(server.port());
  client.send(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  client.send("2\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(client.answer().body, "|abcde");
}

TEST(Server, LosesNothingOfAFormAndRefusesAPartOfOne) {
  Fields form;
  const Server server({}, {{"POST", "/form", [&](const Request& request, const Reply& reply) {
                              form = request.form;
                              reply.send({});
                            }}});
  ask(server.port(), post_text("/form", "q=a\nb=c&p=50%", "application/x-www-form-urlencoded"));
  EXPECT_THAT(form, ElementsAre(Pair("q", "a\nb=c"), Pair("p", "50%")));
  const std::string type = "multipart/form-data; boundary=xyz";
  const std::string part = "--xyz\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na";
  for (const char* end : {"--", "--\r\n", "--\r\n\r\n"}) {
    form.clear();
    EXPECT_EQ(ask(server.port(), post_text("/form", part + "\r\n--xyz" + end, type)).status, 200);
    EXPECT_THAT(form, ElementsAre(Pair("q", "a")));
  }
  const auto expect_refused = [&](const std::string& body, const std::string& as) {
    const Answer answer = ask(server.port(), post_text("/form", body, as));
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_THAT(answer.body, HasSubstr("no whole multipart form"));
  };
  expect_refused(part, type);
  expect_refused(part + "\r\n--xyz", type);
  expect_refused(part + "\r\n--xyz--", "multipart/form-data");  // it does not name the boundary
}

TEST(Server, ReadsNamesOfFormsAsBrowsersWriteThem) {
  Fields form, files;
  const Server server({}, {{"POST", "/form", [&](const Request& request, const Reply& reply) {
                              form = request.form;
                              files = request.files;
                              reply.send({});
                            }}});
  ask(server.port(), post_text("/form",
                               "--xyz\r\nContent-Disposition: form-data; name=\"a%22b\"; "
                               "filename=\"%22c%0d%0A%41 100%%2\"\r\n\r\n%22\r\n--xyz--\r\n",
                               "multipart/form-data; boundary=xyz"));
  EXPECT_THAT(form, ElementsAre(Pair("a\"b", "%22")));
  EXPECT_THAT(files, ElementsAre(Pair("a\"b", "\"c\r\n%41 100%%2")));
}

TEST(Server, SaysWhatIsNowhereAndWhatIsAskedWrongly) {
  const Server server({}, {echo()});
  const Answer nowhere = ask(server.port(), get_text("/nowhere"));
  EXPECT_EQ(nowhere.status, 404);
  EXPECT_EQ(nowhere.body, "{\"error\":\"nothing is at /nowhere\"}\n");
  EXPECT_EQ(nowhere.header("content-type"), "application/json");
  const Answer wrong = ask(server.port(), get_text("/echo"));
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("allow"), "POST");
}

TEST(Server, TakesSeveralSlashesForOne) {
  const Server server({}, {echo()});
  EXPECT_EQ(ask(server.port(), post_text("//echo", "a")).body, "application/json|a");
  EXPECT_EQ(ask(server.port(), post_text("/echo/", "a")).status, 404);
}

TEST(Server, RefusesCompressedBodies) {
  const Server server({}, {echo()});
  const auto ask_in = [&](const std::string& encoding) {
    return ask(server.port(), "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: " +
                                  encoding + "\r\nContent-Length: 1\r\n\r\na");
  };
  const Answer refused = ask_in("gzip");
  EXPECT_EQ(refused.status, 415);
  EXPECT_THAT(refused.body, HasSubstr("send it without Content-Encoding"));
  EXPECT_EQ(ask_in("Identity").body, "|a");
}

TEST(Server, AnswersRequestsThatComeTogetherInTheirOrder) {
  Shelf shelf;
  const Server server({}, {echo(), {"GET", "/later", shelf.handler()}});
  Client client(server.port());
  client.send(post_text("/echo", "1") + get_text("/later") + post_text("/echo", "3"));
  EXPECT_EQ(client.answer().body, "application/json|1");
  shelf.take(1)[0].send({.body = "2"});
  EXPECT_EQ(client.answer().body, "2");
  EXPECT_EQ(client.answer().body, "application/json|3");
}

TEST(Server, AsksForABodyThatWaitsToBeAskedFor) {
  const Server server({.body = 10}, {echo()});
  const auto head = [](int bytes) {
    return "POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: " +
           std::to_string(bytes) + "\r\n\r\n";
  };
  Client client(server.port());
  client.send(head(1));
  EXPECT_EQ(client.answer().status, 100);
  client.send("a");
  EXPECT_EQ(client.answer().body, "|a");
  Client large(server.port());
  large.send(head(11));
  EXPECT_EQ(large.answer().status, 413);
}

TEST(Server, TurnsExceptionsIntoErrors) {
  const Server server(
      {}, {{"GET", "/mistake", [](const Request&, const Reply&) { throw UserError("q: no"); }},
           {"GET", "/failure", [](const Request&, const Reply&) { throw Failure("secret"); }},
           {"GET", "/nothing", [](const Request&, const Reply&) {}}});
  const Answer mistake = ask(server.port(), get_text("/mistake"));
  EXPECT_EQ(mistake.status, 400);
  EXPECT_EQ(mistake.body, "{\"error\":\"q: no\"}\n");
  const Answer failure = ask(server.port(), get_text("/failure"));
  EXPECT_EQ(failure.status, 500);
  EXPECT_THAT(failure.body, Not(HasSubstr("secret")));
  EXPECT_EQ(ask(server.port(), get_text("/nothing")).status, 500);
}

TEST(Server, RefusesBodiesThatAreTooLargeAndGoesOn) {
  const Server server({.body = 1000}, {echo()});
  EXPECT_EQ(ask(server.port(), post_text("/echo", std::string(1000, 'a'))).status, 200);
  Client client(server.port());
  client.send(post_text("/echo", std::string(1001, 'a')));
  const Answer answer = client.answer();
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.body,
            "{\"error\":\"the body has more than 1000 bytes; send less at a time\"}\n");
  client.send(post_text("/echo", "b"));  // on the same connection
  EXPECT_EQ(client.answer().body, "application/json|b");
  // One that says so is refused before it is sent.
  Client large(server.port());
  large.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_EQ(large.answer().status, 413);
  // And one without end is cut off.
  Client endless(server.port());
  endless.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_THROW(for (int i = 0; i < 100000; ++i) endless.send("5\r\naaaaa\r\n"), std::runtime_error);
  EXPECT_EQ(ask(server.port(), post_text("/echo", "c")).status, 200);
}

TEST(Server, AnswersFromOtherThreadsInAnyOrder) {
  Shelf shelf;
  const Server server({}, {{"GET", "/later", shelf.handler()}});
  Client first(server.port()), second(server.port());
  first.send(get_text("/later"));
  std::vector<Reply> replies = shelf.take(1);
  second.send(get_text("/later"));
  replies.push_back(shelf.take(1)[0]);
  EXPECT_EQ(server.pending(), 2U);
  std::thread([&] { replies[1].send({.body = "two"}); }).join();
  EXPECT_EQ(second.answer().body, "two");
  std::thread([&] { replies[0].send({.body = "one"}); }).join();
  EXPECT_EQ(first.answer().body, "one");
  replies[0].send({.body = "again"});  // the first answer counts
  wait_until([&] { return server.pending() == 0; });
}

TEST(Server, OutlivesClientsThatDoNotWait) {
  Shelf shelf;
  const Server server({}, {echo(), {"GET", "/later", shelf.handler()}});
  for (int i = 0; i < 20; ++i) {
    { Client(server.port()).send(get_text("/later")); }
    shelf.take(1)[0].send({.body = std::string(100000, 'x')});
  }
  Client(server.port()).send("POST /echo HTTP/1.1\r\nContent-Le");
  wait_until([&] { return server.pending() == 0; });
  EXPECT_EQ(ask(server.port(), post_text("/echo", "a")).status, 200);
}

/// Options that note the status of each request. What is noted is whole where none is pending.
ServerOptions noting(std::vector<int>& statuses) {
  return {.finished = [&](const FinishedRequest& about) { statuses.push_back(about.status); }};
}

TEST(Server, KnowsWhoHasGoneBeforeTheAnswer) {
  Shelf shelf;
  std::vector<int> statuses;
  const Server server(noting(statuses), {{"GET", "/later", shelf.handler()}});
  Client leaves(server.port()), stays(server.port());
  leaves.send(get_text("/later"));
  const Reply nobody = shelf.take(1)[0];
  leaves.send(get_text("/later"));  // not read before the first one is answered
  stays.send(get_text("/later"));
  const Reply somebody = shelf.take(1)[0];
  EXPECT_FALSE(nobody.gone());
  leaves.hang_up();
  EXPECT_TRUE(nobody.gone());
  EXPECT_FALSE(somebody.gone());
  somebody.send({.body = "here"});
  EXPECT_EQ(stays.answer().body, "here");
  wait_until([&] { return server.pending() == 0; });
  EXPECT_THAT(statuses, UnorderedElementsAre(0, 200));
}

TEST(Server, ClientsThatSendNoMoreGetWhatIsAnsweredAtOnce) {
  std::promise<void> end;
  const Server server({}, {{"GET", "/now", [&](const Request&, const Reply& reply) {
                              end.get_future().wait();
                              reply.send({.body = "here"});
                            }}});
  Client client(server.port());
  client.send(get_text("/now"));
  client.hang_up();
  end.set_value();
  EXPECT_EQ(client.answer().body, "here");
}

TEST(Server, AnAnswerThatIsNotReadToItsEndIsNone) {
  std::vector<int> statuses;
  const Server server(noting(statuses),
                      {{"GET", "/large", [](const Request&, const Reply& reply) {
                          reply.send({.body = std::string(std::size_t{32} << 20, 'x')});
                        }}});
  {
    Client client(server.port());
    client.send(get_text("/large"));
    client.until("\r\n\r\n");
  }
  wait_until([&] { return server.pending() == 0; });
  EXPECT_THAT(statuses, ElementsAre(0));
}

TEST(Server, DrainsBeforeItEnds) {
  Shelf shelf;
  std::vector<FinishedRequest> finished;
  std::optional<Server> server;
  ServerOptions options;
  options.finished = [&](const FinishedRequest& about) { finished.push_back(about); };
  server.emplace(options, std::vector<Route>{echo(), {"GET", "/later", shelf.handler()}});
  const uint16_t port = server->port();
  Client waiting(port), open(port), forgotten(port);
  open.send(post_text("/echo", "a"));
  EXPECT_EQ(open.answer().status, 200);
  waiting.send(get_text("/later"));
  const std::vector<Reply> replies = shelf.take(1);
  forgotten.send(get_text("/later"));
  const std::vector<Reply> unanswered = shelf.take(1);
  server->drain();
  EXPECT_THROW(Client{port}, std::runtime_error);  // nobody is let in
  open.send(post_text("/echo", "b"));
  const Answer refused = open.answer();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("retry-after"), "5");
  EXPECT_EQ(refused.header("connection"), "close");
  replies[0].send({.body = "late, and not too late"});
  EXPECT_EQ(waiting.answer().body, "late, and not too late");
  wait_until([&] { return server->pending() == 1; });
  server.reset();
  EXPECT_EQ(forgotten.answer().status, 503);
  std::vector<std::string> told;
  for (const FinishedRequest& one : finished)
    told.push_back(one.method + " " + one.path + " " + std::to_string(one.status));
  EXPECT_THAT(told, UnorderedElementsAre("POST /echo 200", "POST /echo 503", "GET /later 200",
                                         "GET /later 503"));
}

TEST(Server, LetsOthersWaitWhereTooManyAreConnected) {
  const Server server({.connections = 3}, {echo()});
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 3; ++i) {
    idle.push_back(std::make_unique<Client>(server.port()));
    idle.back()->send(post_text("/echo", "a"));
    EXPECT_EQ(idle.back()->answer().status, 200);
  }
  Client fourth(server.port());
  fourth.send(post_text("/echo", "b"));
  idle.clear();
  EXPECT_EQ(fourth.answer().status, 200);
}

TEST(Server, ClosesIdleConnections) {
  const Server server({.idle = std::chrono::seconds(1)}, {echo()});
  Client client(server.port());
  client.send("POST /echo HTTP/1.1\r\n");
  EXPECT_TRUE(client.closed());
}

TEST(Server, NamesAPortThatIsTakenAndAnAddressThatIsNone) {
  const Server server({}, {});
  try {
    const Server other({.port = server.port()}, {});
    FAIL() << "both listen";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("is taken by another program"));
  }
  EXPECT_THROW(Server({.address = "nowhere.example"}, {}), UserError);
  EXPECT_THROW(Server({.address = "203.0.113.9"}, {}), UserError);
}

TEST(Server, SurvivesWhatIsNoHttp) {
  const Server server({}, {echo()});
  for (const std::string& text :
       {std::string("\r\n\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("\x16\x03\x01\x02"),
        std::string("POST /echo HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST /echo HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        std::string("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        "GET /" + std::string(100000, 'a') + " HTTP/1.1\r\n\r\n", std::string(5000, '\0')}) {
    try {
      Client client(server.port());
      client.send(text);
    } catch (const std::runtime_error&) {  // it closed
    }
    EXPECT_EQ(ask(server.port(), post_text("/echo", "a")).status, 200);
  }
}

}  // namespace
}  // namespace heed::http
