// One request's answer on its way through the server. Inside http/ only, the one room that uses
// libmicrohttpd.
#pragma once

#include <microhttpd.h>

#include <mutex>
#include <optional>

#include "http/message.h"

namespace heed::http {

/// Passes an answer from any thread to the network's thread. While there is nothing to send, the
/// connection is suspended and costs nothing.
class Exchange : public Recipient {
 public:
  explicit Exchange(MHD_Connection* connection) : connection_(connection) {}

  // The network's thread alone calls these.
  /// Hands the answer to libmicrohttpd, or suspends the connection until there is one. `headers`
  /// come before the answer's own.
  MHD_Result go_on(const Fields& headers, bool closing);
  /// To be called when the connection has finished with this object. `completed`: the answer was
  /// sent to its end.
  void leave(bool completed);
  int status() const;  // status of the answer; 0: the client had gone before it

  // Any thread may call this.
  void send(Response response) override;
  bool answered() const override;
  /// Whether the client has closed the connection and has no answer yet. This is checked here
  /// because libmicrohttpd does not look while the connection is suspended.
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
