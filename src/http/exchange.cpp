#include "http/exchange.h"

#include <poll.h>

#include <utility>

namespace heed::http {

MHD_Result Exchange::go_on(const Fields& headers, bool closing) {
  const std::scoped_lock lock(mutex_);
  if (gone_) return MHD_NO;  // closes the connection
  if (!answer_) {
    suspended_ = true;
    MHD_suspend_connection(connection_);
    return MHD_YES;
  }
  MHD_Response* response = MHD_create_response_from_buffer(
      answer_->body.size(), answer_->body.data(), MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  MHD_add_response_header(response, "Content-Type", answer_->type.c_str());
  for (const Fields* fields : {&headers, &std::as_const(*answer_).headers})
    for (const auto& [name, value] : *fields)
      MHD_add_response_header(response, name.c_str(), value.c_str());
  if (closing) MHD_add_response_header(response, "Connection", "close");
  const MHD_Result result =
      MHD_queue_response(connection_, static_cast<unsigned>(answer_->status), response);
  MHD_destroy_response(response);
  return result;
}

void Exchange::leave(bool completed) {
  const std::scoped_lock lock(mutex_);
  connection_ = nullptr;
  if (!completed) gone_ = true;
}

int Exchange::status() const {
  const std::scoped_lock lock(mutex_);
  return answer_ && !gone_ ? answer_->status : 0;
}

bool Exchange::answered() const {
  const std::scoped_lock lock(mutex_);
  return answer_.has_value();
}

void Exchange::send(Response response) {
  const std::scoped_lock lock(mutex_);
  if (answer_ || !connection_) return;
  if (suspended_) look_for_client();  // for a client that has closed its sending side, too
  answer_ = std::move(response);
  resume();
}

bool Exchange::gone() {
  const std::scoped_lock lock(mutex_);
  if (answer_ || !connection_) return !connection_;
  look_for_client();
  if (gone_) resume();
  return gone_;
}

/// A client that only closes its sending side looks the same as one that has gone. It loses
/// nothing: libmicrohttpd reads from a connection that was suspended before it writes to it, and
/// closes it where that is the end. poll() sees the end of the stream even after a further request.
void Exchange::look_for_client() {
  const MHD_ConnectionInfo* info =
      MHD_get_connection_info(connection_, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (gone_ || !info) return;
  pollfd watched{.fd = info->connect_fd, .events = POLLRDHUP, .revents = 0};
  gone_ = ::poll(&watched, 1, 0) > 0;  // poll() reports errors, too
}

void Exchange::resume() {
  if (suspended_) MHD_resume_connection(connection_);
  suspended_ = false;
}

}  // namespace heed::http
