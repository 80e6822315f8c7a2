#include "text/model_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>

#include "base/protobuf.h"

namespace heed::text {
namespace {

// Numbers of fields in sentencepiece_model.proto.
constexpr uint64_t kOfPieces = 1, kTrainer = 2, kNormalizer = 3, kSelfTest = 4,
                   kDenormalizer = 5;                 // of a model
constexpr uint64_t kText = 1, kScore = 2, kType = 3;  // of a piece
// Numbers that the format leaves to extensions begin with 200. Of a piece:
constexpr uint64_t kIsUnknown = 200, kByName = 201, kCut = 202;
// The bits of the field kCut after its place.
constexpr uint64_t kPlaceBits = 7, kDropsLeft = 8, kDropsRight = 16, kKeepsBlank = 32;
constexpr uint64_t kRule = 201;  // of a model: the fields of PieceRule
constexpr uint64_t kSeparator = 1, kCodes = 2, kSplitUnknown = 3;
constexpr uint64_t kAlgorithm = 3, kWords = 3;  // of a trainer, and its value for words
constexpr uint64_t kSize = 4;                   // of a trainer
constexpr uint64_t kNormalizerName = 1, kDummyPrefix = 3, kTidies = 4;  // of a normalizer
constexpr uint64_t kCharsmap = 2;                                       // of a normalizer
// Fields of a trainer, in the order of heed's ids: pad, unknown, begin, end.
constexpr uint64_t kSpecialIds[] = {43, 40, 41, 42}, kSpecialNames[] = {48, 45, 46, 47};

/// One field of a message in the wire format of protocol buffers.
struct WireField {
  uint64_t number = 0;
  enum Kind { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 } kind = varint;
  uint64_t value = 0;        // of varint
  std::string_view content;  // of fixed64, bytes and fixed32
};

/// Takes `size` bytes off the front; nothing where there are fewer.
std::optional<std::string_view> take_bytes(std::string_view& rest, uint64_t size) {
  if (size > rest.size()) return std::nullopt;
  const std::string_view taken = rest.substr(0, size);
  rest.remove_prefix(size);
  return taken;
}

std::optional<uint64_t> take_varint(std::string_view& rest) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = take_bytes(rest, 1);
    if (!byte) return std::nullopt;
    const auto bits = static_cast<unsigned char>(byte->front());
    value |= uint64_t{bits & 0x7Fu} << shift;
    if (bits < 0x80) return value;
  }
  return std::nullopt;
}

/// Takes the next field off the front; nothing where the message is damaged, or uses groups, which
/// SentencePiece never does.
std::optional<WireField> take_field(std::string_view& rest) {
  const auto key = take_varint(rest);
  if (!key) return std::nullopt;
  WireField field{.number = *key >> 3, .kind = static_cast<WireField::Kind>(*key & 7)};
  std::optional<uint64_t> size;
  switch (field.kind) {
    case WireField::varint: {
      const auto value = take_varint(rest);
      if (!value) return std::nullopt;
      field.value = *value;
      return field;
    }
    case WireField::fixed64:
      size = 8;
      break;
    case WireField::bytes:
      size = take_varint(rest);
      break;
    case WireField::fixed32:
      size = 4;
      break;
  }
  const auto content = size ? take_bytes(rest, *size) : std::nullopt;
  if (!content) return std::nullopt;
  field.content = *content;
  return field;
}

/// Calls good(field) for each field; false where one is not good or the message is damaged.
template <class Good>
bool all_fields(std::string_view message, const Good& good) {
  while (!message.empty()) {
    const auto field = take_field(message);
    if (!field || !good(*field)) return false;
  }
  return true;
}

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  static_assert(std::endian::native == std::endian::little, "SentencePiece's models are");
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool is_sound_piece(std::string_view piece) {
  return all_fields(piece, [](const WireField& field) {
    const bool score = field.number == kScore && field.kind == WireField::fixed32;
    return !score || std::isfinite(number_at<float>(field.content, 0));
  });
}

SymbolCut cut_of(uint64_t bits) {
  return {.place = static_cast<SymbolPlace>(
              std::min<uint64_t>(bits & kPlaceBits, static_cast<uint64_t>(SymbolPlace::nowhere))),
          .drops_left = (bits & kDropsLeft) != 0,
          .drops_right = (bits & kDropsRight) != 0,
          .keeps_blank = (bits & kKeepsBlank) != 0};
}

uint64_t bits_of(const SymbolCut& cut) {
  return static_cast<uint64_t>(cut.place) | (cut.drops_left ? kDropsLeft : 0) |
         (cut.drops_right ? kDropsRight : 0) | (cut.keeps_blank ? kKeepsBlank : 0);
}

/// Whether SentencePiece must not look for the symbol.
bool is_hidden(const SymbolCut& cut) {
  return cut.place == SymbolPlace::first || cut.place == SymbolPlace::nowhere;
}

ModelPiece piece_in(std::string_view message) {
  ModelPiece piece;
  all_fields(message, [&](const WireField& field) {
    if (field.number == kText && field.kind == WireField::bytes) piece.text = field.content;
    if (field.number == kScore && field.kind == WireField::fixed32)
      piece.score = number_at<float>(field.content, 0);
    // Protocol buffers ignore a value that is no type.
    if (field.number == kType && field.kind == WireField::varint && field.value >= 1 &&
        field.value <= static_cast<uint64_t>(PieceType::byte))
      piece.type = static_cast<PieceType>(field.value);
    if (field.number == kIsUnknown && field.kind == WireField::varint)
      piece.is_unknown = field.value != 0;
    if (field.number == kByName && field.kind == WireField::varint)
      piece.by_name = field.value != 0;
    if (field.number == kCut && field.kind == WireField::varint) piece.cut = cut_of(field.value);
    return true;
  });
  if (is_hidden(piece.cut) && piece.type == PieceType::unused) piece.type = PieceType::user_defined;
  if (piece.type != PieceType::user_defined) piece.cut = {};
  return piece;
}

/// Whether no path leads out of the table of Darts-clone, which has units of 32 bits. From unit i
/// with offset o one goes to i ^ o, whose value is a position in `texts` if i has a leaf, or on to
/// i ^ o ^ byte.
bool is_sound_trie(std::string_view units, std::string_view texts) {
  const std::size_t count = units.size() / 4;
  if (count == 0 || units.size() % 4 != 0) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto unit = number_at<uint32_t>(units, 4 * i);
    if (unit >> 31) continue;  // a value: nothing leads on
    const std::size_t next = i ^ ((unit >> 10) << ((unit & (1u << 9)) >> 6));
    if ((next | 0xFF) >= count) return false;
    const bool leaf = (unit >> 8 & 1) != 0;
    if (leaf && (number_at<uint32_t>(units, 4 * next) & 0x7FFFFFFF) >= texts.size()) return false;
  }
  return true;
}

/// Whether the table of a normaliser is sound: the size of the trie, the trie, and the texts that
/// it leads to, each ended by NUL.
bool is_sound_charsmap(std::string_view map) {
  if (map.empty()) return true;
  if (map.size() <= 4) return false;
  const auto size = number_at<uint32_t>(map, 0);
  map.remove_prefix(4);
  return size < map.size() && map.back() == '\0' &&
         is_sound_trie(map.substr(0, size), map.substr(size));
}

bool is_sound_normalizer(std::string_view spec) {
  return all_fields(spec, [](const WireField& field) {
    return field.number != kCharsmap || field.kind != WireField::bytes ||
           is_sound_charsmap(field.content);
  });
}

/// The fields of a sound message that have other numbers than these.
std::string without_fields(std::string_view message, std::initializer_list<uint64_t> numbers) {
  std::string kept;
  while (!message.empty()) {
    const std::string_view before = message;
    const auto field = take_field(message);
    if (std::ranges::find(numbers, field->number) == numbers.end())
      kept += before.substr(0, before.size() - message.size());
  }
  return kept;
}

}  // namespace

bool is_sound_model(std::string_view bytes) {
  return all_fields(bytes, [](const WireField& field) {
    if (field.kind != WireField::bytes) return true;
    if (field.number == kOfPieces) return is_sound_piece(field.content);
    if (field.number == kNormalizer || field.number == kDenormalizer)
      return is_sound_normalizer(field.content);
    return true;
  });
}

std::vector<ModelPiece> pieces_of(std::string_view model) {
  std::vector<ModelPiece> pieces;
  all_fields(model, [&](const WireField& field) {
    if (field.number == kOfPieces && field.kind == WireField::bytes)
      pieces.push_back(piece_in(field.content));
    return true;
  });
  return pieces;
}

bool changes_characters(std::string_view model) {
  bool changes = false;
  all_fields(model, [&](const WireField& field) {
    if (field.number != kNormalizer || field.kind != WireField::bytes) return true;
    return all_fields(field.content, [&](const WireField& part) {
      if (part.number == kCharsmap && part.kind == WireField::bytes)
        changes = !part.content.empty();
      return true;
    });
  });
  return changes;
}

// Protocol buffers concatenate the repeated fields of a message in several parts, and take the last
// value of other fields: so fields that are appended to a model belong to it.
std::string with_pieces(std::string_view model, const std::vector<ModelPiece>& pieces) {
  std::string out(model);
  for (const ModelPiece& piece : pieces) {
    ProtobufMessage message;
    message.bytes(kText, piece.text)
        .single(kScore, piece.score)
        .number(kType,
                static_cast<uint64_t>(is_hidden(piece.cut) ? PieceType::unused : piece.type));
    if (piece.is_unknown) message.number(kIsUnknown, 1);
    if (piece.by_name) message.number(kByName, 1);
    if (const uint64_t cut = bits_of(piece.cut)) message.number(kCut, cut);
    out += ProtobufMessage().message(kOfPieces, message).done();
  }
  const std::size_t size = pieces_of(out).size();
  return out + ProtobufMessage().message(kTrainer, ProtobufMessage().number(kSize, size)).done();
}

std::string with_other_pieces(std::string_view model, const std::vector<ModelPiece>& pieces) {
  // SentencePiece's own test names pieces that may be symbols now.
  const std::string kept = without_fields(model, {kOfPieces, kSelfTest});
  ProtobufMessage special;
  for (uint64_t id = 0; id < std::size(kSpecialIds); ++id)
    special.number(kSpecialIds[id], id).bytes(kSpecialNames[id], pieces.at(id).text);
  return with_pieces(kept, pieces) + ProtobufMessage().message(kTrainer, special).done();
}

std::string plain_model(std::string_view model, const std::vector<int32_t>& order) {
  const std::vector<ModelPiece> own = pieces_of(model);
  float last = 0;  // below all scores
  for (const ModelPiece& piece : own) last = std::min(last, piece.score - 1);
  std::vector<ModelPiece> pieces;
  for (const int32_t id : order)
    if (id < 0)
      pieces.push_back({.text = "<unused " + std::to_string(pieces.size()) + ">",
                        .score = last,
                        .type = PieceType::unused});
    else
      pieces.push_back(
          {.text = own.at(id).text, .score = own.at(id).score, .type = own.at(id).type});
  ProtobufMessage special;
  for (std::size_t id = 0; id < std::size(kSpecialIds); ++id) {
    const auto place = std::ranges::find(order, static_cast<int32_t>(id));
    const int64_t index = place == order.end() ? -1 : place - order.begin();
    special.number(kSpecialIds[id], static_cast<uint64_t>(index))
        .bytes(kSpecialNames[id], own.at(id).text);
  }
  return with_pieces(without_fields(model, {kOfPieces, kSelfTest, kRule}), pieces) +
         ProtobufMessage().message(kTrainer, special).done();
}

std::optional<PieceRule> rule_of(std::string_view model) {
  std::optional<PieceRule> rule;
  all_fields(model, [&](const WireField& field) {
    if (field.number != kRule || field.kind != WireField::bytes) return true;
    rule.emplace();
    return all_fields(field.content, [&](const WireField& part) {
      if (part.number == kSeparator && part.kind == WireField::bytes)
        rule->separator = part.content;
      if (part.number == kCodes && part.kind == WireField::bytes) rule->codes = part.content;
      if (part.number == kSplitUnknown && part.kind == WireField::varint)
        rule->split_unknown = part.value != 0;
      return true;
    });
  });
  return rule;
}

std::string model_with_rule(const std::vector<ModelPiece>& pieces, const PieceRule& rule) {
  // SentencePiece opens it as a model of words, which changes nothing in its text.
  ProtobufMessage model, own;
  model.message(kTrainer, ProtobufMessage().number(kAlgorithm, kWords));
  model.message(kNormalizer, ProtobufMessage()
                                 .bytes(kNormalizerName, "identity")
                                 .number(kDummyPrefix, 0)
                                 .number(kTidies, 0));
  own.bytes(kSeparator, rule.separator);
  if (!rule.codes.empty()) own.bytes(kCodes, rule.codes);
  if (rule.split_unknown) own.number(kSplitUnknown, 1);
  model.message(kRule, own);
  return with_other_pieces(model.done(), pieces);
}

}  // namespace heed::text
