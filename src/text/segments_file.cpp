#include "text/segments_file.h"

#include <cstdint>

#include "base/protobuf.h"
#include "text/model_file.h"

namespace heed::text {
namespace {

// Numbers of fields in sentencepiece_model.proto.
constexpr uint64_t kTrainer = 2, kNormalizer = 3;              // of a model
constexpr uint64_t kAlgorithm = 3, kIds[] = {40, 41, 42, 43};  // of a trainer
constexpr uint64_t kName = 1, kCharsmap = 2, kDummyPrefix = 3, kRemoveBlanks = 4,
                   kEscapeBlanks = 5;       // of a normalizer
constexpr uint64_t kUnigram = 1, kBpe = 2;  // algorithms
constexpr auto kNoPad = static_cast<uint64_t>(-1);

}  // namespace

std::string segments_file(const SegmentsParts& parts) {
  std::vector<ModelPiece> pieces = {{.text = parts.unknown, .type = PieceType::unknown},
                                    {.text = "<s>", .type = PieceType::control},
                                    {.text = "</s>", .type = PieceType::control}};
  for (const auto& [text, score] : parts.pieces) pieces.push_back({.text = text, .score = score});
  ProtobufMessage trainer;
  trainer.number(kAlgorithm, parts.is_bpe ? kBpe : kUnigram)
      .number(kIds[0], 0)
      .number(kIds[1], 1)
      .number(kIds[2], 2)
      .number(kIds[3], kNoPad);
  ProtobufMessage normalizer;
  normalizer.bytes(kName, "foreign")
      .bytes(kCharsmap, parts.charsmap)
      .number(kDummyPrefix, 1)
      .number(kRemoveBlanks, 1)
      .number(kEscapeBlanks, 1);
  return with_pieces(
      ProtobufMessage().message(kTrainer, trainer).message(kNormalizer, normalizer).done(), pieces);
}

}  // namespace heed::text
