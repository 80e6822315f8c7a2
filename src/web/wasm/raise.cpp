// WebAssembly has no exceptions here (cmake/wasm32/toolchain.cmake): an exception ends the call
// into this program, and the page gets its message as one of its own errors.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <typeinfo>

extern "C" {

/// A function of the page, which throws an error with this text.
[[clang::import_module("page"), clang::import_name("raise"), noreturn]] void raise_in_page(
    const char* text, std::size_t bytes);

void* __cxa_allocate_exception(std::size_t size) noexcept {
  return std::malloc(size);
}

void __cxa_free_exception(void*) noexcept {}

/// Every object that heed and its libraries throw begins with a std::exception.
[[noreturn]] void __cxa_throw(void* thrown, std::type_info*, void (*)(void*)) {
  const char* const text = static_cast<const std::exception*>(thrown)->what();
  raise_in_page(text, std::strlen(text));
}

/// Registers nothing, because threads and the program never end in a page.
int __cxa_thread_atexit(void (*)(void*), void*, void*) noexcept {
  return 0;
}
}
