#include "kernels/varlen_attention.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_efficient_attention_forward.h>
#include <ATen/ops/_flash_attention_forward.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "kernels/graph.h"

namespace heed::kernels {
namespace {

constexpr int64_t kWidestFlashHead = 256;
/// Up to this length the tiles of memory-efficient attention, of 64 positions, are less empty than
/// FlashAttention's, of 128.
constexpr int64_t kLongestOfSmallTiles = 64;

c10::OperatorHandle operation(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

bool has_kernel(const c10::OperatorHandle& operation, const at::Device& device) {
  return operation.hasKernelForDispatchKey(
      c10::computeDispatchKey(at::kFloat, at::kStrided, device));
}

bool is_half(at::ScalarType type) {
  return type == at::kHalf || type == at::kBFloat16;
}

bool flash_takes(const at::Device& device, const VarlenNeeds& needs) {
  static const c10::OperatorHandle kernel = operation("aten::_flash_attention_forward");
  return is_half(needs.type) && needs.head % 8 == 0 && needs.head <= kWidestFlashHead &&
         has_kernel(kernel, device) && (!device.is_cuda() || compute_capability(device) >= 8);
}

/// Whether memory-efficient attention meets the needs. It loads rows 16 bytes at a time, and its
/// derivative knows no windows.
bool efficient_takes(const at::Device& device, const VarlenNeeds& needs) {
  static const c10::OperatorHandle kernel = operation("aten::_efficient_attention_forward");
  const int64_t alignment = is_half(needs.type) ? 8 : 4;
  return (is_half(needs.type) || needs.type == at::kFloat) && needs.head % alignment == 0 &&
         !needs.window && has_kernel(kernel, device);
}

/// FlashAttention. The kernel itself lets several query heads use one head of keys and values.
Tensor flash(const Tensor& query, const Tensor& keys, const Tensor& values,
             const VarlenSentences& of_queries, const VarlenSentences& of_keys,
             const VarlenOptions& options) {
  std::optional<int64_t> left, right;
  if (options.pattern.window > 0) {
    left = options.pattern.window;
    right = options.pattern.ahead();
  }
  return std::get<0>(at::_flash_attention_forward(
      query, keys, values, of_queries.starts, of_keys.starts, of_queries.longest, of_keys.longest,
      options.dropout, options.pattern.causal, /*return_debug_mask=*/false, options.scale, left,
      right));
}

/// Repeats the kv heads, one for each query head: [positions, kv heads, head] -> [1, positions,
/// heads, head].
Tensor of_each_head(const Tensor& x, int64_t heads) {
  const int64_t group = heads / x.size(1);
  return (group == 1 ? x : x.repeat_interleave(group, 1)).unsqueeze(0);
}

Tensor efficient(const Tensor& query, const Tensor& keys, const Tensor& values,
                 const VarlenSentences& of_queries, const VarlenSentences& of_keys,
                 const VarlenOptions& options) {
  constexpr int64_t kEverything = 0, kCausal = 1;  // as LibTorch numbers its masks
  const int64_t heads = query.size(1);
  return std::get<0>(at::_efficient_attention_forward(
                         query.unsqueeze(0), of_each_head(keys, heads), of_each_head(values, heads),
                         /*bias=*/{}, of_queries.starts, of_keys.starts, of_queries.longest,
                         of_keys.longest, options.dropout,
                         options.pattern.causal ? kCausal : kEverything,
                         /*compute_log_sumexp=*/true, options.scale))
      .squeeze(0);
}

}  // namespace

bool has_varlen_attention(const at::Device& device, const VarlenNeeds& needs) {
  return flash_takes(device, needs) || efficient_takes(device, needs);
}

Tensor varlen_attention(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const VarlenSentences& of_queries, const VarlenSentences& of_keys,
                        const VarlenOptions& options) {
  const VarlenNeeds needs{query.scalar_type(), query.size(2), options.pattern.window > 0};
  const bool small = std::max(of_queries.longest, of_keys.longest) <= kLongestOfSmallTiles &&
                     query.size(1) == keys.size(1) && efficient_takes(query.device(), needs);
  if (!small && flash_takes(query.device(), needs))
    return flash(query, keys, values, of_queries, of_keys, options);
  expect(efficient_takes(query.device(), needs), "attention that this device has");
  return efficient(query, keys, values, of_queries, of_keys, options);
}

}  // namespace heed::kernels
