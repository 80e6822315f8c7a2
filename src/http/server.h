// An HTTP/1.1 server on libmicrohttpd: method and path choose a handler, within limits.
//
// One thread looks after all connections. A handler runs on it and is quick: it answers, or hands
// its Reply to those who will. What is wrong with a request is answered with an error in JSON: 404
// and 405 for what is nowhere, 413 for a body that is too large, 415 for a body of plain text,
// which any page may send, 400 and 500 for what a handler throws. (Text that is no HTTP at all is
// refused by libmicrohttpd, in HTML.)
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/message.h"

namespace heed::http {

using Handler = std::function<void(const Request& request, Reply reply)>;

struct Route {
  std::string method, path;
  Handler handler;
};

/// A request that was answered, or whose client has gone.
struct FinishedRequest {
  std::string method, path;  // of the route; both "other" where there is none
  int status = 0;            // 0: the client had gone before it had its answer
  double seconds = 0;        // from its first byte to the answer's last one
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // or ::1, 0.0.0.0, ::, ...; localhost is 127.0.0.1
  uint16_t port = 0;                  // 0: any that is free
  std::size_t body = 1 << 20;         // bytes of a request
  unsigned connections = 256;         // at once; others wait to be let in
  std::chrono::seconds idle{30};      // then a connection is closed on which nothing moves
  /// At an address of this machine alone, names beside localhost under which it answers, such as
  /// that of a proxy; others get 421: the page of a site may have its own name lead here, and would
  /// be allowed to read the answers.
  std::vector<std::string> names = {};
  /// Of pages that may ask from a browser, such as "https://example.org", or "*" for all. What a
  /// page of another origin sends gets 403.
  std::vector<std::string> origins = {};
  /// Called for each request, on the server's thread.
  std::function<void(const FinishedRequest&)> finished = {};
};

class Server {
 public:
  /// Listens at once. Throws UserError where the address is none or the port is taken.
  Server(ServerOptions options, std::vector<Route> routes);
  /// Requests without an answer get 503.
  ~Server();

  uint16_t port() const;
  /// "http://127.0.0.1:8000/"
  std::string url() const;

  /// From now on nobody is let in, and further requests on open connections get 503.
  void drain();
  /// Requests without an answer, or whose answer is not yet sent.
  std::size_t pending() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heed::http
