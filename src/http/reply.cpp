#include "http/reply.h"

#include <utility>

#include "http/exchange.h"

namespace heed::http {

struct Stream::Open {
  std::shared_ptr<Exchange> exchange;
  ~Open() { exchange->end(); }
};

Stream::Stream(std::shared_ptr<Exchange> exchange)
    : open_(std::make_shared<Open>(std::move(exchange))) {}

bool Stream::write(std::string_view text) const {
  return open_->exchange->write(text);
}

void Stream::end() const {
  open_->exchange->end();
}

struct Reply::Promise {
  std::shared_ptr<Exchange> exchange;
  ~Promise() {
    if (!exchange->answered()) exchange->send(error(500, "the request was not answered"));
  }
};

Reply::Reply(std::shared_ptr<Exchange> exchange)
    : promise_(std::make_shared<Promise>(std::move(exchange))) {}

void Reply::send(Response response) const {
  promise_->exchange->send(std::move(response));
}

Stream Reply::stream(Response head) const {
  promise_->exchange->begin_stream(std::move(head));
  return Stream(promise_->exchange);
}

}  // namespace heed::http
