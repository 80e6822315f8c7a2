# Debian's clang 16 and its C++ library for WebAssembly (./run web installs them). There are no exceptions: a throw ends
# the program (src/web/raise.cpp).
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-16)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(llvm /usr/lib/llvm-16)
set(CMAKE_CXX_FLAGS_INIT "-Wno-unused-command-line-argument -nostdinc++ -isystem ${CMAKE_CURRENT_LIST_DIR} -isystem ${llvm}/include/wasm32-wasi/c++/v1 -fignore-exceptions -msimd128")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${llvm}/lib/wasm32-wasi")
# -O stands with what is compiled: a linker that sees it runs any wasm-opt that it finds.
set(CMAKE_CXX_FLAGS_RELEASE_INIT "-DNDEBUG")
