// The pages' own files: HTML, CSS and JavaScript of this folder, compiled into the program.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace heed::draw {

/// The text of a file of this folder by its name, such as "attention.js". Throws Bug for a name
/// that is none.
std::string_view page_file(std::string_view name);

/// `page` with each marker (such as "@title@") replaced wherever it stands; never inside what was
/// filled in.
std::string fill(std::string_view page,
                 std::initializer_list<std::pair<std::string_view, std::string_view>> values);

}  // namespace heed::draw
