// JSON of other programs, of which everything is checked.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/package.h"

namespace heed::exchange {

/// Throws UserError that begins with `place` where the text is no JSON, or nested too deep.
nlohmann::json json_in(std::string_view text, const std::string& place);

/// One object of JSON. Each function throws UserError that names the file and the key where a value
/// is missing or of another kind.
class JsonObject {
 public:
  /// Throws UserError, too, where the file is no JSON, or no object.
  JsonObject(const Package& package, const std::string& file);
  JsonObject() : json_(nlohmann::json::object()) {}  // without keys

  bool has(const std::string& key) const;  // and is not null
  int64_t number(const std::string& key) const;
  int64_t number(const std::string& key, int64_t otherwise) const;
  double real(const std::string& key, double otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  const nlohmann::json& all() const { return json_; }
  const std::string& place() const { return place_; }

 private:
  template <class Value>
  Value get(const std::string& key, const char* kind) const;

  nlohmann::json json_;
  std::string place_;
};

/// The pieces of {"piece": id, ...} or ["piece", ...] by their ids; an id without a piece has an
/// empty name. Throws UserError that begins with `place`.
std::vector<std::string> pieces_in(const nlohmann::json& json, const std::string& place);

}  // namespace heed::exchange
