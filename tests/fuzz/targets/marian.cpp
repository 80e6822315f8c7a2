// A folder of Marian of which one file is arbitrary: the options inside the model, the model as a
// whole, its decoder.yml, or a table of pieces.
#include "base/files.h"
#include "exchange/formats.h"
#include "exchange/marian_writer.h"
#include "fuzz/target.h"
#include "text/foreign_pieces.h"

using namespace heed;

namespace {

using exchange::testing::Zipped;
using Files = std::vector<Zipped>;

void open_folder(const Files& files) {
  const fuzz::InputFile archive(exchange::testing::zip(files));
  exchange::read_model(exchange::Package(archive.path()), {});
}

/// The files of a model that heed opens, with SentencePiece files that are its vocabularies, or
/// beside a table of pieces.
class SoundFolder {
 public:
  SoundFolder()
      : segments_(read_file(HEED_FUZZ_FOLDER "/seeds/vocabulary/bpe")),
        names_(text::all_pieces(segments_, "bpe")),
        decoder_(exchange::testing::marian_decoder_yml("model.npz", "vocab.spm", "vocab.spm")),
        model_(model_with(exchange::testing::marian_options())) {
    for (std::size_t id = 0; id < names_.size(); ++id)
      table_ += fmt::format("\"{}\": {}\n", names_[id], id);
    open_folder(with("", ""));
    open_folder(with_table(table_));
  }

  std::string model_with(const std::string& options) const {
    return exchange::testing::marian_npz(options, {.source = std::ssize(names_)});
  }
  /// All files, `file` with other bytes.
  Files with(const std::string& file, const std::string& bytes) const {
    Files files = {{"model.npz", model_}, {"decoder.yml", decoder_}, {"vocab.spm", segments_}};
    for (Zipped& one : files)
      if (one.name == file) one = Zipped{file, bytes};
    return files;
  }
  Files with_table(const std::string& table) const {
    return {{"model.npz", model_},
            {"vocab.yml", table},
            {"source.spm", segments_},
            {"target.spm", segments_}};
  }

 private:
  std::string segments_;
  std::vector<std::string> names_;
  std::string decoder_, model_, table_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const SoundFolder sound;
  const std::string bytes(fuzz::text_of(data, size));
  for (const Files& files :
       {sound.with("model.npz", sound.model_with(bytes)), sound.with("model.npz", bytes),
        sound.with("decoder.yml", bytes), sound.with_table(bytes)})
    fuzz::answers([&] { open_folder(files); });
  return 0;
}
