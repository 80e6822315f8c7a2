#include "http/message.h"

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

}  // namespace heed::http
