#include "draw/page/page.h"

#include "base/error.h"
#include "base/strings.h"
#include "draw/page/embedded.h"
#include "draw/svg.h"

namespace heed::draw {
namespace {

std::string_view page_file(std::string_view name) {
  for (const auto& [known, text] : kPageFiles)
    if (name == known) return text;
  throw Bug("no page file is called " + std::string(name));
}

/// Null where it is not there.
const PageData& value_of(const PageData& data, const std::string& name) {
  static const PageData nothing;
  if (name == ".") return data;
  const auto found = data.is_object() ? data.find(name) : data.end();
  return found == data.end() ? nothing : *found;
}

bool is_something(const PageData& value) {
  return !value.empty() && value != false && value != "";
}

/// Cuts what comes before `end` off, and `end`.
std::string_view cut(std::string_view& page, std::string_view end) {
  const std::size_t at = page.find(end);
  expect(at != std::string_view::npos, "a page file closes what it opens");
  const std::string_view before = page.substr(0, at);
  page.remove_prefix(at + end.size());
  return before;
}

/// Cuts the section off that has just begun.
std::string_view cut_section(std::string_view& page, const std::string& name) {
  const std::string_view whole = page;
  for (int open = 1; open > 0;) {
    cut(page, "{{");
    const std::string_view tag = page.substr(0, page.find("}}"));
    if (!tag.empty() && tag.substr(1) == name)
      open += tag.front() == '/' ? -1 : tag.front() == '#' || tag.front() == '^' ? 1 : 0;
  }
  const std::string_view section = whole.substr(0, whole.size() - page.size() - 2);
  cut(page, "}}");
  return section;
}

void drop_line_break(std::string_view& page) {
  if (page.starts_with('\n')) page.remove_prefix(1);
}

void append(std::string& out, std::string_view page, const PageData& data) {
  for (std::size_t at; (at = page.find("{{")) != std::string_view::npos;) {
    out += page.substr(0, at);
    page.remove_prefix(at + 2);
    const char kind = page.front();
    const bool raw = kind == '{', plain = std::string_view("{#^>").find(kind) == std::string::npos;
    if (!plain) page.remove_prefix(1);
    const std::string name(trim(cut(page, raw ? "}}}" : "}}")));
    const PageData& value = value_of(data, name);
    if (raw || plain) {
      if (!value.is_string()) throw Bug("a page file asks for a text called " + name);
      const auto& text = value.get_ref<const std::string&>();
      out += raw ? text : xml_escape(text);
      continue;
    }
    drop_line_break(page);
    if (kind == '>') {
      append(out, page_file(name), data);
      continue;
    }
    const std::string_view section = cut_section(page, name);
    drop_line_break(page);
    if (is_something(value) == (kind == '^')) continue;
    if (value.is_array())
      for (const PageData& item : value) append(out, section, item);
    else
      append(out, section, value.is_object() ? value : data);
  }
  out += page;
}

}  // namespace

std::string render(std::string_view file, const PageData& data) {
  std::string out;
  append(out, page_file(file), data);
  return out;
}

}  // namespace heed::draw
