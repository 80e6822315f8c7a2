// The answer to one request, given at once or later, from any thread.
#pragma once

#include <memory>

#include "http/message.h"

namespace heed::http {

/// Whom an answer reaches: a connection of the server (Exchange).
class Recipient {
 public:
  virtual ~Recipient() = default;
  virtual void send(Response response) = 0;  // the first one counts
  virtual bool answered() const = 0;
  virtual bool gone() = 0;  // nobody waits for the answer any more
};

/// Copies are the same answer. The first one that is given counts. Where the last copy goes without
/// any, the client gets 500.
class Reply {
 public:
  explicit Reply(std::shared_ptr<Recipient> recipient);

  void send(Response response) const;
  /// Whether nobody waits for the answer any more.
  bool gone() const;

 private:
  struct Promise;
  std::shared_ptr<Promise> promise_;
};

}  // namespace heed::http
