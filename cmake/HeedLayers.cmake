# One static library per room of src/, one test program per room of tests/.

# heed_layer(room [EXCEPT folder...] [PLAIN file... ON library...] [LIBRARIES ...]): src/<room>/**.cpp as heed_<room>, with "/" as
# "_" in the name. EXCEPT leaves out folders inside it that are libraries of their own. PLAIN: files that need no LibTorch, as
# heed_<room>_plain, which stands on the libraries behind ON.
function(heed_layer room)
  cmake_parse_arguments(arg "" "" "EXCEPT;PLAIN;ON;LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" name ${room})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp
       ${PROJECT_SOURCE_DIR}/src/${room}/*.h)
  foreach(folder ${arg_EXCEPT})
    list(FILTER sources EXCLUDE REGEX "/src/${room}/${folder}/")
  endforeach()
  if(arg_PLAIN)
    list(TRANSFORM arg_PLAIN REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/${room}/\\1.cpp")
    list(REMOVE_ITEM sources ${arg_PLAIN})
    heed_room_library(heed_${name}_plain "${arg_PLAIN}" ${arg_ON})
    list(APPEND arg_LIBRARIES heed_${name}_plain)
  endif()
  heed_room_library(heed_${name} "${sources}" ${arg_LIBRARIES})
endfunction()

function(heed_room_library name sources)
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${ARGN} PRIVATE heed_flags)
endfunction()

# heed_static(name target): Static::<name> is the library `target`, or lib<name>.a in its place where there is one: what is
# installed elsewhere then needs less.
function(heed_static name target)
  find_library(HEED_STATIC_${name} lib${name}.a)
  mark_as_advanced(HEED_STATIC_${name})
  add_library(Static::${name} INTERFACE IMPORTED GLOBAL)
  if(HEED_STATIC_${name})
    target_include_directories(Static::${name} INTERFACE $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
    target_link_libraries(Static::${name} INTERFACE ${HEED_STATIC_${name}})
  else()
    target_link_libraries(Static::${name} INTERFACE ${target})
  endif()
endfunction()

# heed_precompile(target [OF owner] [HEADERS ...]): large headers read once, by this target or by the one that owns
# them. A speed-up and never a dependency: -DHEED_PCH=OFF builds the same.
function(heed_precompile target)
  cmake_parse_arguments(arg "" "OF" "HEADERS" ${ARGN})
  if(NOT HEED_PCH)
    return()
  elseif(arg_OF)
    target_precompile_headers(${target} REUSE_FROM ${arg_OF})
  else()
    target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
  endif()
endfunction()

# heed_reads_torch(file variable): whether a file of apps/ or src/, or a header that it reads, reads LibTorch's large headers.
function(heed_reads_torch file variable)
  get_property(known GLOBAL PROPERTY heed_reads_torch_${file})
  if("${known}" STREQUAL "")
    set(known FALSE)
    set_property(GLOBAL PROPERTY heed_reads_torch_${file} FALSE)  # for headers that read each other
    file(STRINGS ${file} large REGEX "^#include <(ATen|torch)/")
    if(large)
      set(known TRUE)
    endif()
    file(STRINGS ${file} headers REGEX "^#include \"")
    list(TRANSFORM headers REPLACE "^#include \"([^\"]+)\".*" "\\1")
    foreach(header ${headers})
      foreach(root src .)
        if(NOT known AND EXISTS ${PROJECT_SOURCE_DIR}/${root}/${header})
          heed_reads_torch(${PROJECT_SOURCE_DIR}/${root}/${header} known)
        endif()
      endforeach()
    endforeach()
    set_property(GLOBAL PROPERTY heed_reads_torch_${file} ${known})
  endif()
  set(${variable} ${known} PARENT_SCOPE)
endfunction()

# heed_quick(target...): compiled in half of the time where speed is not wanted of it.
function(heed_quick)
  if(NOT CMAKE_BUILD_TYPE STREQUAL Release)
    return()
  endif()
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE -O1)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13
       AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
      # Parts of -O3. GCC refuses precompiled headers where these two differ.
      target_compile_options(${target} PRIVATE -munroll-only-small-loops -mvzeroupper)
    endif()
  endforeach()
endfunction()

# heed_tests(room [SERVED] [EXCEPT folder...] [SHARDS count] [TIMEOUT seconds] [LIBRARIES ...]): tests/<room>/**_test.cpp as
# test_<room>, run by so many processes (1), for each of them starts LibTorch. SERVED: with a fork server for heed
# (cmake/HeedForkServer.cmake). What each of its cases did stands in reports/<room>_<shard>.xml of the build folder, in
# the format of JUnit. A case may take half of the seconds (tests/hung.cpp).
function(heed_tests room)
  cmake_parse_arguments(arg "SERVED" "SHARDS;TIMEOUT" "EXCEPT;LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" name ${room})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${room}/*_test.cpp)
  foreach(folder ${arg_EXCEPT})
    list(FILTER sources EXCLUDE REGEX "/tests/${room}/${folder}/")
  endforeach()
  if(NOT sources)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  math(EXPR case_seconds "${arg_TIMEOUT} / 2")
  add_executable(test_${name} ${sources})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE ${arg_LIBRARIES} in_all_tests GTest::gtest GTest::gmock GTest::gtest_main heed_flags)
  set_target_properties(test_${name} PROPERTIES UNITY_BUILD ${HEED_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  heed_quick(test_${name})  # what is tested is in the libraries
  set(server)
  set(variable)
  if(arg_SERVED)
    set(server ${HEED_WITH_SERVER})
    set(variable ${HEED_SERVER_VARIABLE})
  endif()
  foreach(shard RANGE 1 ${arg_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name}_${shard} COMMAND ${server} $<TARGET_FILE:test_${name}>)
    set_tests_properties(${name}_${shard} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS ${name} ENVIRONMENT
      "${variable};HEED_CASE_SECONDS=${case_seconds};GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${index};GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/reports/${name}_${shard}.xml")
  endforeach()
endfunction()
