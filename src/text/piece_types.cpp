#include "text/piece_types.h"

#include <cstdint>
#include <optional>

namespace heed::text {
namespace {

// Fields of sentencepiece_model.proto.
constexpr uint64_t kPieces = 1, kType = 3;

struct Field {
  uint64_t number = 0, value = 0;  // of a whole number
  std::string_view bytes;          // of anything else
};

/// Protocol buffers, field by field.
class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  /// Nothing at the end, and where the bytes are damaged.
  std::optional<Field> next() {
    const auto tag = number();
    if (!tag) return std::nullopt;
    Field field{.number = *tag >> 3};
    switch (*tag & 7) {
      case 0: {
        const auto value = number();
        if (!value) return std::nullopt;
        field.value = *value;
        return field;
      }
      case 1:
        return take(field, 8);
      case 2: {
        const auto size = number();
        return size ? take(field, *size) : std::nullopt;
      }
      case 5:
        return take(field, 4);
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<uint64_t> number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  std::optional<Field> take(Field field, uint64_t size) {
    if (size > rest_.size()) return std::nullopt;
    field.bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return field;
  }

  std::string_view rest_;
};

PieceType type_of(std::string_view piece) {
  Message message(piece);
  PieceType type = PieceType::normal;
  while (const auto field = message.next())
    if (field->number == kType) type = static_cast<PieceType>(field->value);
  return type;
}

}  // namespace

std::vector<PieceType> piece_types(std::string_view model) {
  Message message(model);
  std::vector<PieceType> types;
  while (const auto field = message.next())
    if (field->number == kPieces) types.push_back(type_of(field->bytes));
  return types;
}

}  // namespace heed::text
