// residual + dropout(x) and the layer norm of that sum: the kernels of kernels/layer_norm.h for a
// GPU.
//
// NVRTC compiles this text for a GPU while the program runs (kernels/plugin/add_norm_plugin.cpp).
// Any C++ compiler compiles it for a CPU, too: there the threads of a block are a loop, and their
// sums are added up in the same order. So tests hold the very same arithmetic equal to LibTorch's.
//
// A block of kLanes threads, the lanes, computes one row at a time. A row's numbers stay in the
// lanes' registers. bf16 is the upper half of a float.
#pragma once

#ifdef __CUDACC_RTC__
#define HEED_GPU __device__ __forceinline__
#define HEED_UNROLL _Pragma("unroll")
#else
#include <cmath>
#include <cstring>
#define HEED_GPU inline
#define HEED_UNROLL
#endif

namespace heed::kernels::gpu {

using Half = unsigned short;  // bf16
using Word = unsigned;
using Long = unsigned long long;

/// Which numbers are kept: random number n of the state `seed`, `offset` says so of place n.
struct Draw {
  const Long *seed_at = nullptr, *offset_at = nullptr;  // on the device, or null
  Long seed = 0, offset = 0;  // without these; with them, `offset` is added to *offset_at
  Word threshold = 0;         // of 2^24; 0: all are kept
  float scale = 1;            // of what is kept
};

/// Rows of the width that the kernel is compiled for. Pointers to void are of the type of numbers
/// that it is compiled for, float or Half. All but the small ones begin at multiples of 16 bytes.
struct AddNorm {
  const float* residual;
  const void* x;
  const float *weight, *bias;
  float* sum;
  void* normed;
  float* moments;  // [rows, 2]: mean, and 1 / deviation
  Long* drawn;     // [2]: seed and offset, for the gradient
  Draw draw;
  float eps;
};

struct AddNormGradient {
  const float* outer_sum;
  const void* outer_normed;
  const float *sum, *weight, *moments;
  float* to_residual;
  void* to_x;
  float* to_weights;  // [blocks, 2, width]: what each block adds to weight and bias
  Draw draw;
  Long rows;
};

HEED_GPU constexpr int lanes_of(int width) {
  return width <= 256 ? 32 : width <= 512 ? 64 : width <= 1024 ? 128 : 256;
}

/// How the numbers of a row are divided among lanes: `kVector` neighbours at a time.
template <int width>
struct Row {
  static constexpr int kWidth = width;
  static constexpr int kLanes = lanes_of(width);
  static constexpr int kVector = width % 4 == 0 ? 4 : 1;
  static constexpr int kSteps = (width + kLanes * kVector - 1) / (kLanes * kVector);
#ifdef __CUDACC_RTC__
  static constexpr int kHeld = 1;  // lanes that one thread computes
  HEED_GPU static int lane(int) {
    return static_cast<int>(threadIdx.x);
  }
#else
  static constexpr int kHeld = kLanes;
  HEED_GPU static int lane(int held) {
    return held;
  }
#endif

  /// One number of each lane, and all numbers of the row.
  struct Each {
    float of[kHeld] = {};
  };
  struct HeldNumbers {
    float of[kHeld][kSteps][kVector] = {};
  };

  /// visit(lane's place among those held, step, first of kVector places in the row)
  template <class Visit>
  HEED_GPU static void visit(const Visit& visit) {
    HEED_UNROLL
    for (int held = 0; held < kHeld; ++held) {
      HEED_UNROLL
      for (int step = 0; step < kSteps; ++step) {
        const int at = (step * kLanes + lane(held)) * kVector;
        if (at < kWidth) visit(held, step, at);
      }
    }
  }

  /// The sum of all lanes, in every lane: first within warps of 32.
  HEED_GPU static float total(const Each& parts) {
#ifdef __CUDACC_RTC__
    float sum = parts.of[0];
    HEED_UNROLL
    for (int other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(~0U, sum, other);
    if constexpr (kLanes > 32) {
      __shared__ float of_warps[kLanes / 32];
      __syncthreads();  // all have read what an earlier call left there
      if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
      __syncthreads();
      sum = 0;
      HEED_UNROLL
      for (int warp = 0; warp < kLanes / 32; ++warp) sum += of_warps[warp];
    }
    return sum;
#else
    float sum = 0;
    for (int warp = 0; warp < kLanes; warp += 32) {
      float now[32], next[32];
      for (int i = 0; i < 32; ++i) now[i] = parts.of[warp + i];
      for (int other = 16; other > 0; other /= 2) {
        for (int i = 0; i < 32; ++i) next[i] = now[i] + now[i ^ other];
        std::memcpy(now, next, sizeof now);
      }
      sum += now[0];
    }
    return sum;
#endif
  }
};

HEED_GPU float number(float x) {
  return x;
}
HEED_GPU float number(Half x) {
  const Word bits = static_cast<Word>(x) << 16;
  float out;
  memcpy(&out, &bits, sizeof out);
  return out;
}
HEED_GPU void put(float& place, float x) {
  place = x;
}
/// To the nearest, ties to even. A GPU's NaN has bits to which a carry may not be added.
HEED_GPU void put(Half& place, float x) {
  Word bits;
  memcpy(&bits, &x, sizeof bits);
  place = static_cast<Half>(x == x ? (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 : 0x7FC0);
}

/// Neighbours that are read and written at once; their address is a multiple of their size.
template <class T, int count>
struct alignas(count * sizeof(T)) Vector {
  T of[count];
};

template <class T, int count>
HEED_GPU void read(const void* row, int at, float (&to)[count]) {
  const auto vector = *reinterpret_cast<const Vector<T, count>*>(static_cast<const T*>(row) + at);
  HEED_UNROLL
  for (int i = 0; i < count; ++i) to[i] = number(vector.of[i]);
}

template <class T, int count>
HEED_GPU void write(void* row, int at, const float (&from)[count]) {
  Vector<T, count> vector;
  HEED_UNROLL
  for (int i = 0; i < count; ++i) put(vector.of[i], from[i]);
  *reinterpret_cast<Vector<T, count>*>(static_cast<T*>(row) + at) = vector;
}

template <class T>
HEED_GPU const void* row_of(const void* rows, Long row, int width) {
  return static_cast<const T*>(rows) + row * width;
}
template <class T>
HEED_GPU void* row_of(void* rows, Long row, int width) {
  return static_cast<T*>(rows) + row * width;
}

/// Philox4x32-10 (Salmon et al. 2011), as at::Philox4_32.
HEED_GPU void philox(Long seed, Long subsequence, Long offset, Word (&out)[4]) {
  Word key[2] = {static_cast<Word>(seed), static_cast<Word>(seed >> 32)};
  out[0] = static_cast<Word>(offset);
  out[1] = static_cast<Word>(offset >> 32);
  out[2] = static_cast<Word>(subsequence);
  out[3] = static_cast<Word>(subsequence >> 32);
  HEED_UNROLL
  for (int round = 0; round < 10; ++round) {
    const Long first = Long{0xD2511F53} * out[0], second = Long{0xCD9E8D57} * out[2];
    const Word next[4] = {
        static_cast<Word>(second >> 32) ^ out[1] ^ key[0], static_cast<Word>(second),
        static_cast<Word>(first >> 32) ^ out[3] ^ key[1], static_cast<Word>(first)};
    HEED_UNROLL
    for (int i = 0; i < 4; ++i) out[i] = next[i];
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
}

class Dropout {
 public:
  HEED_GPU explicit Dropout(const Draw& draw)
      : seed_(draw.seed_at ? *draw.seed_at : draw.seed),
        offset_((draw.offset_at ? *draw.offset_at : 0) + draw.offset),
        threshold_(draw.threshold),
        scale_(draw.scale) {}

  /// The factors of `count` neighbours: 0 or the scale. Four places share one call of philox().
  template <int count>
  HEED_GPU void factors(Long place, float (&to)[count]) const {
    Word words[4] = {};
    if (threshold_ > 0) philox(seed_, place / 4, offset_ / 4, words);
    HEED_UNROLL
    for (int i = 0; i < count; ++i) {
      const Word word = count == 4 ? words[i] : words[place % 4];
      to[i] = word >> 8 >= threshold_ ? scale_ : 0.0F;
    }
  }

  HEED_GPU void keep(Long* drawn) const {
    drawn[0] = seed_;
    drawn[1] = offset_;
  }

 private:
  Long seed_, offset_;
  Word threshold_;
  float scale_;
};

/// One row.
template <int width, class T>
HEED_GPU void add_norm(const AddNorm& call, Long row) {
  using R = Row<width>;
  constexpr int n = R::kVector;
  const Dropout dropout(call.draw);
  if (row == 0 && R::lane(0) == 0) dropout.keep(call.drawn);
  const void* const residual = row_of<float>(static_cast<const void*>(call.residual), row, width);
  const void* const x = row_of<T>(call.x, row, width);
  void* const sum = row_of<float>(static_cast<void*>(call.sum), row, width);
  typename R::HeldNumbers numbers;
  typename R::Each parts;
  R::visit([&](int held, int step, int at) {
    float(&values)[n] = numbers.of[held][step];
    float added[n], factors[n];
    read<float>(residual, at, values);
    read<T>(x, at, added);
    dropout.factors(row * width + at, factors);
    HEED_UNROLL
    for (int i = 0; i < n; ++i) {
      values[i] += factors[i] * added[i];
      parts.of[held] += values[i];
    }
    write<float>(sum, at, values);
  });
  const float mean = R::total(parts) / width;
  typename R::Each squares;
  R::visit([&](int held, int step, int) {
    HEED_UNROLL
    for (int i = 0; i < n; ++i) {
      const float distance = numbers.of[held][step][i] - mean;
      squares.of[held] += distance * distance;
    }
  });
  const float scale = 1 / sqrtf(R::total(squares) / width + call.eps);
  if (R::lane(0) == 0) {
    call.moments[2 * row] = mean;
    call.moments[2 * row + 1] = scale;
  }
  void* const normed = row_of<T>(call.normed, row, width);
  R::visit([&](int held, int step, int at) {
    float(&values)[n] = numbers.of[held][step];
    float weight[n], bias[n];
    read<float>(call.weight, at, weight);
    read<float>(call.bias, at, bias);
    HEED_UNROLL
    for (int i = 0; i < n; ++i) values[i] = (values[i] - mean) * scale * weight[i] + bias[i];
    write<T>(normed, at, values);
  });
}

/// The rows `block`, `block` + `blocks`, and so on.
template <int width, class T>
HEED_GPU void add_norm_gradient(const AddNormGradient& call, Long block, Long blocks) {
  using R = Row<width>;
  constexpr int n = R::kVector;
  const Dropout dropout(call.draw);
  typename R::HeldNumbers to_weight, to_bias;
  for (Long row = block; row < call.rows; row += blocks) {
    const float mean = call.moments[2 * row], scale = call.moments[2 * row + 1];
    const void* const sum = row_of<float>(static_cast<const void*>(call.sum), row, width);
    const void* const outer = row_of<T>(call.outer_normed, row, width);
    const void* const passed = row_of<float>(static_cast<const void*>(call.outer_sum), row, width);
    typename R::HeldNumbers places, inner;  // (sum - mean) scale, and the gradient of that
    typename R::Each parts, products;
    R::visit([&](int held, int step, int at) {
      float(&place)[n] = places.of[held][step];
      float(&gradient)[n] = inner.of[held][step];
      float weight[n];
      read<float>(sum, at, place);
      read<T>(outer, at, gradient);
      read<float>(call.weight, at, weight);
      HEED_UNROLL
      for (int i = 0; i < n; ++i) {
        place[i] = (place[i] - mean) * scale;
        to_weight.of[held][step][i] += gradient[i] * place[i];
        to_bias.of[held][step][i] += gradient[i];
        gradient[i] *= weight[i];
        parts.of[held] += gradient[i];
        products.of[held] += gradient[i] * place[i];
      }
    });
    const float of_parts = R::total(parts) / width, of_products = R::total(products) / width;
    void* const to_residual = row_of<float>(static_cast<void*>(call.to_residual), row, width);
    void* const to_x = row_of<T>(call.to_x, row, width);
    R::visit([&](int held, int step, int at) {
      float(&place)[n] = places.of[held][step];
      float(&gradient)[n] = inner.of[held][step];
      float beside[n], factors[n];
      read<float>(passed, at, beside);
      dropout.factors(row * width + at, factors);
      HEED_UNROLL
      for (int i = 0; i < n; ++i)
        gradient[i] = (gradient[i] - of_parts - place[i] * of_products) * scale + beside[i];
      write<float>(to_residual, at, gradient);
      HEED_UNROLL
      for (int i = 0; i < n; ++i) gradient[i] *= factors[i];
      write<T>(to_x, at, gradient);
    });
  }
  float* const to = call.to_weights + block * 2 * width;
  R::visit([&](int held, int step, int at) {
    write<float>(to, at, to_weight.of[held][step]);
    write<float>(to + width, at, to_bias.of[held][step]);
  });
}

#ifdef __CUDACC_RTC__

constexpr int kThreads = lanes_of(HEED_WIDTH);

extern "C" __global__ void __launch_bounds__(kThreads) heed_add_norm(AddNorm call) {
  add_norm<HEED_WIDTH, HEED_TYPE>(call, blockIdx.x);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    heed_add_norm_gradient(AddNormGradient call) {
  add_norm_gradient<HEED_WIDTH, HEED_TYPE>(call, blockIdx.x, gridDim.x);
}

#endif

}  // namespace heed::kernels::gpu
