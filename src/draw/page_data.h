// Pages: HTML, CSS and JavaScript files of src/draw/page/, compiled into the program, filled with
// data; and what several of them show, as such data.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "score/lengths.h"
#include "study/comparison.h"

namespace heed::draw {

/// An object of texts (and of HTML that is made already), lists and objects.
using PageData = nlohmann::ordered_json;

/// The file of that name, such as "report.html", with `data` in it, as Mustache has it: {{name}}
/// a text, escaped {{{name}}}             HTML {{#name}} {{/name}}    with each item of a list,
/// with an object, or once where there is something {{^name}} {{/name}}    where there is nothing:
/// no such name, false, "", an empty list {{> file}}             another file with the same data
/// Names are looked up in the innermost item or object alone. A line break directly after one of
/// the last three kinds is left out. Throws Bug for a file or a name that is none.
std::string render(std::string_view file, const PageData& data);

/// The page of that name in draw/pages.def with `data`, in which "title" is its title. Throws Bug
/// where there is none.
std::string render_page(std::string_view name, const PageData& data);

/// The parts of a page as texts with marks.
struct PageParts {
  std::string_view style, body;
  bool has_heading = true;  // the title stands over it
};

/// The parts with `data`, in the frame that all pages have (page/frame.html).
std::string render_parts(const PageParts& parts, const PageData& data);

/// JSON as it may stand inside a <script> element, which a "</script>" in a text would end.
std::string script_data(const PageData& data);

/// The address of a file below the page's folder, whatever letters are in the names of `path`.
std::string address_of(std::string_view path);

/// A text and its class, "" for none.
struct Styled {
  std::string text, look = "";
};

/// A cell of a table: a text, or a link to a file; a picture below it, and small print below that.
struct Cell {
  std::string text, look = "", link = "", picture = "";
  std::vector<Styled> notes = {};
};

/// A column of a table: its name, and a second line in small print.
struct Column {
  std::string name, note = "";
};

/// For table.html: `rows` have a cell for each column; the first one names the row. Where the page
/// is narrow, a row of more than four columns is a block of cells, each below its column's name.
PageData table_data(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows);

/// For figure.html: a picture in two forms, of which the page shows the one that fits.
PageData figure_data(const std::string& wide, const std::string& narrow,
                     const std::string& caption = "");

/// For words.html: words that are not in the other text are marked.
PageData words_data(const std::vector<study::TextPart>& parts);

/// An entry of sample.html: a name, and words or a text.
PageData term_data(const std::string& name, const std::vector<study::TextPart>& words);
PageData term_data(const std::string& name, const std::string& text);

/// For lengths.html: BLEU by source length, the curve and the table.
PageData lengths_data(const score::LengthReport& lengths);

}  // namespace heed::draw
