// Scaled dot-product attention over sentences without padding on a GPU: FlashAttention (Dao 2023)
// in bf16 and fp16, memory-efficient attention (Rabe and Staats 2021) in fp32 and for short
// sentences. Both are LibTorch's kernels for variable lengths, with LibTorch's derivatives; no
// tensor of queries x keys is made.
#pragma once

#include <cstdint>

#include "kernels/rows/pattern.h"
#include "kernels/tensor.h"

namespace heed::kernels {

/// The properties of all attentions of a model that the kernel must support.
struct VarlenNeeds {
  at::ScalarType type = at::kFloat;  // of queries, keys and values
  int64_t head = 0;                  // width of one head
  bool window = false;               // whether some attention has one
};

/// Whether varlen_attention() meets all of these needs on this device.
bool has_varlen_attention(const at::Device& device, const VarlenNeeds& needs);

/// Sentences that lie one after the other.
struct VarlenSentences {
  Tensor starts;        // [sentences + 1] int32 on the device: the first position of each, and the
                        // number of all positions
  int64_t longest = 0;  // no sentence is longer
};

struct VarlenOptions {
  Pattern pattern = {};  // one that is not sparse; of as many queries as keys where it hides any
  double scale = 1;
  double dropout = 0;  // of the weights, drawn from the device's generator
};

/// query [query positions, heads, head], keys and values [key positions, kv heads, head] of one
/// type, kv heads dividing heads, the last dimension contiguous -> [query positions, heads, head].
Tensor varlen_attention(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const VarlenSentences& of_queries, const VarlenSentences& of_keys,
                        const VarlenOptions& options);

}  // namespace heed::kernels
