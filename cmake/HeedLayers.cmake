# One static library per room of src/, one test program per room of tests/.

# heed_layer(room [EXCEPT folder] [LIBRARIES ...]): src/<room>/**.cpp as heed_<room>, with "/" as "_" in the name. EXCEPT
# leaves out a folder inside it that is a library of its own.
function(heed_layer room)
  cmake_parse_arguments(arg "" "EXCEPT" "LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" name ${room})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp
       ${PROJECT_SOURCE_DIR}/src/${room}/*.h)
  if(arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "/src/${room}/${arg_EXCEPT}/")
  endif()
  add_library(heed_${name} STATIC ${sources})
  set_target_properties(heed_${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(heed_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(heed_${name} PUBLIC ${arg_LIBRARIES} PRIVATE heed_flags)
endfunction()

# heed_precompile(target): LibTorch's headers read once, by heed_kernels, for every target above it. A speed-up and never a
# dependency: -DHEED_PCH=OFF builds the same.
function(heed_precompile target)
  if(NOT HEED_PCH)
    return()
  elseif(target STREQUAL heed_kernels)
    target_precompile_headers(heed_kernels PRIVATE <ATen/ATen.h> <torch/nn/module.h>)
  else()
    target_precompile_headers(${target} REUSE_FROM heed_kernels)
  endif()
endfunction()

# heed_tests(room [EXCEPT folder] [SHARDS count] [TIMEOUT seconds] [LIBRARIES ...]): tests/<room>/**_test.cpp as
# test_<room>, each case known to ctest; with SHARDS that many processes run them all, for cases that share what is dear
# to make.
function(heed_tests room)
  cmake_parse_arguments(arg "" "EXCEPT;SHARDS;TIMEOUT" "LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" name ${room})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${room}/*_test.cpp)
  if(arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "/tests/${room}/${arg_EXCEPT}/")
  endif()
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
