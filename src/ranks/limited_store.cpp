#include "ranks/limited_store.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/format.h"
#include "base/signals.h"

namespace heed::ranks {
namespace {

/// The time in which a server that lives says that a key has not come.
constexpr std::chrono::seconds kGrace(2);

}  // namespace

bool returns_within(std::chrono::milliseconds limit, std::function<void()> call) {
  struct End {
    std::mutex mutex;
    std::condition_variable changed;
    bool reached = false;
  };
  const auto end = std::make_shared<End>();
  {
    // The call may write to a connection whose other end is gone.
    const NoPipeSignal guard;
    std::thread([end, call = std::move(call)]() mutable {
      call();
      call = nullptr;  // so that nothing of it is used after this function has returned
      const std::lock_guard lock(end->mutex);
      end->reached = true;
      end->changed.notify_all();
    }).detach();
  }
  std::unique_lock lock(end->mutex);
  return end->changed.wait_for(lock, limit, [&] { return end->reached; });
}

LimitedStore::LimitedStore(StorePtr store, std::chrono::milliseconds limit)
    : store_(std::move(store)), limit_(limit) {}

template <class Call>
auto LimitedStore::limited(Call call, std::chrono::milliseconds limit) {
  using Result = std::invoke_result_t<Call, c10d::Store&>;
  const auto throw_silent = [&] {
    const std::string message =
        fmt::format("the store has not answered within {:.1f} s", limit.count() / 1000.);
    throw SilentStore({__func__, __FILE__, __LINE__}, message);
  };
  if (silent_) throw_silent();
  auto result = result_within(limit, [store = store_, call = std::move(call)] {
    if constexpr (std::is_void_v<Result>) {
      call(*store);
      return true;
    } else {
      return call(*store);
    }
  });
  if (!result) {
    silent_ = true;
    throw_silent();
  }
  if constexpr (!std::is_void_v<Result>) return Result(*std::move(result));
}

std::chrono::milliseconds LimitedStore::limit_with(std::chrono::milliseconds waiting) const {
  return waiting + std::min<std::chrono::milliseconds>(limit_, kGrace);
}

c10::intrusive_ptr<c10d::Store> LimitedStore::clone() {
  return c10::make_intrusive<LimitedStore>(
      limited([](c10d::Store& store) { return store.clone(); }, limit_), limit_);
}

void LimitedStore::set(const std::string& key, const std::vector<uint8_t>& value) {
  limited([=](c10d::Store& store) { store.set(key, value); }, limit_);
}

std::vector<uint8_t> LimitedStore::compareSet(const std::string& key,
                                              const std::vector<uint8_t>& current,
                                              const std::vector<uint8_t>& desired) {
  return limited([=](c10d::Store& store) { return store.compareSet(key, current, desired); },
                 limit_);
}

std::vector<uint8_t> LimitedStore::get(const std::string& key) {
  return limited([=](c10d::Store& store) { return store.get(key); }, limit_with(getTimeout()));
}

int64_t LimitedStore::add(const std::string& key, int64_t value) {
  return limited([=](c10d::Store& store) { return store.add(key, value); }, limit_);
}

bool LimitedStore::deleteKey(const std::string& key) {
  return limited([=](c10d::Store& store) { return store.deleteKey(key); }, limit_);
}

bool LimitedStore::check(const std::vector<std::string>& keys) {
  return limited([=](c10d::Store& store) { return store.check(keys); }, limit_);
}

int64_t LimitedStore::getNumKeys() {
  return limited([](c10d::Store& store) { return store.getNumKeys(); }, limit_);
}

void LimitedStore::wait(const std::vector<std::string>& keys) {
  wait(keys, getTimeout());
}

void LimitedStore::wait(const std::vector<std::string>& keys,
                        const std::chrono::milliseconds& timeout) {
  limited([=](c10d::Store& store) { store.wait(keys, timeout); }, limit_with(timeout));
}

const std::chrono::milliseconds& LimitedStore::getTimeout() const noexcept {
  return store_->getTimeout();
}

void LimitedStore::setTimeout(const std::chrono::milliseconds& timeout) {
  store_->setTimeout(timeout);
}

void LimitedStore::append(const std::string& key, const std::vector<uint8_t>& value) {
  limited([=](c10d::Store& store) { store.append(key, value); }, limit_);
}

std::vector<std::vector<uint8_t>> LimitedStore::multiGet(const std::vector<std::string>& keys) {
  return limited([=](c10d::Store& store) { return store.multiGet(keys); },
                 limit_with(getTimeout()));
}

void LimitedStore::multiSet(const std::vector<std::string>& keys,
                            const std::vector<std::vector<uint8_t>>& values) {
  limited([=](c10d::Store& store) { store.multiSet(keys, values); }, limit_);
}

bool LimitedStore::hasExtendedApi() const {
  return store_->hasExtendedApi();
}

}  // namespace heed::ranks
