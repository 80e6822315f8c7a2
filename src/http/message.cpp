#include "http/message.h"

#include <microhttpd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

Reply::Reply(const std::shared_ptr<Recipient>& recipient)
    : recipient_(recipient.get(), [recipient](Recipient* one) {
        if (!one->answered()) one->send(error(500, "the request was not answered"));
      }) {}

std::string percent_decoded(std::string_view text) {
  std::string out(text);
  out.resize(MHD_http_unescape(out.data()));
  return out;
}

Fields urlencoded_fields(std::string_view text) {
  const auto with_blanks = [](std::string_view encoded) {
    std::string out(encoded);
    std::ranges::replace(out, '+', ' ');
    return out;
  };
  Fields fields;
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(field.size() + 1, text.size()));
    if (field.empty()) continue;
    const std::string_view name = field.substr(0, field.find('='));
    const std::string_view value = field.substr(std::min(name.size() + 1, field.size()));
    fields.emplace_back(percent_decoded(with_blanks(name)), percent_decoded(with_blanks(value)));
  }
  return fields;
}

}  // namespace heed::http
