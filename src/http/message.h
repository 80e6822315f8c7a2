// What a client asks and what it is answered, as plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::http {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method, path;  // path: decoded, without the query
  Fields query;              // behind the ?, decoded
  std::string type;          // of the body: lower case, without parameters; empty: not said
  std::string body;
  Fields form;  // the body's fields where it is an HTML form, urlencoded or multipart
};

struct Response {
  int status = 200;
  std::string type = "application/json", body;
  Fields headers = {};
};

/// The value of the first field of this name.
std::optional<std::string> find(const Fields& fields, std::string_view name);

/// {"error": message}.
Response error(int status, const std::string& message, Fields headers = {});

/// 429 or 503, with when to try again.
Response try_again(int status, const std::string& message, int64_t seconds);

}  // namespace heed::http
