// Small models in the layout in which Marian 1.12.42 (pymarian) wrote them.
#pragma once

#include <sentencepiece_trainer.h>

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
};

/// Row i of the word vectors is i, i + 1/2.
inline std::string marian_npz(const std::string& options, const MarianTensors& tensors) {
  std::vector<Zipped> files;
  const auto add = [&](const std::string& name, int64_t rows, int64_t columns) {
    std::vector<float> numbers;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t k = 0; k < columns; ++k)
        numbers.push_back(static_cast<float>(i) + static_cast<float>(k) / 2);
    files.push_back(npy_file(name, "<f4", std::to_string(rows) + ", " + std::to_string(columns),
                             bytes_of(numbers)));
  };
  if (tensors.shared) {
    add("Wemb", tensors.source, 2);
  } else {
    add("encoder_Wemb", tensors.source, 2);
    add("decoder_Wemb", tensors.target, 2);
  }
  add("decoder_ff_logit_out_b", 1, tensors.shared ? tensors.source : tensors.target);
  const auto norm = [&](const std::string& name) {
    add(name + "_ln_bias", 1, 2);
    add(name + "_ln_scale", 1, 2);
  };
  for (const std::string layer : {"encoder_l1_", "decoder_l1_"}) {
    for (const std::string block : {"self_", "context_"}) {
      if (layer == "encoder_l1_" && block == "context_") continue;
      for (const char* part : {"k", "o", "q", "v"}) {
        add(layer + block + "W" + part, 2, 2);
        add(layer + block + "b" + part, 1, 2);
      }
      norm(layer + block + "Wo");
    }
    add(layer + "ffn_W1", 2, 3);
    add(layer + "ffn_W2", 3, 2);
    add(layer + "ffn_b1", 1, 3);
    add(layer + "ffn_b2", 1, 2);
    norm(layer + "ffn_ffn");
  }
  for (const std::string& name : tensors.more) add(name, 1, 2);
  // Filled with zeros up to a multiple of 256.
  const std::string text = options + std::string(256 - options.size() % 256, '\0');
  files.push_back(npy_file("special:model.yml", "<i1", std::to_string(text.size()) + ",", text));
  return zip(files);
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
