#include "draw/html.h"

#include <string_view>

#include "base/error.h"
#include "draw/svg.h"

namespace heed::draw {

std::string element(const std::string& tag, const std::string& content,
                    const std::string& attributes) {
  const std::string name = tag.substr(0, tag.find(' '));
  return '<' + tag + (attributes.empty() ? "" : ' ' + attributes) + '>' + content + "</" + name +
         '>';
}

std::string text_element(const std::string& tag, const std::string& text,
                         const std::string& attributes) {
  return element(tag, xml_escape(text), attributes);
}

std::string file_link(const std::string& text, const std::string& path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string address;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || std::string_view("/-._~").find(c) != std::string_view::npos)
      address += c;
    else
      (address += '%') += {kHex[byte >> 4], kHex[byte & 15]};
  }
  return text_element("a", text, "href=\"" + address + '"');
}

std::string script_data(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8 | (at + i < bytes.size() ? static_cast<uint8_t>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i)
      out += at + i > bytes.size() ? '=' : kDigits[three >> (18 - 6 * i) & 63];
  }
  return out;
}

std::string figure(const std::string& wide, const std::string& narrow, const std::string& caption) {
  return element("figure", element("div class=\"broad\"", wide) +
                               element("div class=\"slim\"", narrow) +
                               (caption.empty() ? "" : text_element("figcaption", caption))) +
         '\n';
}

std::vector<Column> columns_of(const std::vector<std::string>& names) {
  std::vector<Column> columns;
  for (const std::string& name : names) columns.push_back({name});
  return columns;
}

std::string table(const std::vector<Column>& columns,
                  const std::vector<std::vector<std::string>>& rows) {
  constexpr std::size_t kFitsAnywhere = 4;
  std::string head, body;
  for (const Column& column : columns)
    head += element(
        "th",
        xml_escape(column.name) + (column.note.empty() ? "" : text_element("small", column.note)),
        "scope=\"col\"");
  for (const std::vector<std::string>& row : rows) {
    expect(row.size() == columns.size(), "a row has a cell for each column");
    std::string cells = element("th", row[0], "scope=\"row\" dir=\"auto\"");
    for (std::size_t i = 1; i < row.size(); ++i) {
      const std::string& note = columns[i].note;
      const std::string name = columns[i].name + (note.empty() ? "" : ", " + note);
      cells += element("td", row[i], "data-name=\"" + xml_escape(name) + '"');
    }
    body += element("tr", cells) + '\n';
  }
  const std::string look = columns.size() > kFitsAnywhere ? "class=\"blocks\"" : "";
  return element("div class=\"wide\"",
                 element("table", element("thead", element("tr", head)) + element("tbody", body),
                         look)) +
         '\n';
}

}  // namespace heed::draw
