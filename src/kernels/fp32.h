// Computing in fp32 whatever the precision of the products around.
#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

#include "kernels/tensor.h"

namespace heed::kernels {

/// No autocast for the lifetime of this object: products are computed in the type of their factors.
class WithoutAutocast {
  c10::impl::ExcludeDispatchKeyGuard guard_{c10::autocast_dispatch_keyset};
};

/// x in fp32, or in double where it is that.
inline Tensor widened(const Tensor& x) {
  return x.scalar_type() == at::kDouble ? x : x.to(at::kFloat);
}

}  // namespace heed::kernels
