// Pages: HTML, CSS and JavaScript files of this folder, compiled into the program, filled with
// data.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heed::draw {

/// An object of texts (and of HTML that is made already), lists and objects.
using PageData = nlohmann::ordered_json;

/// The file of that name, such as "report.html", with `data` in it, as Mustache has it:
/// {{name}}               a text, escaped
/// {{{name}}}             HTML
/// {{#name}} {{/name}}    with each item of a list, with an object, or once where there is
/// something
/// {{^name}} {{/name}}    where there is nothing: no such name, false, "", an empty list
/// {{> file}}             another file with the same data
/// Names are looked up in the innermost item or object alone. A line break directly behind one of
/// the last three kinds is left out. Throws Bug for a file or a name that is none.
std::string render(std::string_view file, const PageData& data);

}  // namespace heed::draw
