# The loops over plain numbers and their tests alone, without LibTorch: what a processor for which there is no LibTorch
# here can be held to (./run aarch64).
add_library(heed_rows STATIC ${row_loops})
target_include_directories(heed_rows PUBLIC ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(heed_rows PRIVATE heed_flags)
target_compile_options(heed_rows PRIVATE ${row_flags})

enable_testing()
# GoogleTest's own sources, as Debian ships them for such uses.
add_subdirectory(/usr/src/googletest googletest EXCLUDE_FROM_ALL)
file(GLOB tests ${PROJECT_SOURCE_DIR}/tests/kernels/rows/*_test.cpp)
add_executable(test_rows ${tests} ${PROJECT_SOURCE_DIR}/tests/engine/matrix_test.cpp)
target_include_directories(test_rows PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(test_rows PRIVATE heed_rows gtest gmock gtest_main heed_flags)
# With all instructions, with dot products alone, and with none that the processor is asked for.
foreach(processor max cortex-a76 cortex-a72)
  add_test(NAME rows_${processor} COMMAND test_rows)
  set_tests_properties(rows_${processor} PROPERTIES ENVIRONMENT QEMU_CPU=${processor})
endforeach()
