// The queue in which requests wait for the models, and are translated together.
//
// Lines of several requests share batches where that changes nobody's output: for models that give
// a line the same bits in any batch (decode::LineTranslator::is_same_in_any_batch). Other requests
// are translated alone. So an answer always equals the output of `heed translate` for a file of its
// lines. Shared batches take a line of each request in turn, and have a bounded size; other
// requests take turns, each with as many batches of `heed translate` as there are threads (with
// sampling: with a chunk of lines of it). Every second turn begins with the request that has waited
// longest for one, so that none waits for ever; the others begin with the request that has the
// least text left, so that a short request does not wait for the turns of many long ones.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "decode/search/line_translator.h"
#include "decode/search/lines_request.h"
#include "http/message.h"
#include "http/service_metrics.h"
#include "serve/served_model.h"

namespace heed::serve {

struct Limits {
  int64_t queue = 1000;               // lines of all requests together that may wait
  std::chrono::seconds patience{30};  // after this time a request is given up
  int64_t threads = 1;                // threads with which the models translate
};

/// A request for translations of lines by one model.
struct QueuedLines {
  std::size_t model = 0;
  decode::LinesRequest request = {};
  /// Whether the lines are the sentences of a document. `heed translate` cuts a document after so
  /// many sentences, and a text after so many lines, of which each may have several sentences.
  bool is_document = false;
  /// Makes the response from the result of translate() for the request, a translation for each
  /// line.
  std::function<http::Response(const decode::LinesRequest&, std::vector<decode::Translation>)>
      answer = {};
};

/// Other work of a model for a request.
struct Task {
  std::size_t model = 0;
  std::size_t bytes = 0;  // of its text, by which its turn is chosen; 0: it takes no time
  /// Makes the response, or lines to be translated, whose response is then that of the request.
  std::function<std::variant<http::Response, QueuedLines>(const decode::LineTranslator&)> answer;
};

class RequestQueue {
 public:
  /// `models` and `metrics` must outlive this object.
  RequestQueue(const std::vector<ServedModel>& models, const Limits& limits,
               http::ServiceMetrics& metrics);

  // May be called from any thread. Where the queue is full, the client gets 429.
  void take(QueuedLines lines, const http::Reply& reply);
  void take(Task task, const http::Reply& reply);

  /// Translates one batch or does one task, and answers the requests that are then complete; waits
  /// at most `wait` for a request to come. Requests that have waited too long get 503, and those
  /// whose client has gone are dropped, even while they are searched for. An exception of a model
  /// is answered with 400 or 500. Returns whether there was anything to do. For one thread.
  bool work(std::chrono::milliseconds wait);

  /// Counts for /metrics that this model has translated so many lines together, in a batch or for a
  /// task.
  void count(const ServedModel& model, std::size_t lines, double seconds);

  int64_t waiting() const;  // how many lines wait; a task counts as one

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry;
  using EntryPtr = std::shared_ptr<Entry>;
  struct BatchLine {  // a line of a batch
    EntryPtr entry;
    std::size_t line;
  };

  void take(EntryPtr entry);
  void set_lines(Entry& entry, QueuedLines lines) const;
  bool is_late(const Entry& entry) const;
  void drop_late_and_abandoned();
  int64_t size_of(const Entry& entry, std::size_t line) const;
  EntryPtr next_entry();
  void answer_task(const EntryPtr& entry);
  bool shares_batches(const Entry& entry) const;
  void plan_turns(Entry& entry) const;
  std::vector<BatchLine> next_batch(const EntryPtr& first) const;
  void translate(const std::vector<BatchLine>& batch);
  void answer_complete(const std::vector<BatchLine>& batch);
  void remove(const EntryPtr& entry);

  const std::vector<ServedModel>& models_;
  Limits limits_;
  http::ServiceMetrics& metrics_;
  mutable std::mutex mutex_;
  std::condition_variable came_;
  std::deque<EntryPtr> entries_;  // the one that has waited longest for a turn first
  bool is_turn_of_shortest_ = false;
  int64_t waiting_ = 0;
  double seconds_per_line_ = 0.05;  // recent average, from which clients learn when to try again
};

}  // namespace heed::serve
