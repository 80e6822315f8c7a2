#include "kernels/rows/versions.h"

#if HEED_X86
#include <cpuid.h>

#include "base/machine.h"
#endif

#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace heed::kernels {
namespace {

#if HEED_X86
/// GCC 12 has no name for it.
bool find_avx_vnni() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & 1U << 4) != 0;
}
#endif

Processor find_processor() {
  Processor found;
#if HEED_X86
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  const Instructions most = most_instructions();
  if (v3 && most >= Instructions::avx2) found.level = InstructionSet::v3;
  if (v4 && most >= Instructions::avx512) found.level = InstructionSet::v4;
  found.avx_vnni = v3 && most >= Instructions::avx_vnni && find_avx_vnni();
  const bool both = v4 && most >= Instructions::avx512_vnni;
  found.vnni = both && __builtin_cpu_supports("avx512vnni");
  found.bf16_products = both && __builtin_cpu_supports("avx512bf16");
#elif defined(__aarch64__) && defined(__linux__)
  found.dot_products = (::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
  found.i8mm = (::getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
  found.bf16_products = (::getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0;
#endif
  return found;
}

const Processor kProcessor = find_processor();

/// AMX has registers of 8 KiB, which Linux keeps for a process that asks for them.
bool find_amx() {
#if HEED_X86 && defined(__linux__)
  constexpr unsigned kBf16Tiles = 1U << 22, kTiles = 1U << 24, kInt8Tiles = 1U << 25;
  constexpr unsigned kAll = kBf16Tiles | kTiles | kInt8Tiles;
  constexpr int kAskForState = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return kProcessor.vnni && most_instructions() == Instructions::all &&
         __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kAll) == kAll &&
         ::syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
#else
  return false;
#endif
}

}  // namespace

const Processor& processor() {
  return kProcessor;
}

bool has_amx() {
  static const bool found = find_amx();
  return found;
}

}  // namespace heed::kernels
