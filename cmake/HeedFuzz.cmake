# The fuzz targets of tests/fuzz (docs/reliability.md, "Fuzzing").
#
# fuzz_text and fuzz_torch are all targets, those without and with LibTorch, in one program each with a driver of our
# own, which ctest runs too. With clang, -DHEED_FUZZ=ON makes besides a program of each target with libFuzzer.
set(fuzz_folder ${PROJECT_SOURCE_DIR}/tests/fuzz)

# heed_fuzz(program FOLDER targets SOURCES ... LIBRARIES ...)
function(heed_fuzz program)
  cmake_parse_arguments(arg "" "FOLDER" "SOURCES;LIBRARIES" ${ARGN})
  file(GLOB targets CONFIGURE_DEPENDS ${fuzz_folder}/${arg_FOLDER}/*.cpp)
  set(objects ${program}_targets)
  add_library(${objects} OBJECT ${targets} ${arg_SOURCES})
  target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR})
  target_link_libraries(${objects} PRIVATE ${arg_LIBRARIES} heed_flags)
  set(table "")
  foreach(file ${targets})
    get_filename_component(name ${file} NAME_WE)
    string(APPEND table "HEED_FUZZ_TARGET(${name})\n")
    set_source_files_properties(${file} PROPERTIES COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=fuzz_${name})
    if(HEED_FUZZ AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
      add_executable(libfuzzer_${name} ${fuzz_folder}/entry.cpp $<TARGET_OBJECTS:${objects}>)
      target_compile_definitions(libfuzzer_${name} PRIVATE HEED_FUZZ_TARGET=fuzz_${name})
      target_link_libraries(libfuzzer_${name} PRIVATE ${arg_LIBRARIES})
      target_link_options(libfuzzer_${name} PRIVATE -fsanitize=fuzzer)
      add_dependencies(fuzz libfuzzer_${name})
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${program}.inc CONTENT "${table}")
  add_executable(${program} ${fuzz_folder}/driver.cpp ${fuzz_folder}/mutate.cpp ${fuzz_folder}/coverage.cpp
                 $<TARGET_OBJECTS:${objects}>)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${program} PRIVATE HEED_FUZZ_FOLDER="${fuzz_folder}"
    HEED_FUZZ_TABLE="${PROJECT_BINARY_DIR}/generated/${program}.inc")
  target_link_libraries(${program} PRIVATE ${arg_LIBRARIES} heed_flags)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    add_dependencies(fuzz ${program})
  endif()
  heed_quick(${objects} ${program})
  add_test(NAME ${program} COMMAND ${program} --findings ${PROJECT_BINARY_DIR})
  set_tests_properties(${program} PROPERTIES TIMEOUT 600 LABELS fuzz)
endfunction()

add_custom_target(fuzz)
set(text_sources src/run/summary.cpp src/run/provenance.cpp src/run/corpora.cpp)
list(TRANSFORM text_sources PREPEND ${PROJECT_SOURCE_DIR}/)
heed_fuzz(fuzz_text FOLDER targets SOURCES ${text_sources} LIBRARIES heed_study heed_data nlohmann_json::nlohmann_json)
set(torch_sources)
set(torch_libraries heed_run)
if(HEED_FUZZ)
  # Networks and kernels parse nothing and take long to compile; of the room `decode` nothing else is needed.
  list(APPEND torch_sources src/run/config.cpp src/decode/config.cpp src/model/weights.cpp
       src/train/config.cpp src/train/checkpoint.cpp src/train/losses.cpp src/train/metrics_line.cpp
       src/train/progress.cpp tests/fuzz/no_networks.cpp)
  set(torch_libraries heed_model_description heed_data heed_kernels_rows heed_score LibTorch::cpu nlohmann_json::nlohmann_json Static::z)
endif()
list(TRANSFORM torch_sources PREPEND ${PROJECT_SOURCE_DIR}/)
heed_fuzz(fuzz_torch FOLDER targets/torch SOURCES ${torch_sources} LIBRARIES ${torch_libraries})
