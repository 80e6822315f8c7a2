// Small models in the layout in which Marian 1.12.42 (pymarian) wrote them.
#pragma once

#include <sentencepiece_trainer.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/files.h"
#include "exchange/archives.h"
#include "temporary_folder.h"

namespace heed::exchange::testing {

/// special:model.yml of `marian --type transformer --tied-embeddings-all`, with one layer each.
inline std::string marian_options(const std::map<std::string, std::string>& other = {}) {
  std::vector<std::pair<std::string, std::string>> all = {
      {"bert-train-type-embeddings", "true"},
      {"bert-type-vocab-size", "2"},
      {"dec-cell", "gru"},
      {"dec-cell-base-depth", "2"},
      {"dec-cell-high-depth", "1"},
      {"dec-depth", "1"},
      {"dim-emb", "2"},
      {"dim-rnn", "1024"},
      {"dim-vocabs", ""},
      {"enc-cell", "gru"},
      {"enc-cell-depth", "1"},
      {"enc-depth", "1"},
      {"enc-type", "bidirectional"},
      {"factors-combine", "sum"},
      {"factors-dim-emb", "0"},
      {"input-types", "\n  []"},
      {"layer-normalization", "false"},
      {"lemma-dependency", "\"\""},
      {"lemma-dim-emb", "0"},
      {"output-omit-bias", "false"},
      {"right-left", "false"},
      {"separator-symbol", "\"[eos]\""},
      {"skip", "false"},
      {"tied-embeddings", "false"},
      {"tied-embeddings-all", "true"},
      {"tied-embeddings-src", "false"},
      {"transformer-aan-activation", "swish"},
      {"transformer-aan-depth", "2"},
      {"transformer-aan-nogate", "false"},
      {"transformer-alibi-shift", "false"},
      {"transformer-alibi-trainable", "false"},
      {"transformer-attention-mask", "default"},
      {"transformer-decoder-autoreg", "self-attention"},
      {"transformer-decoder-dim-ffn", "0"},
      {"transformer-decoder-ffn-depth", "0"},
      {"transformer-dim-aan", "2048"},
      {"transformer-dim-ffn", "3"},
      {"transformer-disable-position-embeddings", "false"},
      {"transformer-ffn-activation", "swish"},
      {"transformer-ffn-depth", "2"},
      {"transformer-guided-alignment-layer", "last"},
      {"transformer-heads", "1"},
      {"transformer-no-affine", "false"},
      {"transformer-no-bias", "false"},
      {"transformer-no-projection", "false"},
      {"transformer-pool", "false"},
      {"transformer-postprocess", "dan"},
      {"transformer-postprocess-emb", "d"},
      {"transformer-postprocess-top", "\"\""},
      {"transformer-preprocess", "\"\""},
      {"transformer-rnn-projection", "false"},
      {"transformer-tied-layers", "\n  []"},
      {"transformer-train-position-embeddings", "false"},
      {"type", "transformer"},
      {"ulr", "false"},
      {"ulr-dim-emb", "0"},
      {"ulr-trainable-transformation", "false"},
      {"version", "v1.12.42 b7be0e964 2025-05-24 22:34:42 -0700"}};
  for (const auto& [option, value] : other) {
    bool found = false;
    for (auto& [name, old] : all)
      if (name == option) old = value, found = true;
    if (!found) all.emplace_back(option, value);
  }
  std::string text;
  for (const auto& [option, value] : all)
    if (!value.empty()) text += option + ": " + value + "\n";
  text.pop_back();  // it has no line feed at its end
  return text;
}

inline Zipped npy_file(const std::string& name, const std::string& type, const std::string& shape,
                       const std::string& numbers) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header += std::string(69 - header.size(), ' ') + "\n";
  return {name + ".npy", std::string("\x93NUMPY\1\0", 8) +
                             bytes_of(static_cast<uint16_t>(header.size())) + header + numbers};
}

struct MarianTensors {
  int64_t source = 0, target = 0;      // word vectors
  bool shared = true;                  // one table of `source`
  std::vector<std::string> more = {};  // names
  bool ssru = false;                   // in place of the decoder's self-attention
  int64_t width = 2, inner = 3;        // of the states and of the feed-forward layers
};

/// A matrix. Row i is i, i + 1/2, i + 1, ...
struct MarianTensor {
  std::string name;
  int64_t rows, columns;

  std::vector<float> numbers() const {
    std::vector<float> out;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t k = 0; k < columns; ++k)
        out.push_back(static_cast<float>(i) + static_cast<float>(k) / 2);
    return out;
  }
};

inline std::vector<MarianTensor> marian_tensors(const MarianTensors& tensors) {
  std::vector<MarianTensor> all;
  const int64_t width = tensors.width, inner = tensors.inner;
  const auto add = [&](const std::string& name, int64_t rows, int64_t columns) {
    all.push_back({name, rows, columns});
  };
  if (tensors.shared) {
    add("Wemb", tensors.source, width);
  } else {
    add("encoder_Wemb", tensors.source, width);
    add("decoder_Wemb", tensors.target, width);
  }
  add("decoder_ff_logit_out_b", 1, tensors.shared ? tensors.source : tensors.target);
  const auto norm = [&](const std::string& name) {
    add(name + "_ln_bias", 1, width);
    add(name + "_ln_scale", 1, width);
  };
  for (const std::string layer : {"encoder_l1_", "decoder_l1_"}) {
    const bool decoder = layer == "decoder_l1_";
    for (const std::string block : {"self_", "context_"}) {
      if (!decoder && block == "context_") continue;
      if (decoder && block == "self_" && tensors.ssru) {
        add(layer + "rnn_W", width, width);
        add(layer + "rnn_Wf", width, width);
        add(layer + "rnn_bf", 1, width);
        norm(layer + "rnn_ffn");
        continue;
      }
      for (const char* part : {"k", "o", "q", "v"}) {
        add(layer + block + "W" + part, width, width);
        add(layer + block + "b" + part, 1, width);
      }
      norm(layer + block + "Wo");
    }
    add(layer + "ffn_W1", width, inner);
    add(layer + "ffn_W2", inner, width);
    add(layer + "ffn_b1", 1, inner);
    add(layer + "ffn_b2", 1, width);
    norm(layer + "ffn_ffn");
  }
  for (const std::string& name : tensors.more) add(name, 1, width);
  return all;
}

/// special:model.yml is filled with zeros up to a multiple of 256.
inline std::string marian_filled(const std::string& options) {
  return options + std::string(256 - options.size() % 256, '\0');
}

inline std::string marian_npz(const std::string& options, const MarianTensors& tensors) {
  std::vector<Zipped> files;
  for (const MarianTensor& tensor : marian_tensors(tensors))
    files.push_back(npy_file(tensor.name, "<f4",
                             std::to_string(tensor.rows) + ", " + std::to_string(tensor.columns),
                             bytes_of(tensor.numbers())));
  const std::string text = marian_filled(options);
  files.push_back(npy_file("special:model.yml", "<i1", std::to_string(text.size()) + ",", text));
  return zip(files);
}

/// An item of a .bin; its data are filled up to a multiple of 256.
struct MarianItem {
  std::string name;
  uint64_t type;
  std::vector<int32_t> shape;
  std::string data;
};

inline constexpr uint64_t kMarianBytes = 0x101, kMarianFloats = 0x404, kMarianQuantised = 0x10001,
                          kBergamotQuantised = 0x4101;

/// A .bin as pymarian 1.12.42 writes it.
inline std::string marian_bin(std::vector<MarianItem> items) {
  constexpr std::size_t kFilled = 256;
  std::string out = bytes_of<uint64_t>(1) + bytes_of<uint64_t>(items.size());
  for (MarianItem& item : items) {
    item.data.resize((item.data.size() + kFilled - 1) / kFilled * kFilled);
    for (const uint64_t number :
         {static_cast<uint64_t>(item.name.size() + 1), item.type,
          static_cast<uint64_t>(item.shape.size()), static_cast<uint64_t>(item.data.size())})
      out += bytes_of(number);
  }
  for (const MarianItem& item : items) out += item.name + '\0';
  for (const MarianItem& item : items) out += bytes_of(item.shape);
  const uint64_t filling = (kFilled - (out.size() + sizeof filling) % kFilled) % kFilled;
  out += bytes_of(filling) + std::string(filling, '\0');
  for (const MarianItem& item : items) out += item.data;
  return out;
}

/// A matrix in 8 bits, transposed but for word vectors, with its multiplier.
inline MarianItem marian_quantised(const MarianTensor& tensor, uint64_t type, float multiplier) {
  const std::vector<float> numbers = tensor.numbers();
  const bool is_transposed = tensor.name.find("Wemb") == std::string::npos;
  std::string data(numbers.size(), '\0');
  for (int64_t row = 0; row < tensor.rows; ++row)
    for (int64_t column = 0; column < tensor.columns; ++column)
      data[is_transposed ? column * tensor.rows + row : row * tensor.columns + column] =
          static_cast<char>(numbers[row * tensor.columns + column] * multiplier);
  return {tensor.name,
          type,
          {static_cast<int32_t>(tensor.rows), static_cast<int32_t>(tensor.columns)},
          data + bytes_of(multiplier)};
}

/// A student of Bergamot's: matrices in 8 bits, with multipliers of activations.
inline std::string marian_student(const std::string& options, const MarianTensors& tensors) {
  std::vector<MarianItem> items;
  for (const MarianTensor& tensor : marian_tensors(tensors)) {
    const std::vector<int32_t> shape = {static_cast<int32_t>(tensor.rows),
                                        static_cast<int32_t>(tensor.columns)};
    if (tensor.rows == 1) {  // biases and norms
      items.push_back({tensor.name, kMarianFloats, shape, bytes_of(tensor.numbers())});
      continue;
    }
    items.push_back(marian_quantised(tensor, kBergamotQuantised, 2));
    items.push_back({tensor.name + "_QuantMultA", kMarianFloats, {1, 1}, bytes_of(2.5F)});
  }
  const std::string text = marian_filled(options);
  items.push_back({"special:model.yml", kMarianBytes, {static_cast<int32_t>(text.size())}, text});
  return marian_bin(std::move(items));
}

/// A SentencePiece file as Marian trains it: </s> 0, <unk> 1, no <s>.
inline std::string marian_spm(const std::string& words) {
  const TemporaryFolder folder;
  const std::unordered_map<std::string, std::string> settings = {
      {"input", folder.write("lines", words + "\n" + words + "\n")},
      {"model_prefix", folder / "marian"},
      {"hard_vocab_limit", "false"},
      {"vocab_size", "40"},
      {"bos_id", "-1"},
      {"eos_id", "0"},
      {"unk_id", "1"},
      {"minloglevel", "3"}};
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  return read_file(folder / "marian.model");
}

/// model.npz.decoder.yml: paths as they were given for training, and no line feed at the end.
inline std::string marian_decoder_yml(const std::string& model, const std::string& source,
                                      const std::string& target) {
  return "relative-paths: false\nmodels:\n  - " + model + "\nvocabs:\n  - " + source + "\n  - " +
         target +
         "\nbeam-size: 12\nnormalize: 0\nword-penalty: 0\nmini-batch: 32\nmaxi-batch: 100\n"
         "maxi-batch-sort: src";
}

}  // namespace heed::exchange::testing
