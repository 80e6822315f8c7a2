// Small recurrent models and batches for the tests.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>

#include <string>
#include <vector>

#include "model/model.h"
#include "model/recurrent/attention/attention.h"
#include "model/recurrent/recurrent.h"

namespace heed::model::testing {

// These tensors are too small for two threads.
inline const bool kOneThread = (at::set_num_threads(1), true);

inline constexpr int64_t kPad = 0, kBos = 1, kEos = 2, kSourceVocabulary = 13,
                         kTargetVocabulary = 11;

struct Kind {
  std::string attention;
  Cell cell = Cell::gru;
  int64_t layers = 1;
  bool feeding = false;
  Readout readout = Readout::linear;
  Window window = Window::global;
  std::string normaliser = "softmax";
  Coverage coverage = Coverage::none;
  int64_t heads = 1;
};

inline std::string name_of_kind(const Kind& kind) {
  return kind.attention + "_" + config::name_of(kind.cell) + std::to_string(kind.layers) +
         (kind.window == Window::global ? "" : "_" + config::name_of(kind.window)) +
         (kind.feeding ? "_feeding" : "") + (kind.readout == Readout::maxout ? "_maxout" : "") +
         (kind.normaliser == "softmax" ? "" : "_" + kind.normaliser) +
         (kind.coverage == Coverage::none ? "" : "_" + config::name_of(kind.coverage)) +
         (kind.heads == 1 ? "" : "_" + std::to_string(kind.heads) + "heads");
}

inline ModelConfig small_config(const Kind& kind) {
  ModelConfig config;
  config.type = ModelType::rnn;
  config.attention = kind.attention;
  config.cell = kind.cell;
  config.layers = kind.layers;
  config.input_feeding = kind.feeding;
  config.readout = kind.readout;
  config.window = kind.window;
  config.window_size = 2;
  config.attention_normaliser = kind.normaliser;
  config.coverage = kind.coverage;
  config.coverage_size = 3;
  config.attention_heads = kind.heads;
  config.embedding_size = 7;
  config.hidden_size = 10;
  config.max_positions = 20;
  config.dropout = 0;
  return config;
}

/// Everything that goes with an attention: cells, one and two layers, feeding, read-outs, windows,
/// normalisers, coverage, heads.
inline std::vector<Kind> kinds_of(const std::string& attention) {
  const Timing timing = attention_info(attention).timing;
  std::vector<Kind> kinds;
  for (const Cell cell : {Cell::gru, Cell::lstm})
    for (const int64_t layers : {1, 2}) {
      kinds.push_back({attention, cell, layers});
      if (timing == Timing::kAfter) kinds.push_back({attention, cell, layers, true});
      if (timing == Timing::kBefore)
        kinds.push_back({attention, cell, layers, false, Readout::maxout});
    }
  if (timing == Timing::kAfter && attention != "luong_location")  // which is global alone
    for (const Window window : {Window::local_m, Window::local_p})
      for (const bool feeding : {false, true})
        kinds.push_back({attention, Cell::gru, 1, feeding, Readout::linear, window});
  if (timing != Timing::kNever)
    for (const std::string& normaliser : normaliser_names())
      if (normaliser != "softmax")
        kinds.push_back(
            {attention, Cell::gru, 1, false, Readout::linear, Window::global, normaliser});
  if (timing != Timing::kNever) {
    Kind kind{attention};
    kind.heads = 2;
    kinds.push_back(kind);
  }
  if (timing != Timing::kNever && attention != "luong_location")
    for (const int64_t heads : {1, 2})
      for (const Coverage coverage : {Coverage::linguistic, Coverage::neural}) {
        Kind kind{attention};
        kind.layers = heads;
        kind.feeding = timing == Timing::kAfter && coverage == Coverage::neural;
        if (timing == Timing::kAfter && heads == 2) kind.window = Window::local_p;
        kind.coverage = coverage;
        kind.heads = heads;
        kinds.push_back(kind);
      }
  return kinds;
}

inline ModelPtr small_model(const Kind& kind, uint64_t seed = 3) {
  at::manual_seed(seed);
  return make_recurrent(small_config(kind), {kSourceVocabulary, kTargetVocabulary});
}

/// Rows of piece ids, padded with `pad` to `width` (0: the longest).
inline Tensor padded(const std::vector<std::vector<int64_t>>& rows, std::size_t width = 0,
                     int64_t pad = kPad) {
  for (const auto& row : rows) width = std::max(width, row.size());
  Tensor tokens =
      at::full({static_cast<int64_t>(rows.size()), static_cast<int64_t>(width)}, pad, at::kLong);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      tokens[static_cast<int64_t>(i)][static_cast<int64_t>(j)] = rows[i][j];
  return tokens;
}

inline Source source_of(const std::vector<std::vector<int64_t>>& rows, std::size_t width = 0,
                        int64_t pad = kPad) {
  Source source;
  source.tokens = padded(rows, width, pad);
  std::vector<int64_t> lengths;
  for (const auto& row : rows) lengths.push_back(static_cast<int64_t>(row.size()));
  source.lengths = at::tensor(lengths, at::kLong);
  source.valid = at::arange(source.tokens.size(1)).unsqueeze(0) < source.lengths.unsqueeze(1);
  return source;
}

/// Three sentences, the longest in the middle.
inline std::vector<std::vector<int64_t>> three_sources() {
  return {{5, 3, kEos}, {4, 7, 9, 12, 3, 6, kEos}, {8, 8, 11, 5, kEos}};
}
inline std::vector<std::vector<int64_t>> three_targets() {
  return {{kBos, 3, 4, 5, 6}, {kBos, 10, 9, 8, 7}, {kBos, 3, 3, 10, 4}};
}

/// Largest absolute difference.
inline double distance(const Tensor& a, const Tensor& b) {
  return (a - b).abs().max().item<double>();
}

}  // namespace heed::model::testing
