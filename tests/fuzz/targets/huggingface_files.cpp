// A folder of M2M-100 or NLLB-200 of which one small file is arbitrary: one that gives pieces their
// ids, or the search.
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "engine/random_weights.h"
#include "exchange/archives.h"
#include "exchange/arrays.h"
#include "exchange/formats.h"
#include "exchange/plain_transformer.h"
#include "fuzz/target.h"
#include "model/description/safetensors_file.h"
#include "temporary_folder.h"
#include "text/foreign_pieces.h"

using namespace heed;

namespace {

using nlohmann::json;
using Files = std::vector<exchange::testing::Zipped>;

/// The bytes of model.safetensors.
std::string weights_with(int64_t pieces) {
  model::ModelConfig config = engine::testing::small_transformer();
  config.norm = model::Norm::pre;
  config.tie = model::Tie::all;
  const engine::Weights weights = engine::testing::random_transformer(config, pieces);
  std::vector<engine::Array> arrays;
  std::vector<model::SlotBytes> slots;
  for (const exchange::HuggingFaceTensor& tensor : exchange::hugging_face_tensors(config)) {
    const engine::Array& own = weights.at(tensor.own);
    const int64_t share = own.rows() / tensor.parts;
    arrays.push_back(exchange::rows_of(own, tensor.part * share, share));
    slots.push_back({{.name = tensor.name, .type = model::Dtype::F32, .shape = arrays.back().shape},
                     {reinterpret_cast<const char*>(arrays.back().data),
                      arrays.back().count() * sizeof(float)}});
  }
  const TemporaryFolder folder;
  model::write_safetensors(std::move(slots), {{"format", "pt"}}, folder / "model.safetensors");
  return read_file(folder / "model.safetensors");
}

/// The files of a model that heed opens.
class SoundFolder {
 public:
  explicit SoundFolder(bool nllb) {
    const std::string segments = read_file(HEED_FUZZ_FOLDER "/seeds/vocabulary/bpe");
    json ids = json::object(), added = json::object();
    for (const char* special : {"<s>", "<pad>", "</s>", "<unk>"}) ids[special] = ids.size();
    for (const std::string& piece : text::all_pieces(segments, "bpe"))
      if (!ids.contains(piece)) ids[piece] = ids.size();
    const auto own = static_cast<int64_t>(ids.size());
    int64_t next = own;
    for (const char* language : {"de", "en"}) {
      const std::string code = language == std::string("de") ? "deu_Latn" : "eng_Latn";
      added[std::to_string(next++)] = {{"content", nllb ? code : fmt::format("__{}__", language)},
                                       {"special", true}};
    }
    const json config = {{"model_type", "m2m_100"},      {"vocab_size", next},
                         {"decoder_start_token_id", 2},  {"d_model", 12},
                         {"encoder_ffn_dim", 10},        {"decoder_ffn_dim", 10},
                         {"encoder_attention_heads", 3}, {"decoder_attention_heads", 3},
                         {"encoder_layers", 1},          {"decoder_layers", 1},
                         {"max_position_embeddings", 9}, {"activation_function", "relu"}};
    files_ = {{"config.json", config.dump()},
              {"sentencepiece.bpe.model", segments},
              {"model.safetensors", weights_with(next)},
              {"tokenizer_config.json", json({{"added_tokens_decoder", added}}).dump()},
              {nllb ? "tokenizer.json" : "vocab.json",
               nllb ? json({{"model", {{"type", "BPE"}, {"vocab", ids}}}}).dump() : ids.dump()}};
    open_with("", "");
  }

  /// Opens it with another file of this name, or with one more.
  void open_with(const std::string& file, const std::string& bytes) const {
    Files files;
    for (const auto& one : files_)
      if (one.name != file) files.push_back(one);
    if (!file.empty()) files.push_back({file, bytes});
    const fuzz::InputFile archive(exchange::testing::zip(files));
    exchange::read_model(exchange::Package(archive.path()), {});
  }

 private:
  Files files_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const SoundFolder m2m_100(false), nllb(true);
  const std::string bytes(fuzz::text_of(data, size));
  for (const SoundFolder* folder : {&m2m_100, &nllb})
    for (const char* file : {"tokenizer.json", "added_tokens.json", "tokenizer_config.json",
                             "special_tokens_map.json", "generation_config.json"})
      fuzz::answers([&] { folder->open_with(file, bytes); });
  return 0;
}
