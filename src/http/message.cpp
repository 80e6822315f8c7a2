#include "http/message.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

namespace heed::http {

std::optional<std::string> find(const Fields& fields, std::string_view name) {
  for (const auto& [key, value] : fields)
    if (key == name) return value;
  return {};
}

Response error(int status, const std::string& message, Fields headers) {
  const nlohmann::json body{{"error", message}};
  return {.status = status,
          .body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n",
          .headers = std::move(headers)};
}

Response try_again(int status, const std::string& message, int64_t seconds) {
  return error(status, message, {{"Retry-After", std::to_string(seconds)}});
}

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

namespace {

/// -1: it is none.
int hexadecimal_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string without_codes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_code = text[i] == '%' && i + 2 < text.size() &&
                         hexadecimal_digit(text[i + 1]) >= 0 && hexadecimal_digit(text[i + 2]) >= 0;
    if (is_code) {
      out +=
          static_cast<char>(16 * hexadecimal_digit(text[i + 1]) + hexadecimal_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

Fields urlencoded_fields(std::string_view text) {
  Fields fields;
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(field.size() + 1, text.size()));
    if (field.empty()) continue;
    const std::string_view name = field.substr(0, field.find('='));
    const std::string_view value = field.substr(std::min(name.size() + 1, field.size()));
    fields.emplace_back(without_codes(name), without_codes(value));
  }
  return fields;
}

}  // namespace heed::http
