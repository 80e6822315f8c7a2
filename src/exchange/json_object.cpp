#include "exchange/json_object.h"

#include <cstddef>
#include <type_traits>

#include "base/error.h"
#include "base/json.h"
#include "base/strings.h"

namespace heed::exchange {
namespace {

using nlohmann::json;

constexpr int64_t kMostIds = 2'000'000;

}  // namespace

json json_in(std::string_view text, const std::string& place) {
  try {
    return json_of(text);
  } catch (const UserError& error) {
    throw UserError("{}: is {}", place, error.what());
  }
}

JsonObject::JsonObject(const Package& package, const std::string& file)
    : json_(json_in(package.read(file).view, package.place_of(file))),
      place_(package.place_of(file)) {
  if (!json_.is_object()) throw UserError(place_ + ": is no JSON object");
}

bool JsonObject::has(const std::string& key) const {
  const auto found = json_.find(key);
  return found != json_.end() && !found->is_null();
}

template <class Value>
Value JsonObject::get(const std::string& key, const char* kind) const {
  const auto found = json_.find(key);
  if (found == json_.end()) throw UserError("{}: has no '{}'", place_, key);
  const bool fits = std::is_same_v<Value, bool>      ? found->is_boolean()
                    : std::is_same_v<Value, int64_t> ? found->is_number_integer()
                    : std::is_same_v<Value, double>  ? found->is_number()
                                                     : found->is_string();
  if (!fits)
    throw UserError("{}: '{}' is {}, and not {}", place_, key,
                    one_line(found->dump(-1, ' ', false, json::error_handler_t::replace)), kind);
  return found->get<Value>();
}

int64_t JsonObject::number(const std::string& key) const {
  return get<int64_t>(key, "a whole number");
}
int64_t JsonObject::number(const std::string& key, int64_t otherwise) const {
  return has(key) ? number(key) : otherwise;
}
double JsonObject::real(const std::string& key, double otherwise) const {
  return has(key) ? get<double>(key, "a number") : otherwise;
}
bool JsonObject::flag(const std::string& key, bool otherwise) const {
  return has(key) ? get<bool>(key, "true or false") : otherwise;
}
std::string JsonObject::text(const std::string& key, const std::string& otherwise) const {
  return has(key) ? get<std::string>(key, "a text") : otherwise;
}

std::vector<std::string> pieces_in(const json& json, const std::string& place) {
  std::vector<std::string> pieces;
  if (json.is_array()) {
    for (const auto& piece : json) {
      if (!piece.is_string()) throw UserError("{}: piece {} is no text", place, pieces.size());
      pieces.push_back(piece);
    }
    return pieces;
  }
  if (!json.is_object()) throw UserError(place + ": is neither an object nor a list of pieces");
  for (const auto& [piece, id] : json.items()) {
    if (!id.is_number_integer() || id < 0 || id >= kMostIds)
      throw UserError("{}: the id of '{}' is no number from 0 to {}", place, one_line(piece),
                      kMostIds - 1);
    const auto at = id.template get<std::size_t>();
    if (at >= pieces.size()) pieces.resize(at + 1);
    if (!pieces[at].empty())
      throw UserError("{}: '{}' and '{}' have the same id, {}", place, one_line(pieces[at]),
                      one_line(piece), at);
    pieces[at] = piece;
  }
  return pieces;
}

}  // namespace heed::exchange
