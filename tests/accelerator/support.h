// Batches and a vocabulary for small models on the simulated accelerator.
#pragma once

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "accelerator/device.h"
#include "data/batch.h"
#include "data/example.h"
#include "model/kinds.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"

namespace heed::model::testing {

/// For messages: its bytes say nothing.
inline void PrintTo(const NamedConfig& kind, std::ostream* out) {
  *out << kind.name;
}

}  // namespace heed::model::testing

namespace heed::accelerator {

using model::testing::NamedConfig;

/// Every attention of the registry, with a GRU of one layer, an LSTM of two and what else there is
/// of it, and windows; all kinds of Transformers.
inline std::vector<NamedConfig> every_kind() {
  using model::Cell, model::Window;
  std::vector<NamedConfig> kinds;
  for (const std::string& attention : model::attention_names())
    for (const auto& kind : model::testing::kinds_of(attention)) {
      const bool more = kind.feeding || kind.readout == model::Readout::maxout;
      const bool plain = kind.cell == Cell::gru && kind.layers == 1 && !more;
      const bool rich =
          kind.cell == Cell::lstm && kind.layers == 2 && more == (attention != "none");
      const bool windowed = kind.feeding == (kind.window == Window::local_p);
      if (kind.window == Window::global ? plain || rich : windowed)
        kinds.push_back({name_of_kind(kind), small_config(kind)});
    }
  for (NamedConfig& kind : model::testing::transformer_kinds()) kinds.push_back(std::move(kind));
  return kinds;
}

inline constexpr int64_t kPieces = 11;  // as the corpus of train/toy_model.h

/// Five pairs of 1 to 4 pieces on either side, with padding.
inline data::Batch small_batch(int64_t first = 0) {
  std::vector<data::Example> examples;
  for (int64_t i = 0; i < 5; ++i) {
    data::Example example{{}, {}, {0, i + 1, i}};
    for (int64_t j = 0; j <= (3 * i + first) % 4; ++j)
      example.source.push_back(static_cast<int32_t>(4 + (first + 2 * i + 5 * j) % (kPieces - 4)));
    for (int64_t j = 0; j <= (i + first) % 4; ++j)
      example.target.push_back(static_cast<int32_t>(4 + (first + i + 4 * j) % (kPieces - 4)));
    for (int32_t t = 0; t < std::ssize(example.target); ++t)  // and some pieces have no links
      for (int32_t s = t % 2; s < std::ssize(example.source); s += 2)
        example.links.push_back({t, s});
    examples.push_back(example);
  }
  std::vector<const data::Example*> pointers;
  for (const auto& example : examples) pointers.push_back(&example);
  return data::make_batch(pointers);
}

/// A small vocabulary of invented words, trained once for all tests of this program.
inline const text::Vocabulary& vocabulary() {
  static const text::Vocabulary trained = [] {
    const auto path = std::filesystem::temp_directory_path() /
                      ("heed_accelerator_test." + std::to_string(getpid()));
    std::ofstream file(path);
    const std::vector<std::string> words{"mira", "tolo", "sena", "kupo", "vadi", "rel", "nostra"};
    for (int i = 0; i < 200; ++i) {
      for (int j = 0; j <= i % 9; ++j) file << words[(i * 3 + j * j * 5 + j) % words.size()] << ' ';
      file << '\n';
    }
    file.close();
    auto out = text::train_vocabulary({.files = {path.string()}, .size = 24});
    std::filesystem::remove(path);
    return out;
  }();
  return trained;
}

}  // namespace heed::accelerator
