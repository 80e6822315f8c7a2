// The answer to one request, given at once or later, from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/message.h"

namespace heed::http {

class Exchange;

/// A body that is sent piece by piece; copies are the same one. It ends with end(), with the last
/// copy, or with the server.
class Stream {
 public:
  explicit Stream(std::shared_ptr<Exchange> exchange);

  /// False, and nothing is sent, where the client is gone, the server goes down, or the client has
  /// left a megabyte unread.
  bool write(std::string_view text) const;
  void end() const;

 private:
  struct Open;
  std::shared_ptr<Open> open_;
};

/// Copies are the same answer. The first one that is given counts. Where the last copy goes without
/// any, the client gets 500.
class Reply {
 public:
  explicit Reply(std::shared_ptr<Exchange> exchange);

  void send(Response response) const;
  /// `head`: its body is what the stream begins with.
  Stream stream(Response head) const;

 private:
  struct Promise;
  std::shared_ptr<Promise> promise_;
};

}  // namespace heed::http
