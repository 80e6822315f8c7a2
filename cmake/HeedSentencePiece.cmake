# SentencePiece as a static library without its trainer, of its own sources: Debian has no such library, and none for
# WebAssembly.
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

