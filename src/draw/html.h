// HTML by hand: elements around escaped text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::draw {

/// `tag` may have attributes behind its name: "div class=\"wide\"". `content` is HTML.
std::string element(const std::string& tag, const std::string& content,
                    const std::string& attributes = "");

/// The same around text, which is escaped.
std::string text_element(const std::string& tag, const std::string& text,
                         const std::string& attributes = "");

/// A link to a file below the page's folder, whatever letters are in the names of `path`.
std::string file_link(const std::string& text, const std::string& path);

/// JSON as it may stand inside a <script> element, which a "</script>" in a text would end.
std::string script_data(const std::string& json);

/// Bytes as letters, for data inside a page or picture.
std::string base64(std::string_view bytes);

/// A picture in two forms, of which the page shows the one that fits; `caption` is text.
std::string figure(const std::string& wide, const std::string& narrow,
                   const std::string& caption = "");

/// A column of a table: its name, and a second line in small print.
struct Column {
  std::string name, note = "";
};

/// Columns without notes.
std::vector<Column> columns_of(const std::vector<std::string>& names);

/// `rows` have a cell of HTML for each column; the first one names the row. Where the page is
/// narrow, a row of more than four columns is a block of cells, each below its column's name.
std::string table(const std::vector<Column>& columns,
                  const std::vector<std::vector<std::string>>& rows);

}  // namespace heed::draw
