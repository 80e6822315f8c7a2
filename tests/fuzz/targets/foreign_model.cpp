// A model of another program of which one file is arbitrary: config.json or vocab.json of Hugging
// Face, or CTranslate2's model.bin.
#include "base/files.h"
#include "exchange/archives.h"
#include "exchange/formats.h"
#include "fuzz/target.h"

using namespace heed;

namespace {

using Files = std::vector<exchange::testing::Zipped>;

void open_with(const char* file, const std::string& bytes, Files files) {
  files.push_back({file, bytes});
  const fuzz::InputFile archive(exchange::testing::zip(files));
  fuzz::answers([&] { exchange::read_model(exchange::Package(archive.path()), {}); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string segments = read_file(HEED_FUZZ_FOLDER "/seeds/vocabulary/bpe");
  static const std::string config =
      R"({"model_type": "marian", "d_model": 4, "encoder_ffn_dim": 3, "decoder_ffn_dim": 3,
          "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_layers": 1,
          "decoder_layers": 1, "activation_function": "swish", "decoder_start_token_id": 2})";
  static const std::string vocabulary = R"({"</s>": 0, "<unk>": 1, "<pad>": 2, "a": 3})";
  const std::string bytes(fuzz::text_of(data, size));
  const Files pieces = {{"source.spm", segments}, {"target.spm", segments}};
  for (const bool of_config : {false, true}) {
    Files files = pieces;
    files.push_back(of_config ? exchange::testing::Zipped{"vocab.json", vocabulary}
                              : exchange::testing::Zipped{"config.json", config});
    open_with(of_config ? "config.json" : "vocab.json", bytes, files);
  }
  open_with("model.bin", bytes,
            {{"joint.spm", segments}, {"shared_vocabulary.json", R"(["<unk>", "<s>", "</s>"])"}});
  return 0;
}
