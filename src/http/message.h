// Requests and answers as plain values. An answer may be given at once or later, from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::http {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method, path;  // path: decoded, without the query
  Fields query;              // after the ?, decoded
  std::string host;          // under which the client asks, with its port; empty: unknown
  std::string type;          // of the body: lower case, without parameters; empty: unknown
  std::string body;
  Fields form;   // the body's fields where it is an HTML form, urlencoded or multipart
  Fields files;  // for fields of a multipart form that are files: their names
};

struct Response {
  int status = 200;
  std::string type = "application/json", body;
  Fields headers = {};
};

/// The value of the first field of this name.
std::optional<std::string> find(const Fields& fields, std::string_view name);

/// An answer {"error": message}.
Response error(int status, const std::string& message, Fields headers = {});

/// An answer 429 or 503 that says after how many seconds to try again.
Response try_again(int status, const std::string& message, int64_t seconds);

/// The receiver of an answer: a connection of the server (Exchange).
class Recipient {
 public:
  virtual ~Recipient() = default;
  virtual void send(Response response) = 0;  // the first one counts
  virtual bool answered() const = 0;
  virtual bool gone() = 0;  // nobody waits for the answer any more
};

/// The means to answer a request. Copies belong to the same request, and the first answer counts.
/// If the last copy is destroyed without an answer, the client gets 500.
class Reply {
 public:
  explicit Reply(const std::shared_ptr<Recipient>& recipient);

  void send(Response response) const { recipient_->send(std::move(response)); }
  /// Whether nobody waits for the answer any more.
  bool gone() const { return recipient_->gone(); }

 private:
  std::shared_ptr<Recipient> recipient_;
};

/// The text with %C3 and the like as bytes; a % without two digits after it is text and stays.
std::string percent_decoded(std::string_view text);

/// The fields of "a=b+c&d=%C3%A9", in their order, as the WHATWG's URL standard reads them: a line
/// feed, a second = or a % without two digits after it is text and stays. (libmicrohttpd ends a
/// value there, and says nothing.) Bytes that are no UTF-8 stay, too.
Fields urlencoded_fields(std::string_view text);

}  // namespace heed::http
