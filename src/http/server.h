// An HTTP/1.1 server on libmicrohttpd: method and path choose a handler, within limits.
//
// One thread looks after all connections. A handler runs on it and must be quick: it answers, or
// passes its Reply to another thread. A wrong request gets an error in JSON: 404 and 405 for a path
// or method that does not exist, 413 for a body that is too large, 415 for a body of plain text,
// which any page may send, 400 and 500 for exceptions of a handler. (Text that is no HTTP at all is
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
  std::string method, path;  // of the route; both are "other" where there is no route
  int status = 0;            // 0: the client had gone before it had its answer
  double seconds = 0;        // from its first byte to the answer's last one
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // or ::1, 0.0.0.0, ::, ...; localhost is 127.0.0.1
  uint16_t port = 0;                  // 0: any that is free
  std::size_t body = 1 << 20;         // most bytes of a request's body
  unsigned connections = 256;         // at once; others wait to be let in
  std::chrono::seconds idle{30};      // after this time without traffic a connection is closed
  /// With an address that only this machine can reach: the names beside localhost under which it
  /// answers, such as that of a proxy. Other names get 421, because a site may let its own name
  /// lead to this address, and its pages would be allowed to read the answers.
  std::vector<std::string> names = {};
  /// Origins of pages that may send requests from a browser, such as "https://example.org", or "*"
  /// for all. Requests of pages of other origins get 403.
  std::vector<std::string> origins = {};
  /// Called for each request, on the server's thread.
  std::function<void(const FinishedRequest&)> finished = {};
};

class Server {
 public:
  /// Listens at once. Throws UserError where `address` is no address or the port is taken.
  Server(ServerOptions options, std::vector<Route> routes);
  /// Requests without an answer get 503.
  ~Server();

  uint16_t port() const;
  /// The address of the server as a URL: "http://127.0.0.1:8000/".
  std::string url() const;

  /// From now on new connections are refused, and further requests on open ones get 503.
  void drain();
  /// The number of requests without an answer, or whose answer is not yet sent.
  std::size_t pending() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heed::http
