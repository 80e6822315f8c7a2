# Text files as a C++ table, run as a script: cmake -DOUT=header -DFILES=a;b -P EmbedFiles.cmake
#
# Writes kPageFiles, pairs of a file's name and its text. A raw string may hold 65,535 characters, far more than any page.
set(rows "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"__file__(${text})__file__\"},\n")
endforeach()
file(WRITE ${OUT} "// Made by cmake/EmbedFiles.cmake.
#pragma once

#include <string_view>
#include <utility>

namespace heed::draw {

inline constexpr std::pair<std::string_view, std::string_view> kPageFiles[] = {
${rows}};

}  // namespace heed::draw
")
