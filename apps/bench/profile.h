// Which of LibTorch's operations take the time, how many multiplications they do, and what a GPU
// does meanwhile.
#pragma once

#include <cstdint>
#include <vector>

#include "study/cost_tables.h"

namespace heed {

/// Watches every operation of every thread while it lives, which slows small ones by about a
/// microsecond. Only one may live at a time.
class Profile {
 public:
  Profile();
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Dearest first.
  std::vector<study::OperationCost> operations() const;
  /// Floating-point operations of all matrix products: 2 x rows x inner x columns each.
  double product_flops() const;

 private:
  uint64_t handle_;
};

}  // namespace heed
