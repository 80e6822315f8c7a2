// Which of LibTorch's operations take the time, and how many multiplications they do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

struct OperationCost {
  std::string name;
  double seconds = 0;  // without the operations that it calls
  int64_t calls = 0;
};

/// Watches every operation of every thread while it lives, which slows small ones by about a
/// microsecond. Only one may live at a time.
class Profile {
 public:
  Profile();
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Dearest first.
  std::vector<OperationCost> operations() const;
  /// Floating-point operations of all matrix products: 2 x rows x inner x columns each.
  double product_flops() const;

 private:
  uint64_t handle_;
};

}  // namespace heed
