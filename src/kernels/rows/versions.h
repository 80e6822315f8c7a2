// One loop, compiled for several processors. The fastest one that this processor can run is chosen
// at each call, by a number that is known when the program starts.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#define HEED_X86 1
#else
#define HEED_X86 0
#endif

// A loop that is compiled into each of its callers, and there for the processor of that caller.
#define HEED_LOOP [[gnu::always_inline]] inline

namespace heed::kernels {

/// The levels of x86-64, which say which instructions the compiler may use. Other processors are
/// `plain`.
enum class InstructionSet { plain, v3, v4 };  // v3: AVX2 and FMA; v4: AVX-512

/// The abilities of this processor.
struct Processor {
  InstructionSet level = InstructionSet::plain;
  /// Products of bf16 numbers and their sum in one instruction (AVX512-BF16; ARM's BF16).
  bool bf16_products = false;
  /// Products of four bytes and their sum in one instruction: AVX512-VNNI; AVX-VNNI, in registers
  /// of AVX2; ARM's dot products, and its products of 2 x 8 and 8 x 2.
  bool vnni = false, avx_vnni = false, dot_products = false, i8mm = false;
};
const Processor& processor();

/// Whether the processor multiplies whole tiles of bytes and of bf16 (AMX), which the system must
/// allow: it is asked at the first call.
bool has_amx();

template <auto kLoop>
struct Versions;

template <class Result, class... Arguments, Result (*kLoop)(Arguments...)>
struct Versions<kLoop> {
  static Result plain(Arguments... arguments) { return kLoop(arguments...); }
#if HEED_X86
  [[gnu::target("arch=x86-64-v3")]] static Result v3(Arguments... arguments) {
    return kLoop(arguments...);
  }
  [[gnu::target("arch=x86-64-v4")]] static Result v4(Arguments... arguments) {
    return kLoop(arguments...);
  }
#endif
};

template <auto kPlain, auto kV3, auto kV4>
struct Choice;

template <class Result, class... Arguments, Result (*kPlain)(Arguments...),
          Result (*kV3)(Arguments...), Result (*kV4)(Arguments...)>
struct Choice<kPlain, kV3, kV4> {
  static Result run(Arguments... arguments) {
#if HEED_X86
    const InstructionSet level = processor().level;
    if (level == InstructionSet::v4) return Versions<kV4>::v4(arguments...);
    if (level == InstructionSet::v3) return Versions<kV3>::v3(arguments...);
#endif
    return Versions<kPlain>::plain(arguments...);
  }
};

/// fastest<loop>(arguments...) runs `loop`, a HEED_LOOP, as this processor runs it fastest.
/// fastest<plain, v3, v4> chooses among loops that are written for the registers of each.
template <auto kPlain, auto kV3 = kPlain, auto kV4 = kPlain>
inline constexpr auto fastest = &Choice<kPlain, kV3, kV4>::run;

// Vectors as GCC and Clang have them, for loops that are written for the registers of a processor.

/// Vectors of as many numbers of 4 bytes as a register of the processor holds: 4, 8 or 16. The
/// compiler would take wider vectors apart through memory.
template <int64_t width>
struct Vectors {
  using Floats [[gnu::vector_size(width * 4)]] = float;
  using Words [[gnu::vector_size(width * 4)]] = uint32_t;
  using Integers [[gnu::vector_size(width * 4)]] = int32_t;
};

/// Reads as many bytes as `vector` has, which may begin anywhere.
template <class Vector>
HEED_LOOP void load(Vector& vector, const void* from) {
  std::memcpy(&vector, from, sizeof vector);
}

}  // namespace heed::kernels
