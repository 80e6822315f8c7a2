// The answer to one request, given at once or later, from any thread.
#pragma once

#include <memory>

#include "http/message.h"

namespace heed::http {

class Exchange;

/// Copies are the same answer. The first one that is given counts. Where the last copy goes without
/// any, the client gets 500.
class Reply {
 public:
  explicit Reply(std::shared_ptr<Exchange> exchange);

  void send(Response response) const;
  /// Whether nobody waits for the answer any more.
  bool gone() const;

 private:
  struct Promise;
  std::shared_ptr<Promise> promise_;
};

}  // namespace heed::http
