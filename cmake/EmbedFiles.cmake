# Text files as a C++ table. Included, it defines heed_embed() and heed_pages(); as a script it writes the header:
# cmake -DOUT=header -DNAMESPACE=name -DTABLE=name -DFILES=a;b -P EmbedFiles.cmake
#
# The table has pairs of a file's name and its text. A raw string may hold 65,535 characters, far more than any page.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(HEED_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

  # heed_embed(header namespace table file...): makes the header when a file has changed.
  function(heed_embed header namespace table)
    add_custom_command(OUTPUT ${header} DEPENDS ${ARGN} ${HEED_EMBED_SCRIPT}
      COMMAND ${CMAKE_COMMAND} -DOUT=${header} -DNAMESPACE=${namespace} -DTABLE=${table} "-DFILES=${ARGN}"
              -P ${HEED_EMBED_SCRIPT}
      COMMENT "Embedding files as ${table}" VERBATIM)
  endfunction()

  # heed_pages(target [folder]): the pages' HTML, CSS and JavaScript, as src/draw/page_data.cpp includes them, and those of another
  # folder.
  function(heed_pages target)
    set(files)
    foreach(folder ${PROJECT_SOURCE_DIR}/src/draw/page ${ARGN})
      file(GLOB in_folder CONFIGURE_DEPENDS ${folder}/*.html ${folder}/*.css ${folder}/*.js)
      list(APPEND files ${in_folder})
    endforeach()
    set(place ${PROJECT_BINARY_DIR}/generated)
    if(ARGN)
      set(place ${place}/${target})
    endif()
    set(header ${place}/draw/page/embedded.h)
    heed_embed(${header} heed::draw kPageFiles ${files})
    target_sources(${target} PRIVATE ${header})
    target_include_directories(${target} PRIVATE ${place})
  endfunction()
  return()
endif()

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

namespace ${NAMESPACE} {

inline constexpr std::pair<std::string_view, std::string_view> ${TABLE}[] = {
${rows}};

}  // namespace ${NAMESPACE}
")
