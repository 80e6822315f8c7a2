#include "http/reply.h"

#include <utility>

#include "http/exchange.h"

namespace heed::http {

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

bool Reply::gone() const {
  return promise_->exchange->gone();
}

}  // namespace heed::http
