// What libc++ 16 for wasm32-wasi lacks of threads, for code that names more of them than it uses.
// There is one thread; another one's work is done where it is made.
#pragma once
#include <cstddef>
#include <memory>

namespace std {

struct mutex {
  void lock() {}
  bool try_lock() { return true; }
  void unlock() {}
};

template <class Mutex>
struct lock_guard {
  explicit lock_guard(Mutex&) {}
};

template <class Mutex>
struct unique_lock {
  unique_lock() {}
  explicit unique_lock(Mutex&) {}
};

struct thread {
  struct id {
    int number = 0;  // that of this thread is another than that of none
    bool operator==(id other) const { return number == other.number; }
  };
  template <class Work>
  explicit thread(Work&& work) {
    work();
  }
  void join() {}
};

namespace this_thread {
inline thread::id get_id() {
  return {1};
}
}  // namespace this_thread

template <class T>
shared_ptr<T> atomic_load(const shared_ptr<T>* from) {
  return *from;
}

template <class T>
void atomic_store(shared_ptr<T>* to, shared_ptr<T> from) {
  *to = from;
}

}  // namespace std
