// What the server offers: a page, LibreTranslate's interface, and what attention does.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "http/message.h"
#include "http/server.h"
#include "http/service_metrics.h"
#include "serve/request_queue.h"
#include "serve/served_model.h"

namespace heed::serve {

class Service {
 public:
  Service(std::vector<ServedModel> models, const Limits& limits);
  Service& operator=(Service&&) = delete;  // its routes know where it is

  /// They are valid as long as this object. docs/serving.md says what each takes and gives.
  std::vector<http::Route> routes();
  /// For ServerOptions: requests are counted.
  void note(const http::FinishedRequest& about);
  /// /health says so.
  void drain() { draining_ = true; }

  /// The thread that calls this is the one that translates (RequestQueue::work).
  bool work(std::chrono::milliseconds wait) { return queue_.work(wait); }
  int64_t waiting() const { return queue_.waiting(); }

 private:
  void translate(const http::Request& request, const http::Reply& reply);
  void attention(const http::Request& request, const http::Reply& reply);
  void steps(const http::Request& request, const http::Reply& reply);
  void candidates(const http::Request& request, const http::Reply& reply);
  void detect(const http::Request& request, const http::Reply& reply);
  http::Response languages() const;
  http::Response health() const;
  http::Response metrics();

  std::vector<ServedModel> models_;
  Limits limits_;
  http::ServiceMetrics metrics_;
  RequestQueue queue_;
  std::atomic<bool> draining_ = false;
};

}  // namespace heed::serve
