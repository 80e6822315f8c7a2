// A SentencePiece model, and text through it.
#include "text/vocabulary.h"

#include "fuzz/target.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::answers([&] {
    const fuzz::InputFile file(fuzz::text_of(data, size));
    const auto vocabulary = text::Vocabulary::load(file.path());
    for (int32_t id = 0; id < std::min(vocabulary.size(), 100); ++id) vocabulary.piece(id);
    for (const char* line : {"", "a", "a b abc  xyz ab", "\xEF\xBC\xA1\xC3\xA9 \xF0\x9F\x98\x80"}) {
      const auto ids = vocabulary.encode(line);
      vocabulary.decode(ids);
      vocabulary.spell(line);
      vocabulary.decode(vocabulary.sample(line, 0.5, 1));
    }
  });
  return 0;
}
