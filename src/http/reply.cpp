#include "http/reply.h"

#include <utility>

namespace heed::http {

struct Reply::Promise {
  std::shared_ptr<Recipient> recipient;
  ~Promise() {
    if (!recipient->answered()) recipient->send(error(500, "the request was not answered"));
  }
};

Reply::Reply(std::shared_ptr<Recipient> recipient)
    : promise_(std::make_shared<Promise>(std::move(recipient))) {}

void Reply::send(Response response) const {
  promise_->recipient->send(std::move(response));
}

bool Reply::gone() const {
  return promise_->recipient->gone();
}

}  // namespace heed::http
