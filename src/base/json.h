// JSON that comes from outside: from a client, from another program, from a file that anyone can
// write.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace heed {

/// The most lists and objects that may be inside each other. The library recurses for each of them
/// when it copies, compares or writes a value, and a deeply nested text would overflow the stack of
/// a thread.
inline constexpr int kDeepestJson = 100;

/// The value of a text. `Json` is nlohmann::json or nlohmann::ordered_json. Throws UserError that
/// says what the text is: "JSON nested deeper than 100 lists and objects", which is not parsed, or
/// "no JSON: parse error at line 1, ...".
template <class Json = nlohmann::json>
Json json_of(std::string_view text);

/// The same, but a value that is_discarded() where json_of() throws.
template <class Json = nlohmann::json>
Json json_or_discarded(std::string_view text);

extern template nlohmann::json json_of(std::string_view text);
extern template nlohmann::ordered_json json_of(std::string_view text);
extern template nlohmann::json json_or_discarded(std::string_view text);
extern template nlohmann::ordered_json json_or_discarded(std::string_view text);

}  // namespace heed
