# One static library per folder of src/, one test program per folder of tests/.

# heed_layer(name [LIBRARIES ...]): src/<name>/**.cpp as heed_<name>.
function(heed_layer name)
  cmake_parse_arguments(arg "" "" "LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp
       ${PROJECT_SOURCE_DIR}/src/${name}/*.h)
  add_library(heed_${name} STATIC ${sources})
  set_target_properties(heed_${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(heed_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(heed_${name} PUBLIC ${arg_LIBRARIES} PRIVATE heed_flags)
endfunction()

# heed_precompile(target): LibTorch's headers read once, by heed_model, for every target above it. A speed-up and never a
# dependency: -DHEED_PCH=OFF builds the same.
function(heed_precompile target)
  if(NOT HEED_PCH)
    return()
  elseif(target STREQUAL heed_model)
    target_precompile_headers(heed_model PRIVATE <ATen/ATen.h> <torch/nn/module.h>)
  else()
    target_precompile_headers(${target} REUSE_FROM heed_model)
  endif()
endfunction()

# heed_tests(name [SHARDS count] [TIMEOUT seconds] [LIBRARIES ...]): tests/<name>/*_test.cpp as test_<name>, each case
# known to ctest; with SHARDS that many processes run them all, for cases that share what is dear to make.
function(heed_tests name)
  cmake_parse_arguments(arg "" "SHARDS;TIMEOUT" "LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(test_${name} ${sources})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE
    HEED_SOURCE_DIR="${PROJECT_SOURCE_DIR}" HEED_BINARY="$<TARGET_FILE:heed>" HEED_PYTHON="${Python3_EXECUTABLE}")
  target_link_libraries(test_${name} PRIVATE ${arg_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main heed_flags)
  if(arg_SHARDS)
    foreach(shard RANGE 1 ${arg_SHARDS})
      math(EXPR index "${shard} - 1")
      add_test(NAME ${name}_${shard} COMMAND test_${name})
      set_tests_properties(${name}_${shard} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS ${name}
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${index}")
    endforeach()
    return()
  endif()
  gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS ${name})
endfunction()
