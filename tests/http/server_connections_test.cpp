// Who may ask a server, and how many at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "http/client.h"
#include "http/server.h"

namespace heed::http {
namespace {

using testing::Answer;
using testing::ask;
using testing::Client;
using testing::get_text;
using ::testing::HasSubstr;
using testing::post_text;

Route echo_body() {
  return {"POST", "/echo", [](const Request& request, const Reply& reply) {
            reply.send({.type = "text/plain", .body = request.type + "|" + request.body});
          }};
}

TEST(Server, AnswersUnderItsOwnNamesAloneWhereItIsForThisMachine) {
  const Server any({.address = "0.0.0.0"}, {echo_body()}),
      own({.names = {"Translate.example"}}, {echo_body()});
  const auto status = [](const Server& server, const std::string& host) {
    return ask(server.port(),
               "POST /echo HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 1\r\n\r\na")
        .status;
  };
  for (const char* name : {"localhost", "LOCALHOST:8000", "127.0.0.1:9", "[::1]", "[::1]:8000",
                           "translate.example", "translate.example:443"}) {
    EXPECT_EQ(status(any, name), 200) << name;
    EXPECT_EQ(status(own, name), 200) << name;
  }
  for (const char* name :
       {"evil.example", "evil.example:8000", "localhost.evil.example", "[::2]"}) {
    EXPECT_EQ(status(any, name), 200) << name;
    EXPECT_EQ(status(own, name), 421) << name;
  }
  EXPECT_EQ(status(own, "localhost:"), 200);
  EXPECT_EQ(status(own, "localhost:65535"), 200);
  EXPECT_EQ(status(any, "heed_1.example:80"), 200);
}

// Answers have the host in URLs.
TEST(Server, RefusesAHostThatIsNoNameWithAPort) {
  const Server any({.address = "0.0.0.0"}, {echo_body()}), own({}, {echo_body()});
  for (const char* host : {"localhost:1@evil.example",
                           "localhost:8771/evil?",
                           "localhost:8771\"><script>",
                           "127.0.0.1:80 x",
                           "localhost:99999",
                           "localhost:65536",
                           "localhost:000080",
                           "localhost:-1",
                           "localhost:+1",
                           "localhost:80:80",
                           "localhost/",
                           "user@localhost",
                           ":80",
                           "[::1",
                           "[]",
                           "[::1]evil",
                           "[::1]80",
                           "[::1]:x",
                           "[localhost]",
                           "::1",
                           "local host"})
    for (const Server* server : {&any, &own}) {
      const Answer answer =
          ask(server->port(), "POST /echo HTTP/1.1\r\nHost: " + std::string(host) +
                                  "\r\nContent-Length: 1\r\n\r\na");
      EXPECT_EQ(answer.status, 400) << host;
      EXPECT_THAT(answer.body, HasSubstr("Host: is not a name or an address")) << host;
    }
}

TEST(Server, TakesNothingFromPagesOfOtherOrigins) {
  const Server none({}, {echo_body()}), one({.origins = {"https://a.example"}}, {echo_body()}),
      all({.origins = {"*"}}, {echo_body()});
  const auto sent = [](const Server& server, const std::string& method, const std::string& origin) {
    return ask(server.port(), method + " /echo HTTP/1.1\r\nHost: localhost:7\r\nOrigin: " + origin +
                                  "\r\nContent-Length: 1\r\n\r\na");
  };
  for (const Server* server : {&none, &one, &all}) {
    const Answer own = sent(*server, "POST", "http://localhost:7");
    EXPECT_EQ(own.status, 200);
    EXPECT_EQ(own.header("access-control-allow-origin"), "");
  }
  for (const char* origin : {"https://a.example", "http://localhost:8", "null"}) {
    EXPECT_EQ(sent(none, "POST", origin).status, 403) << origin;
    EXPECT_EQ(sent(none, "OPTIONS", origin).status, 403) << origin;
    const Answer taken = sent(all, "POST", origin);
    EXPECT_EQ(taken.status, 200) << origin;
    EXPECT_EQ(taken.header("access-control-allow-origin"), origin);
  }
  EXPECT_THAT(sent(none, "POST", "https://a.example").body, HasSubstr("--allow-origin"));
  EXPECT_EQ(sent(one, "POST", "https://a.example.evil").status, 403);
  EXPECT_EQ(sent(one, "POST", "https://a.example").status, 200);
  const Answer before = sent(one, "OPTIONS", "https://a.example");
  EXPECT_EQ(before.status, 204);
  EXPECT_EQ(before.header("access-control-allow-methods"), "POST");
  EXPECT_EQ(before.header("access-control-allow-headers"), "Content-Type");
  EXPECT_EQ(before.header("vary"), "Origin");
}

TEST(Server, TakesNoPlainText) {
  const Server server({}, {echo_body()});
  const Answer answer = ask(server.port(), post_text("/echo", "a", "text/plain; charset=utf-8"));
  EXPECT_EQ(answer.status, 415);
  EXPECT_THAT(answer.body, HasSubstr("send JSON or a form"));
  EXPECT_EQ(ask(server.port(), get_text("/none")).status, 404);
}

/// Connections whose requests, or whose ends, come while the server's thread is busy, so that all
/// are ready at once when it looks again.
class ManyConnections : public ::testing::TestWithParam<int> {
 protected:
  ManyConnections() {
    for (int i = 0; i < GetParam(); ++i) {
      clients_.push_back(std::make_unique<Client>(server_.port()));
      clients_.back()->send(post_text("/echo", "first"));
    }
    for (const auto& client : clients_) client->answer();
  }
  /// Does `work` while the server waits.
  void meanwhile(const std::function<void()>& work) {
    Client holding(server_.port());
    holding.send(get_text("/hold"));
    waits_.get_future().wait();
    work();
    goes_on_.set_value();
    EXPECT_EQ(holding.answer().status, 200);
  }

  std::promise<void> waits_, goes_on_;
  Server server_{{.connections = 600},
                 {echo_body(), {"GET", "/hold", [this](const Request&, const Reply& reply) {
                                  waits_.set_value();
                                  goes_on_.get_future().wait();
                                  reply.send({.body = "done"});
                                }}}};
  std::vector<std::unique_ptr<Client>> clients_;
};

TEST_P(ManyConnections, AreAnsweredAtOnce) {
  meanwhile([&] {
    for (const auto& client : clients_) client->send(post_text("/echo", "more"));
  });
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& client : clients_) EXPECT_EQ(client->answer().body, "application/json|more");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_P(ManyConnections, MayEndAtOnce) {
  const auto begin = std::chrono::steady_clock::now();
  meanwhile([&] { clients_.clear(); });
  EXPECT_EQ(ask(server_.port(), post_text("/echo", "a")).status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

INSTANTIATE_TEST_SUITE_P(Numbers, ManyConnections,
                         ::testing::Values(1, 5, 127, 128, 129, 255, 256, 257, 333, 512),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace heed::http
