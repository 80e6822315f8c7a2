// Calls that may never return (private to this room). A store of LibTorch whose server is silent,
// because its process hangs or the way to it is cut, answers no call that waits for an answer,
// whatever the store's own timeout.
#pragma once

#include <c10/util/Exception.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "ranks/group.h"

namespace heed::ranks {

/// The server of a store has not answered in time.
class SilentStore : public c10::DistStoreError {
 public:
  using DistStoreError::DistStoreError;
};

/// Whether `call` has returned within `limit`. Where it has not, the thread in which it runs is
/// abandoned: it must own, and not refer to, what it uses, and must not throw.
bool returns_within(std::chrono::milliseconds limit, std::function<void()> call);

/// Returns or throws what `call` does; returns nothing where it takes longer than `limit`. As
/// above, `call` must own what it uses.
template <class Call>
auto result_within(std::chrono::milliseconds limit, Call call)
    -> std::optional<std::invoke_result_t<Call>> {
  struct Outcome {
    std::optional<std::invoke_result_t<Call>> result;
    std::exception_ptr error;
  };
  const auto outcome = std::make_shared<Outcome>();
  const bool returned = returns_within(limit, [outcome, call = std::move(call)] {
    try {
      outcome->result = call();
    } catch (...) {
      outcome->error = std::current_exception();
    }
  });
  if (!returned) return std::nullopt;
  if (outcome->error) std::rethrow_exception(outcome->error);
  return std::move(outcome->result);
}

/// A store each of whose calls ends: with an answer, or with SilentStore. After the first
/// SilentStore all further calls throw it at once.
class LimitedStore : public c10d::Store {
 public:
  /// `limit` is for a call that waits for nobody but the server.
  LimitedStore(StorePtr store, std::chrono::milliseconds limit);

  using Store::compareSet;
  using Store::set;
  c10::intrusive_ptr<Store> clone() override;
  void set(const std::string& key, const std::vector<uint8_t>& value) override;
  std::vector<uint8_t> compareSet(const std::string& key, const std::vector<uint8_t>& current,
                                  const std::vector<uint8_t>& desired) override;
  std::vector<uint8_t> get(const std::string& key) override;
  int64_t add(const std::string& key, int64_t value) override;
  bool deleteKey(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  int64_t getNumKeys() override;
  void wait(const std::vector<std::string>& keys) override;
  void wait(const std::vector<std::string>& keys,
            const std::chrono::milliseconds& timeout) override;
  const std::chrono::milliseconds& getTimeout() const noexcept override;
  void setTimeout(const std::chrono::milliseconds& timeout) override;
  void append(const std::string& key, const std::vector<uint8_t>& value) override;
  std::vector<std::vector<uint8_t>> multiGet(const std::vector<std::string>& keys) override;
  void multiSet(const std::vector<std::string>& keys,
                const std::vector<std::vector<uint8_t>>& values) override;
  bool hasExtendedApi() const override;

 private:
  /// call(store) within `limit`.
  template <class Call>
  auto limited(Call call, std::chrono::milliseconds limit);
  /// Returns the limit of a call that waits so long for a key, and then asks the server once more.
  std::chrono::milliseconds limit_with(std::chrono::milliseconds waiting) const;

  const StorePtr store_;
  const std::chrono::milliseconds limit_;
  std::atomic<bool> silent_ = false;  // a group and its backend may call in different threads
};

}  // namespace heed::ranks
