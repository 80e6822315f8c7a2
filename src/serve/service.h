// The requests that the server answers: for its page, for LibreTranslate's interface, and for
// attention.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "http/message.h"
#include "http/server.h"
#include "http/service_metrics.h"
#include "serve/request_queue.h"
#include "serve/served_model.h"
#include "serve/translated_files.h"

namespace heed::document {
struct DocumentFormat;  // document/format.h
}  // namespace heed::document

namespace heed::serve {

class Service {
 public:
  Service(std::vector<ServedModel> models, const Limits& limits);
  Service& operator=(Service&&) = delete;  // its routes point to it

  /// The routes of all requests, which are valid as long as this object. docs/serving.md describes
  /// them.
  std::vector<http::Route> routes();
  /// Counts a finished request; for ServerOptions::finished.
  void note(const http::FinishedRequest& about);
  /// Lets /health say that the server is shutting down.
  void drain() { draining_ = true; }

  /// Translates what waits (RequestQueue::work), in the thread that calls it.
  bool work(std::chrono::milliseconds wait) { return queue_.work(wait); }
  int64_t waiting() const { return queue_.waiting(); }

 private:
  void translate(const http::Request& request, const http::Reply& reply);
  void attention(const http::Request& request, const http::Reply& reply);
  void steps(const http::Request& request, const http::Reply& reply);
  void candidates(const http::Request& request, const http::Reply& reply);
  void translate_file(const http::Request& request, const http::Reply& reply);
  struct SentDocument {
    std::string name, bytes, host;
  };
  std::variant<http::Response, QueuedLines> document_of(const SentDocument& sent,
                                                        const document::DocumentFormat& format,
                                                        const Parameters& parameters,
                                                        std::size_t chosen);
  void download_file(const http::Request& request, const http::Reply& reply);
  void detect(const http::Request& request, const http::Reply& reply);
  http::Response languages() const;
  http::Response settings() const;
  http::Response health() const;
  http::Response metrics();

  std::vector<ServedModel> models_;
  Limits limits_;
  http::ServiceMetrics metrics_;
  RequestQueue queue_;
  TranslatedFiles files_;
  std::atomic<bool> draining_ = false;
};

}  // namespace heed::serve
