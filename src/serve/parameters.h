// What a request asks for, by name: the members of a JSON object, or the fields of a form.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "http/message.h"

namespace heed::serve {

/// All throw UserError that names the parameter and says what it may be.
class Parameters {
 public:
  explicit Parameters(const http::Request& request);

  /// "" where it is missing or null.
  std::string text(const char* name) const;
  /// Throws where it is missing.
  std::string required_text(const char* name) const;
  struct Texts {
    std::vector<std::string> values;
    bool is_list = false;
  };
  /// One text or a list of them; none where it is missing.
  Texts texts(const char* name) const;
  /// `missing` where it is missing.
  int64_t whole(const char* name, int64_t missing, int64_t low, int64_t high) const;

 private:
  nlohmann::json values_;  // an object
};

/// The lines of a text as `heed translate` would read them; at least one.
std::vector<std::string> lines_of(const std::string& text);

/// The text as one line. Throws UserError where it has several.
std::string one_line_of(const std::string& text, const char* name);

}  // namespace heed::serve
