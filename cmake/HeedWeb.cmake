# heed.wasm, the program inside the pages of `heed export --format web`: engine, search and SentencePiece as WebAssembly. It
# is built where ./run web has installed Debian's clang for that and SentencePiece's sources; else there are no such pages.
if(NOT HEED_WEB_ONLY)
  find_program(HEED_WASM_COMPILER clang++-16)
  if(HEED_WASM_COMPILER AND EXISTS /usr/lib/llvm-16/lib/wasm32-wasi/libc++.a AND EXISTS ${HEED_SENTENCEPIECE_SOURCE})
    # utf8proc as a table: Debian has no such library for WebAssembly.
    add_executable(character_table ${PROJECT_SOURCE_DIR}/cmake/wasm32/characters.cpp ${PROJECT_SOURCE_DIR}/src/text/characters.cpp)
    target_include_directories(character_table PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(character_table PRIVATE PkgConfig::UTF8PROC heed_flags)
    set(table ${PROJECT_BINARY_DIR}/generated/web/wasm/characters.inc)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/web/wasm)
    add_custom_command(OUTPUT ${table} COMMAND character_table ${table} DEPENDS character_table VERBATIM)
    add_custom_target(characters DEPENDS ${table})
    include(ExternalProject)
    ExternalProject_Add(web DEPENDS characters SOURCE_DIR ${PROJECT_SOURCE_DIR} BINARY_DIR ${PROJECT_BINARY_DIR}/web BUILD_ALWAYS ON
      CMAKE_ARGS -DHEED_WEB_ONLY=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE=${PROJECT_SOURCE_DIR}/cmake/wasm32/toolchain.cmake
                 -DHEED_SENTENCEPIECE_SOURCE=${HEED_SENTENCEPIECE_SOURCE} -DHEED_WASM_FOLDER=${PROJECT_BINARY_DIR}
      INSTALL_COMMAND "")
  endif()
  return()
endif()

# Headers of libraries that are nothing but headers; the folder they come from has those of this machine's system, too.
set(headers ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${headers})
foreach(header fmt spdlog nlohmann zlib.h zconf.h)
  file(CREATE_LINK /usr/include/${header} ${headers}/${header} SYMBOLIC)
endforeach()

include(HeedSentencePiece)
include(HeedUnity)
# Of the rooms what a page may need; what nothing calls is left out when it is linked.
set(sources)
foreach(room decode/search engine kernels/rows model/description serve/answers web web/wasm)
  file(GLOB files ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
  list(APPEND sources ${files})
endforeach()
list(FILTER sources EXCLUDE REGEX "/(glossary_file|input|search_times|shortlist_learner|thread_pool)[.]cpp$")
foreach(file base/json base/stand_in base/strings config/print config/schema config/suggest config/view config/yaml data/batch data/notice data/terms
        score/chrf study/decoding_steps text/bpe_codes text/invisible text/line_cuts text/model_file text/piece_rule text/sampler text/script text/utf8 text/vocabulary
        text/words)
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/${file}.cpp)
endforeach()
add_executable(heed.wasm ${sources})
heed_unity(heed.wasm ${sources})
target_include_directories(heed.wasm PRIVATE ${PROJECT_SOURCE_DIR}/src ${HEED_WASM_FOLDER}/generated)
target_include_directories(heed.wasm SYSTEM PRIVATE ${headers})
target_compile_definitions(heed.wasm PRIVATE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY JSON_HAS_FILESYSTEM=0)
# The keys of a configuration are found by their lines (config/schema.h): so many brackets.
target_compile_options(heed.wasm PRIVATE -O2 -fbracket-depth=1024)
set_source_files_properties(${row_loops} PROPERTIES COMPILE_OPTIONS "${row_flags};-Wno-pass-failed")
target_link_libraries(heed.wasm PRIVATE sentencepiece heed_flags)
target_link_options(heed.wasm PRIVATE -mexec-model=reactor LINKER:--strip-all)
set_target_properties(heed.wasm PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${HEED_WASM_FOLDER})

# For tests/web/test_web.py.
add_executable(tiles.wasm ${PROJECT_SOURCE_DIR}/tests/web/tiles.cpp ${PROJECT_SOURCE_DIR}/src/web/wasm/characters.cpp
               ${PROJECT_SOURCE_DIR}/src/web/wasm/raise.cpp ${row_loops})
target_include_directories(tiles.wasm PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests ${HEED_WASM_FOLDER}/generated)
target_include_directories(tiles.wasm SYSTEM PRIVATE ${headers})
target_compile_definitions(tiles.wasm PRIVATE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)
target_compile_options(tiles.wasm PRIVATE -O2)
target_link_libraries(tiles.wasm PRIVATE heed_flags)
target_link_options(tiles.wasm PRIVATE -mexec-model=reactor)
