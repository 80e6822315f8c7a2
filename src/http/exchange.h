// One request's answer on its way through the server: the room's inside, which alone knows
// libmicrohttpd.
#pragma once

#include <microhttpd.h>

#include <mutex>
#include <optional>

#include "http/message.h"

namespace heed::http {

/// Calls of the network's thread and of whoever answers meet here. While there is nothing to send,
/// the connection is suspended and costs nothing.
class Exchange : public Recipient {
 public:
  explicit Exchange(MHD_Connection* connection) : connection_(connection) {}

  // Of the network's thread alone.
  /// Hands the answer to libmicrohttpd, or suspends the connection until there is one. `headers`
  /// are the answer's, before its own.
  MHD_Result go_on(const Fields& headers, bool closing);
  /// The connection has no more to do with it. `completed`: the answer was sent to its end.
  void leave(bool completed);
  int status() const;  // of the answer; 0: the client had gone before it had one

  // Of any thread.
  void send(Response response) override;
  bool answered() const override;
  /// Whether the client has closed the connection and has no answer yet. libmicrohttpd does not
  /// look while the connection is suspended.
  bool gone() override;

 private:
  void look_for_client();
  void resume();

  mutable std::mutex mutex_;
  MHD_Connection* connection_;  // null: gone
  std::optional<Response> answer_;
  bool suspended_ = false, gone_ = false;
};

}  // namespace heed::http
