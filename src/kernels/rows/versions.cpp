#include "kernels/rows/versions.h"

namespace heed::kernels {
namespace {

#if HEED_X86

Level find_level() {
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? Level::v4 : v3 ? Level::v3 : Level::plain;
}

const Level kLevel = find_level();
const bool kVnni = kLevel == Level::v4 && __builtin_cpu_supports("avx512vnni");
const bool kBf16 = kLevel == Level::v4 && __builtin_cpu_supports("avx512bf16");

#else

constexpr Level kLevel = Level::plain;
constexpr bool kVnni = false, kBf16 = false;

#endif

}  // namespace

Level level() {
  return kLevel;
}

bool has_vnni() {
  return kVnni;
}

bool has_bf16_products() {
  return kBf16;
}

}  // namespace heed::kernels
