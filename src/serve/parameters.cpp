#include "serve/parameters.h"

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "text/lines.h"

namespace heed::serve {
namespace {

using nlohmann::json;

json parse(const std::string& body) {
  try {
    json value = json::parse(body);
    if (!value.is_object()) throw UserError("the body is JSON, but no object: {\"q\": \"...\"}");
    return value;
  } catch (const json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 9: ...; last read: ..."
    const std::string what = error.what();
    const std::size_t start = what.find("] ");
    throw UserError("the body is neither a form nor JSON: " +
                    one_line(start == std::string::npos ? what : what.substr(start + 2), 200));
  }
}

/// A name that is there several times is a list.
json object_of(const http::Fields& form) {
  json out = json::object();
  for (const auto& [name, value] : form) {
    if (!out.contains(name)) {
      out[name] = value;
    } else {
      if (!out[name].is_array()) out[name] = json::array({out[name]});
      out[name].push_back(value);
    }
  }
  return out;
}

[[noreturn]] void refuse(const char* name, const std::string& what) {
  throw UserError(std::string(name) + ": " + what);
}

}  // namespace

Parameters::Parameters(const http::Request& request) {
  // curl calls JSON a form, unless it is told otherwise.
  const bool is_json = trim(request.body).starts_with('{') || request.form.empty();
  values_ = is_json ? parse(request.body) : object_of(request.form);
}

Parameters::Texts Parameters::texts(const char* name) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->is_null()) return {};
  if (found->is_string()) return {{found->get<std::string>()}, false};
  if (!found->is_array() ||
      !std::ranges::all_of(*found, [](const json& one) { return one.is_string(); }))
    refuse(name, "must be a text or a list of texts");
  return {found->get<std::vector<std::string>>(), true};
}

std::string Parameters::text(const char* name) const {
  const Texts all = texts(name);
  if (all.is_list) refuse(name, "must be one text");
  return all.values.empty() ? "" : all.values[0];
}

std::string Parameters::required_text(const char* name) const {
  const Texts all = texts(name);
  if (all.is_list) refuse(name, "must be one text");
  if (all.values.empty()) refuse(name, "is missing");
  return all.values[0];
}

int64_t Parameters::whole(const char* name, int64_t missing, int64_t low, int64_t high) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->is_null()) return missing;
  int64_t value = low - 1;
  if (found->is_number_unsigned()) {
    value = static_cast<int64_t>(std::min<uint64_t>(found->get<uint64_t>(), INT64_MAX));
  } else if (found->is_number_integer()) {
    value = found->get<int64_t>();
  } else if (found->is_string()) {
    value = exact_number<int64_t>(found->get_ref<const std::string&>()).value_or(low - 1);
  }
  if (value < low || value > high)
    refuse(name, fmt::format("must be a whole number from {} to {}", low, high));
  return value;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = text::clean_line(lines[i]);
  return lines;
}

std::string one_line_of(const std::string& text, const char* name) {
  std::vector<std::string> lines = lines_of(text);
  if (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  if (lines.size() > 1) refuse(name, "must be one line; send one at a time");
  return lines[0];
}

}  // namespace heed::serve
