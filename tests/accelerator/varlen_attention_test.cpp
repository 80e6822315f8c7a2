// Attention over sentences without padding on the simulated accelerator, whose kernels stand in for
// LibTorch's and refuse what those refuse.
#include "kernels/varlen_attention.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "accelerator/support.h"
#include "model/device.h"
#include "model/transformer/attention/scaled_dot_product.h"
#include "train/own_optimizer.h"
#include "train/update.h"

namespace heed::accelerator {
namespace {

using at::Tensor;
using kernels::has_varlen_attention;

struct Operation {
  std::string name;
  std::vector<std::string> arguments, after_a_star;

  friend void PrintTo(const Operation& one, std::ostream* out) { *out << one.name; }
};

class PrivateOperation : public ::testing::TestWithParam<Operation> {};

// kernels/varlen_attention.cpp calls operations whose names begin with an underscore: LibTorch does
// not promise them. With another version, look at their declarations and derivatives first. What a
// version adds at the end may be left out.
TEST_P(PrivateOperation, IsCalledAsThisVersionOfLibTorchDeclaresIt) {
  const auto schema = c10::Dispatcher::singleton().findSchemaOrThrow(GetParam().name.c_str(), "");
  std::vector<std::string> names = GetParam().arguments;
  names.insert(names.end(), GetParam().after_a_star.begin(), GetParam().after_a_star.end());
  const auto& declared = schema.schema().arguments();
  ASSERT_GE(declared.size(), names.size());
  for (std::size_t i = 0; i < declared.size(); ++i) {
    SCOPED_TRACE(declared[i].name());
    EXPECT_EQ(declared[i].kwarg_only(), i >= GetParam().arguments.size());
    if (i < names.size()) {
      EXPECT_EQ(declared[i].name(), names[i]);
    } else {
      ASSERT_TRUE(declared[i].default_value().has_value());
      EXPECT_TRUE(declared[i].default_value()->isNone());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, PrivateOperation,
    ::testing::Values(
        Operation{"aten::_flash_attention_forward",
                  {"query", "key", "value", "cum_seq_q", "cum_seq_k", "max_q", "max_k", "dropout_p",
                   "is_causal", "return_debug_mask"},
                  {"scale", "window_size_left", "window_size_right", "seqused_k", "alibi_slopes"}},
        Operation{"aten::_flash_attention_backward",
                  {"grad_out", "query", "key", "value", "out", "logsumexp", "cum_seq_q",
                   "cum_seq_k", "max_q", "max_k", "dropout_p", "is_causal", "rng_state", "unused"},
                  {"scale", "window_size_left", "window_size_right"}},
        Operation{"aten::_efficient_attention_forward",
                  {"query", "key", "value", "bias", "cu_seqlens_q", "cu_seqlens_k", "max_seqlen_q",
                   "max_seqlen_k", "dropout_p", "custom_mask_type", "compute_log_sumexp"},
                  {"scale", "seqlen_k", "window_size"}},
        Operation{"aten::_efficient_attention_backward",
                  {"grad_out_", "query", "key", "value", "bias", "out", "cu_seqlens_q",
                   "cu_seqlens_k", "max_seqlen_q", "max_seqlen_k", "logsumexp", "dropout_p",
                   "philox_seed", "philox_offset", "custom_mask_type", "bias_requires_grad"},
                  {"scale", "num_splits_key", "window_size", "shared_storage_dqdkdv"}}),
    [](const auto& info) { return info.param.name.substr(sizeof "aten::_" - 1); });

TEST(VarlenAttention, IsThereForWhatTheKernelsTake) {
  const auto has = [](const at::Device& where, at::ScalarType type, int64_t head, bool window) {
    return has_varlen_attention(where, {type, head, window});
  };
  EXPECT_TRUE(has(device(), at::kBFloat16, 8, true));
  EXPECT_TRUE(has(device(), at::kHalf, 256, false));
  EXPECT_FALSE(has(device(), at::kBFloat16, 264, true));  // the other kernel knows no windows
  EXPECT_TRUE(has(device(), at::kBFloat16, 264, false));
  EXPECT_FALSE(has(device(), at::kBFloat16, 12, false));
  EXPECT_TRUE(has(device(), at::kFloat, 12, false));
  EXPECT_FALSE(has(device(), at::kFloat, 12, true));
  EXPECT_FALSE(has(device(), at::kFloat, 6, false));
  EXPECT_FALSE(has(device(), at::kDouble, 8, false));
  EXPECT_FALSE(has(at::kCPU, at::kFloat, 8, false));
  EXPECT_FALSE(has(at::kMeta, at::kFloat, 8, false));
}

struct Case {
  std::string name;
  at::ScalarType type = at::kFloat;
  bool causal = false;
  int64_t heads = 2, kv_heads = 2, window = 0;
  int64_t longest = 65;  // as the kernel is told

  bool half() const { return type != at::kFloat; }
  /// Not where tiles of 64 positions are enough.
  bool flash() const { return half() && (longest > 64 || heads != kv_heads || window > 0); }
  friend void PrintTo(const Case& kind, std::ostream* out) { *out << kind.name; }
};

class Varlen : public ::testing::TestWithParam<Case> {
 protected:
  /// Sentences of 3, 1 and 5 queries and, where they see other sentences, of 2, 5 and 1 keys.
  Varlen() {
    at::manual_seed(6);
    if (!GetParam().causal && GetParam().window == 0) key_lengths_ = {2, 5, 1};
    const Case& kind = GetParam();
    const auto numbers = [&](const std::vector<int64_t>& lengths, int64_t heads) {
      int64_t positions = 0;
      for (const int64_t length : lengths) positions += length;
      // Columns of a wider tensor, as those of a projection are.
      return at::randn({positions, 2 * heads * kHead}).to(kind.type);
    };
    host_ = {numbers(lengths_, kind.heads), numbers(key_lengths_, kind.kv_heads),
             numbers(key_lengths_, kind.kv_heads)};
    outer_ = at::randn({9, kind.heads, kHead});
  }

  Tensor heads_of(const Tensor& wide) const {
    return wide.narrow(1, 0, wide.size(1) / 2).unflatten(1, {-1, kHead});
  }
  static kernels::VarlenSentences sentences(const std::vector<int64_t>& lengths) {
    std::vector<int32_t> starts = {0};
    for (const int64_t length : lengths)
      starts.push_back(starts.back() + static_cast<int32_t>(length));
    return {model::upload(at::tensor(starts, at::kInt), device()), GetParam().longest};
  }

  /// Context and the gradients of queries, keys and values on the device.
  std::vector<Tensor> ours(double dropout = 0) const {
    std::vector<Tensor> leaves;
    for (const Tensor& x : host_) leaves.push_back(model::upload(x, device()).requires_grad_());
    const Case& kind = GetParam();
    const Tensor out =
        kernels::varlen_attention(heads_of(leaves[0]), heads_of(leaves[1]), heads_of(leaves[2]),
                                  sentences(lengths_), sentences(key_lengths_),
                                  {.pattern = {.window = kind.window, .causal = kind.causal},
                                   .scale = 0.3,
                                   .dropout = dropout});
    (out.to(at::kFloat) * model::upload(outer_, device())).sum().backward();
    std::vector<Tensor> all = {out.detach().cpu()};
    for (const Tensor& leaf : leaves) all.push_back(leaf.grad().cpu());
    return all;
  }

  /// The same sentence by sentence, in plain steps and double precision on the CPU.
  std::vector<Tensor> plain() const {
    const Case& kind = GetParam();
    std::vector<Tensor> leaves, parts;
    for (const Tensor& x : host_) leaves.push_back(x.to(at::kDouble).requires_grad_());
    int64_t query = 0, key = 0;
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      const auto part = [&](int64_t which, int64_t first, int64_t count) {
        return heads_of(leaves[which]).narrow(0, first, count).transpose(0, 1).unsqueeze(0);
      };
      Tensor weights;
      const model::AttentionMask masking{.pattern = {.window = kind.window, .causal = kind.causal},
                                         .scale = 0.3};
      parts.push_back(model::attend(part(0, query, lengths_[i]), part(1, key, key_lengths_[i]),
                                    part(2, key, key_lengths_[i]), masking, &weights)
                          .squeeze(0)
                          .transpose(0, 1));
      query += lengths_[i];
      key += key_lengths_[i];
    }
    const Tensor out = at::cat(parts);
    (out * outer_).sum().backward();
    std::vector<Tensor> all = {out.detach()};
    for (const Tensor& leaf : leaves) all.push_back(leaf.grad());
    return all;
  }

  static constexpr int64_t kHead = 8;
  std::vector<int64_t> lengths_{3, 1, 5}, key_lengths_{3, 1, 5};
  std::vector<Tensor> host_;
  Tensor outer_;
};

TEST_P(Varlen, IsAttentionWithinEachSentence) {
  const VarlenCalls before = varlen_calls();
  const auto device_results = ours(), expected = plain();
  const bool flash = GetParam().flash();
  EXPECT_EQ(varlen_calls().flash - before.flash, flash ? 1 : 0);
  EXPECT_EQ(varlen_calls().efficient - before.efficient, flash ? 0 : 1);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_LT((device_results[i].to(at::kDouble) - expected[i]).abs().max().item<double>(),
              (GetParam().half() ? 0.02 : 1e-5) * expected[i].abs().max().item<double>())
        << i;
}

// The context is linear in the values: where the backward pass drops what the forward pass dropped,
// <context, outer> equals <values, gradient of the values>.
TEST_P(Varlen, DropsTheSameWeightsInBothPasses) {
  at::manual_seed(1);
  const auto dropped = ours(0.4);
  const double forward = (dropped[0].to(at::kFloat) * outer_).sum().item<double>();
  const double backward =
      (dropped[3].to(at::kFloat) * host_[2].to(at::kFloat)).sum().item<double>();
  EXPECT_NEAR(forward, backward, GetParam().type == at::kFloat ? 1e-4 : 0.1);
  EXPECT_GT((dropped[0] - ours()[0]).abs().max().item<double>(), 0.1);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Varlen,
    ::testing::Values(Case{"across"}, Case{"itself", at::kFloat, true},
                      Case{"shared", at::kFloat, true, 6, 3}, Case{"flash_across", at::kBFloat16},
                      Case{"flash", at::kBFloat16, true}, Case{"flash_fp16", at::kHalf, true},
                      Case{"flash_shared", at::kBFloat16, false, 6, 2},
                      Case{"flash_window", at::kBFloat16, false, 2, 2, 1},
                      Case{"flash_causal_window", at::kBFloat16, true, 2, 1, 2},
                      Case{"flash_short_window", at::kBFloat16, true, 2, 2, 1, 5},
                      Case{"flash_short_shared", at::kBFloat16, true, 6, 2, 0, 5},
                      Case{"short", at::kBFloat16, true, 2, 2, 0, 64},
                      Case{"short_across", at::kBFloat16, false, 2, 2, 0, 5},
                      Case{"short_fp16", at::kHalf, true, 2, 2, 0, 5}),
    [](const auto& info) { return info.param.name; });

struct Model {
  std::string name;
  model::ModelConfig config;
  at::ScalarType precision = at::kFloat;
  bool packs = true;  // for all attention

  friend void PrintTo(const Model& kind, std::ostream* out) { *out << kind.name; }
};

/// Transformers whose heads, positions and masks mean different things for the kernels.
std::vector<Model> models() {
  model::ModelConfig wide = model::testing::small_transformer();
  wide.heads = 2;  // 8 wide
  model::ModelConfig rotary = wide, window = wide, alibi = wide, sparse = wide, entmax = wide;
  rotary.positions = "rotary";
  rotary.kv_heads = 1;
  window.sliding_window = 2;
  alibi.positions = "alibi";
  sparse.self_attention = "sparse";
  sparse.sliding_window = 1;
  sparse.attention_stride = 3;
  entmax.attention_normaliser = "entmax15";
  return {{"fp32", wide},
          {"bf16", wide, at::kBFloat16},
          {"rotary_fp32", rotary},
          {"rotary_bf16", rotary, at::kBFloat16},
          {"window_fp32", window, at::kFloat, false},
          {"window_bf16", window, at::kBFloat16},
          {"narrow_bf16", model::testing::small_transformer(), at::kBFloat16, false},
          {"alibi_bf16", alibi, at::kBFloat16, false},
          {"sparse_bf16", sparse, at::kBFloat16, false},
          {"entmax_bf16", entmax, at::kBFloat16, false}};
}

class VarlenModel : public ::testing::TestWithParam<Model> {
 protected:
  /// The loss of one update, whatever the host waits for in it.
  static train::UpdateNumbers update(const at::Device& where, at::ScalarType precision,
                                     model::ModelConfig config) {
    const model::ModelPtr model = model::testing::model_of(config, kPieces);
    model->to(where);
    train::TrainConfig training;
    training.optimizer = train::OptimizerKind::sgd;
    training.micro_batches = 1;
    training.graphs = train::Graphs::off;  // a recording calls twice what it records
    train::OwnOptimizer own(training, *model);
    train::Updater updater(*model, training, where, precision, own.optimizer, nullptr);
    const Watch watch;
    const auto report =
        updater.run(train::parts_of({small_batch()}, training), {.rate = 0.1, .seed = 3});
    EXPECT_THAT(watch.waits(Wait::kRead), ::testing::IsEmpty());
    EXPECT_THAT(watch.waits(Wait::kWrite), ::testing::IsEmpty());
    return report.numbers();
  }
};

TEST_P(VarlenModel, UsesTheKernelsForAllOfItsAttentionOrForNone) {
  const Model& kind = GetParam();
  const VarlenCalls before = varlen_calls();
  const auto there = update(device(), kind.precision, kind.config);
  const VarlenCalls after = varlen_calls();
  const int64_t attentions = kind.config.encoder_layers + 2 * kind.config.decoder_layers;
  // Its sentences are short: FlashAttention is for windows and shared heads alone.
  const bool half = kind.precision == at::kBFloat16;
  const int64_t flash = after.flash - before.flash, efficient = after.efficient - before.efficient;
  EXPECT_EQ(flash + efficient, kind.packs ? attentions : 0);
  EXPECT_EQ(flash > 0,
            kind.packs && half && (kind.config.sliding_window > 0 || kind.config.kv_heads > 0));
  const auto here = update(at::kCPU, at::kFloat, kind.config);
  EXPECT_NEAR(there.loss, here.loss, (half ? 0.02 : 1e-5) * here.loss);
  EXPECT_NEAR(there.norm, here.norm, (half ? 0.05 : 1e-5) * here.norm);
}

TEST_P(VarlenModel, DrawsItsDropoutFromTheSeed) {
  const Model& kind = GetParam();
  model::ModelConfig config = kind.config;
  config.attention_dropout = 0.5;
  const double first = update(device(), kind.precision, config).loss;
  EXPECT_EQ(first, update(device(), kind.precision, config).loss);
  EXPECT_NE(first, update(device(), kind.precision, kind.config).loss);
}

INSTANTIATE_TEST_SUITE_P(Kinds, VarlenModel, ::testing::ValuesIn(models()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace heed::accelerator
