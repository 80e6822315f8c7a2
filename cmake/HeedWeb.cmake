# heed.wasm, the program inside the pages of `heed export --format web`: engine, search and SentencePiece as WebAssembly. It
# is built where ./run web has installed Debian's clang for that and SentencePiece's sources; else there are no such pages.
set(HEED_SENTENCEPIECE_SOURCE ${PROJECT_SOURCE_DIR}/build/third_party/sentencepiece-0.2.1/sentencepiece CACHE PATH
    "SentencePiece's sources, of its Python package")
if(NOT HEED_WEB_ONLY)
  find_program(HEED_WASM_COMPILER clang++-16)
  if(HEED_WASM_COMPILER AND EXISTS /usr/lib/llvm-16/lib/wasm32-wasi/libc++.a AND EXISTS ${HEED_SENTENCEPIECE_SOURCE})
    include(ExternalProject)
    ExternalProject_Add(web SOURCE_DIR ${PROJECT_SOURCE_DIR} BINARY_DIR ${PROJECT_BINARY_DIR}/web BUILD_ALWAYS ON
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

# Without its trainer.
set(own ${HEED_SENTENCEPIECE_SOURCE})
set(parts bpe_model char_model error filesystem model_factory model_interface normalizer sentencepiece_processor
    unigram_model util word_model)
list(TRANSFORM parts REPLACE "(.+)" "${own}/src/\\1.cc")
file(GLOB protobuf ${own}/src/builtin_pb/*.cc ${own}/third_party/protobuf-lite/*.cc)
add_library(sentencepiece STATIC ${parts} ${protobuf} ${own}/third_party/absl/flags/flag.cc)
target_include_directories(sentencepiece SYSTEM PUBLIC ${own}/src PRIVATE ${PROJECT_BINARY_DIR} ${own}/src/builtin_pb
                           ${own}/third_party/protobuf-lite ${own}/third_party ${own})
configure_file(${own}/config.h.in ${PROJECT_BINARY_DIR}/config.h)
target_compile_definitions(sentencepiece PRIVATE _USE_INTERNAL_STRING_VIEW HAVE_PTHREAD)
target_compile_options(sentencepiece PRIVATE -O2 -w)

file(GLOB sources ${PROJECT_SOURCE_DIR}/src/web/*.cpp)
add_executable(heed.wasm ${sources} ${row_loops})
target_include_directories(heed.wasm PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(heed.wasm SYSTEM PRIVATE ${headers})
target_compile_definitions(heed.wasm PRIVATE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY JSON_HAS_FILESYSTEM=0)
# The keys of a configuration are found by their lines (config/schema.h): so many brackets.
target_compile_options(heed.wasm PRIVATE -O2 -fbracket-depth=1024)
set_source_files_properties(${row_loops} PROPERTIES COMPILE_OPTIONS "${row_flags};-O3")
target_link_libraries(heed.wasm PRIVATE sentencepiece heed_flags)
target_link_options(heed.wasm PRIVATE -mexec-model=reactor LINKER:--strip-all)
set_target_properties(heed.wasm PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${HEED_WASM_FOLDER})
