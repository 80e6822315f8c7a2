// What the server offers: a page, LibreTranslate's interface, and what attention does.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "http/metrics.h"
#include "http/server.h"
#include "serve/desk.h"
#include "serve/model.h"

namespace heed::serve {

class Service {
 public:
  Service(std::vector<Model> models, const Limits& limits);
  Service(const Service&) = delete;  // its routes know where it is
  Service& operator=(const Service&) = delete;

  /// They are valid as long as this object. docs/serving.md says what each takes and gives.
  std::vector<http::Route> routes();
  /// For ServerOptions: requests are counted.
  void note(const http::Finished& about);
  /// /health says so.
  void drain() { draining_ = true; }

  /// The thread that calls this is the one that translates (Desk::work).
  bool work(std::chrono::milliseconds wait) { return desk_.work(wait); }
  int64_t waiting() const { return desk_.waiting(); }

 private:
  void translate(const http::Request& request, const http::Reply& reply);
  void attention(const http::Request& request, const http::Reply& reply);
  void candidates(const http::Request& request, const http::Reply& reply);
  void detect(const http::Request& request, const http::Reply& reply);
  http::Response languages() const;
  http::Response health() const;
  http::Response metrics();
  std::vector<std::string> names() const;

  std::vector<Model> models_;
  Limits limits_;
  http::Metrics metrics_;
  Desk desk_;
  std::atomic<bool> draining_ = false;
};

}  // namespace heed::serve
