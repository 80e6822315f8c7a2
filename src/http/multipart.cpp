#include "http/multipart.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/strings.h"

namespace heed::http {
namespace {

[[noreturn]] void refuse_form() {
  throw UserError(
      "the body is no whole multipart form; send it up to its last boundary, or send JSON");
}

/// The text of a quoted string, of which the quotes are no part: \" and \\ are " and \. Any other
/// backslash is itself, as in C:\text.
std::string without_backslashes(std::string_view quoted) {
  std::string out;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    const bool escapes = quoted[i] == '\\' && i + 1 < quoted.size() &&
                         (quoted[i + 1] == '"' || quoted[i + 1] == '\\');
    out += quoted[i += escapes ? 1 : 0];
  }
  return out;
}

/// Takes the next parameter, `; name=value` or `; name="value"`, from the beginning of `rest`, with
/// its name in lower case. Returns nothing where there is no further one.
std::optional<std::pair<std::string, std::string>> next_parameter(std::string_view& rest) {
  const std::size_t begin = rest.find(';');
  if (begin == rest.npos) return std::nullopt;
  rest.remove_prefix(begin + 1);
  const std::size_t name_end = std::min(rest.find_first_of("=;"), rest.size());
  const std::string name = ascii_lower(trim(rest.substr(0, name_end)));
  rest.remove_prefix(name_end);
  if (!rest.starts_with('=')) return std::pair(name, std::string());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t", 1), rest.size()));
  if (!rest.starts_with('"')) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string value(trim(rest.substr(0, end)));
    rest.remove_prefix(end);
    return std::pair(name, value);
  }
  std::size_t end = 1;
  while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
  end = std::min(end, rest.size());
  const std::string value = without_backslashes(rest.substr(1, end - 1));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return std::pair(name, value);
}

/// A name without the codes that browsers write in it, those of the WHATWG's HTML standard: %22,
/// %0D and %0A. Any other % is itself.
std::string form_name(std::string_view written) {
  std::string out;
  for (std::size_t at = 0; at < written.size();) {
    const std::string code = ascii_lower(written.substr(at, 3));
    const char c = code == "%22" ? '"' : code == "%0d" ? '\r' : code == "%0a" ? '\n' : '\0';
    out += c == '\0' ? written[at] : c;
    at += c == '\0' ? 1 : code.size();
  }
  return out;
}

/// The name in a filename*: UTF-8''na%C3%AFve.txt.
std::string extended_name(std::string_view written) {
  const std::size_t charset = written.find('\'');
  const std::size_t language =
      charset == written.npos ? written.npos : written.find('\'', charset + 1);
  if (language == written.npos || ascii_lower(written.substr(0, charset)) != "utf-8")
    throw UserError("the multipart form has a filename* that is not UTF-8; send filename alone");
  return percent_decoded(written.substr(language + 1));
}

/// Takes the next line from `rest`, which has its line feed, and returns it without its end. Throws
/// UserError where there is none.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  if (end == rest.npos) refuse_form();
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

struct PartHead {
  std::optional<std::string> name, file;
};

/// Takes the head of a part from `rest`, up to the empty line after it.
PartHead take_head(std::string_view& rest) {
  PartHead head;
  for (std::string_view line = next_line(rest); !line.empty(); line = next_line(rest)) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) refuse_form();
    const std::string field = ascii_lower(trim(line.substr(0, colon)));
    std::string_view value = trim(line.substr(colon + 1));
    if (field == "content-transfer-encoding") {
      const std::string encoding = ascii_lower(value);
      if (encoding == "base64" || encoding == "quoted-printable")
        throw UserError("the multipart form has a part in {}; send its bytes as they are",
                        encoding);
    }
    if (field != "content-disposition") continue;
    std::optional<std::string> extended;
    while (const auto parameter = next_parameter(value)) {
      if (parameter->first == "name") head.name = form_name(parameter->second);
      if (parameter->first == "filename") head.file = form_name(parameter->second);
      if (parameter->first == "filename*") extended = extended_name(parameter->second);
    }
    if (extended) head.file = extended;
  }
  return head;
}

std::string boundary_of(std::string_view type) {
  while (const auto parameter = next_parameter(type))
    if (parameter->first == "boundary") return parameter->second;
  return "";
}

}  // namespace

MultipartForm read_multipart(std::string_view body, std::string_view type) {
  const std::string boundary = boundary_of(type);
  if (boundary.empty()) refuse_form();
  const std::string line = "--" + boundary, after_line_feed = "\n" + line;
  MultipartForm form;
  // What stands before the first boundary is no part of the form.
  std::size_t begin = body.starts_with(line) ? 0 : body.find(after_line_feed) + 1;
  if (begin == 0 && !body.starts_with(line)) refuse_form();
  std::string_view rest = body.substr(begin + line.size());
  while (!rest.starts_with("--")) {
    if (!trim(next_line(rest)).empty()) refuse_form();
    const PartHead head = take_head(rest);
    if (!head.name) throw UserError("the multipart form has a part without a name");
    // A part may be empty: its end is then the end of the line before.
    const bool is_empty = rest.starts_with(line);
    const std::size_t end = is_empty ? 0 : rest.find(after_line_feed);
    if (end == rest.npos) refuse_form();
    std::string_view value = rest.substr(0, end);
    if (value.ends_with('\r')) value.remove_suffix(1);
    form.fields.emplace_back(*head.name, value);
    if (head.file) form.files.emplace_back(*head.name, *head.file);
    rest.remove_prefix(end + (is_empty ? 0 : 1) + line.size());
  }
  return form;
}

}  // namespace heed::http
