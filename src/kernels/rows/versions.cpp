#include "kernels/rows/versions.h"

#if HEED_X86
#include <cpuid.h>
#endif

#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace heed::kernels {
namespace {

#if HEED_X86

InstructionSet find_level() {
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? InstructionSet::v4 : v3 ? InstructionSet::v3 : InstructionSet::plain;
}

const InstructionSet kLevel = find_level();
const bool kVnni = kLevel == InstructionSet::v4 && __builtin_cpu_supports("avx512vnni");
const bool kBf16 = kLevel == InstructionSet::v4 && __builtin_cpu_supports("avx512bf16");
constexpr bool kDotProducts = false, kI8mm = false;

/// AMX has registers of 8 KiB, which Linux keeps for a process that asks for them.
bool find_amx() {
#ifdef __linux__
  constexpr unsigned kBf16Tiles = 1U << 22, kTiles = 1U << 24, kInt8Tiles = 1U << 25;
  constexpr unsigned kAll = kBf16Tiles | kTiles | kInt8Tiles;
  constexpr int kAskForState = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return kVnni && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kAll) == kAll &&
         ::syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
#else
  return false;
#endif
}

#else

constexpr InstructionSet kLevel = InstructionSet::plain;
constexpr bool kVnni = false;
#if defined(__aarch64__) && defined(__linux__)
const bool kDotProducts = (::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
const bool kI8mm = (::getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
const bool kBf16 = (::getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0;
#else
constexpr bool kBf16 = false, kDotProducts = false, kI8mm = false;
#endif

bool find_amx() {
  return false;
}

#endif

}  // namespace

InstructionSet level() {
  return kLevel;
}

bool has_vnni() {
  return kVnni;
}

bool has_dot_products() {
  return kDotProducts;
}

bool has_i8mm() {
  return kI8mm;
}

bool has_bf16_products() {
  return kBf16;
}

bool has_amx() {
  static const bool found = find_amx();
  return found;
}

}  // namespace heed::kernels
