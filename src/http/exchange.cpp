#include "http/exchange.h"

#include <algorithm>
#include <cstring>

namespace heed::http {
namespace {

constexpr std::size_t kUnread = 1 << 20;  // bytes that a client may leave unread
constexpr std::size_t kChunk = 1 << 14;   // bytes of a stream that are sent at once

}  // namespace

void Exchange::wake() {
  if (!suspended_) return;
  suspended_ = false;
  MHD_resume_connection(connection_);
}

MHD_Result Exchange::go_on(bool closing) {
  const std::scoped_lock lock(mutex_);
  if (!answer_) {
    suspended_ = true;
    MHD_suspend_connection(connection_);
    return MHD_YES;
  }
  MHD_Response* response = nullptr;
  if (streams_) {
    auto* self = new std::shared_ptr<Exchange>(shared_from_this());
    response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kChunk, read, self, release);
    if (!response) delete self;
  } else {
    response = MHD_create_response_from_buffer(answer_->body.size(), answer_->body.data(),
                                               MHD_RESPMEM_MUST_COPY);
  }
  if (!response) return MHD_NO;
  MHD_add_response_header(response, "Content-Type", answer_->type.c_str());
  for (const auto& [name, value] : answer_->headers)
    MHD_add_response_header(response, name.c_str(), value.c_str());
  if (closing) MHD_add_response_header(response, "Connection", "close");
  const MHD_Result result =
      MHD_queue_response(connection_, static_cast<unsigned>(answer_->status), response);
  MHD_destroy_response(response);
  return result;
}

void Exchange::leave() {
  const std::scoped_lock lock(mutex_);
  connection_ = nullptr;
  ended_ = true;
}

int Exchange::status() const {
  const std::scoped_lock lock(mutex_);
  return answer_ ? answer_->status : 0;
}

bool Exchange::answered() const {
  const std::scoped_lock lock(mutex_);
  return answer_.has_value();
}

void Exchange::send(Response response) {
  const std::scoped_lock lock(mutex_);
  if (answer_ || !connection_) return;
  answer_ = std::move(response);
  wake();
}

void Exchange::begin_stream(Response head) {
  const std::scoped_lock lock(mutex_);
  if (answer_ || !connection_) return;
  unread_ = std::move(head.body);
  answer_ = std::move(head);
  streams_ = true;
  wake();
}

bool Exchange::write(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  if (!streams_ || ended_ || unread_.size() + text.size() > kUnread) return false;
  unread_ += text;
  wake();
  return true;
}

void Exchange::end() {
  const std::scoped_lock lock(mutex_);
  if (!streams_ || ended_) return;
  ended_ = true;
  if (connection_) wake();
}

ssize_t Exchange::read(void* self, uint64_t, char* to, size_t most) {
  Exchange& exchange = **static_cast<std::shared_ptr<Exchange>*>(self);
  const std::scoped_lock lock(exchange.mutex_);
  std::string& unread = exchange.unread_;
  if (unread.empty()) {
    if (exchange.ended_) return MHD_CONTENT_READER_END_OF_STREAM;
    exchange.suspended_ = true;
    MHD_suspend_connection(exchange.connection_);
    return 0;
  }
  const std::size_t count = std::min(most, unread.size());
  std::memcpy(to, unread.data(), count);
  unread.erase(0, count);
  return static_cast<ssize_t>(count);
}

void Exchange::release(void* self) {
  delete static_cast<std::shared_ptr<Exchange>*>(self);
}

}  // namespace heed::http
