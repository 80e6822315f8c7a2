#include "kernels/rows/dropout.h"

#include "kernels/rows/numbers.h"
#include "kernels/rows/versions.h"

namespace heed::kernels {
namespace {

template <class From, class To>
HEED_LOOP void drop(const From* x, To* y, int64_t begin, int64_t end, Mask mask) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) put(y[i], number(x[i]) * mask(static_cast<uint32_t>(i)));
}

template <class From, class To>
HEED_LOOP void add_dropped(const To* residual, const From* x, To* y, int64_t begin, int64_t end,
                           Mask mask) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i)
    put(y[i], number(residual[i]) + number(x[i]) * mask(static_cast<uint32_t>(i)));
}

}  // namespace

template <class From, class To>
void drop_numbers(const std::type_identity_t<To>* residual, const From* x, To* y, int64_t begin,
                  int64_t end, const Mask& mask) {
  if (residual) return fastest<add_dropped<From, To>>(residual, x, y, begin, end, mask);
  fastest<drop<From, To>>(x, y, begin, end, mask);
}

template void drop_numbers(const float*, const float*, float*, int64_t, int64_t, const Mask&);
template void drop_numbers(const float*, const uint16_t*, float*, int64_t, int64_t, const Mask&);
template void drop_numbers(const uint16_t*, const float*, uint16_t*, int64_t, int64_t, const Mask&);
template void drop_numbers(const uint16_t*, const uint16_t*, uint16_t*, int64_t, int64_t,
                           const Mask&);

}  // namespace heed::kernels
