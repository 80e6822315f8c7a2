# Tests start heed a thousand times, and most of a short command is LibTorch's start. Therefore HEED_SERVED, which tests start
# that look at what comes of a command alone, is heed beside another heed-torch: a stand-in, which has a fork server do the
# work (tests/fork_server). They are run by HEED_WITH_SERVER, with HEED_SERVER_VARIABLE in their environment.
# What is preloaded into a program would come before the sanitizers, and cannot lie in a path with blanks or colons: there heed
# itself is started each time.
if(HEED_SANITIZE OR PROJECT_BINARY_DIR MATCHES "[ :]")
  set(HEED_SERVED $<TARGET_FILE:heed>)
  set(HEED_WITH_SERVER)
  set(HEED_SERVER_VARIABLE)
else()
  add_library(fork_server MODULE tests/fork_server/server.cpp)
  target_include_directories(fork_server PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(fork_server PRIVATE heed_flags ${CMAKE_DL_LIBS})
  heed_front(served_heed)
  add_executable(served_heed-torch tests/fork_server/client.cpp)
  target_include_directories(served_heed-torch PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(served_heed-torch PRIVATE HEED_TORCH="$<TARGET_FILE:heed-torch>" HEED_BINARY="$<TARGET_FILE:heed>")
  target_link_libraries(served_heed-torch PRIVATE heed_flags)
  foreach(name heed heed-torch)
    set_target_properties(served_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/served)
  endforeach()
  set(HEED_SERVED $<TARGET_FILE:served_heed>)
  set(HEED_WITH_SERVER $<TARGET_FILE:heed-torch>)
  set(HEED_SERVER_VARIABLE "LD_PRELOAD=$<TARGET_FILE:fork_server>")
endif()
set_source_files_properties(tests/paths.cpp PROPERTIES COMPILE_DEFINITIONS
  "HEED_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\";HEED_BINARY=\"$<TARGET_FILE:heed>\";HEED_SERVED=\"${HEED_SERVED}\";HEED_PYTHON=\"${Python3_EXECUTABLE}\"")
