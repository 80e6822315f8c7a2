// Models without numbers.
#pragma once

namespace heed::model {

/// While one lives, matrices of weights made by this thread have sizes and next to no memory: for a
/// model that is only counted, and may be larger than this machine.
class SizesOnly {
 public:
  SizesOnly();
  ~SizesOnly();
  SizesOnly(const SizesOnly&) = delete;
  SizesOnly& operator=(const SizesOnly&) = delete;
  static bool wanted();

 private:
  bool before_;
};

}  // namespace heed::model
