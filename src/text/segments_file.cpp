#include "text/segments_file.h"

#include <cstdint>

#include "base/protobuf.h"
#include "text/model_file.h"

namespace heed::text {
namespace {

// Numbers of fields in sentencepiece_model.proto.
constexpr uint64_t kTrainerSpec = 2, kNormalizerSpec = 3;           // of a model
constexpr uint64_t kModelType = 3, kIdFields[] = {40, 41, 42, 43};  // of a trainer
constexpr uint64_t kRuleName = 1, kRuleTable = 2, kAddsPrefix = 3, kRemoveBlanks = 4,
                   kEscapeBlanks = 5;               // of a normalizer
constexpr uint64_t kUnigramType = 1, kBpeType = 2;  // algorithms
constexpr auto kNoPad = static_cast<uint64_t>(-1);

}  // namespace

std::string segments_file(const SegmentsParts& parts) {
  std::vector<ModelPiece> pieces = {{.text = parts.unknown, .type = PieceType::unknown},
                                    {.text = "<s>", .type = PieceType::control},
                                    {.text = "</s>", .type = PieceType::control}};
  for (const auto& [text, score] : parts.pieces) pieces.push_back({.text = text, .score = score});
  ProtobufMessage trainer;
  trainer.number(kModelType, parts.is_bpe ? kBpeType : kUnigramType)
      .number(kIdFields[0], 0)
      .number(kIdFields[1], 1)
      .number(kIdFields[2], 2)
      .number(kIdFields[3], kNoPad);
  ProtobufMessage normalizer;
  normalizer.bytes(kRuleName, "foreign")
      .bytes(kRuleTable, parts.charsmap)
      .number(kAddsPrefix, 1)
      .number(kRemoveBlanks, 1)
      .number(kEscapeBlanks, 1);
  return with_pieces(
      ProtobufMessage().message(kTrainerSpec, trainer).message(kNormalizerSpec, normalizer).done(),
      pieces);
}

}  // namespace heed::text
