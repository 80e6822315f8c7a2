#include "model/description/safetensors_header.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/stand_in.h"
#include "base/strings.h"

namespace heed::model {
namespace {

constexpr std::size_t kMostDimensions = 64;
constexpr uint64_t kLongestHeader = 100'000'000;  // as the format's own library
constexpr std::size_t kShownBeginning = 1024;     // enough to know a stand-in
constexpr const char* kMetadata = "__metadata__";

struct TypeInfo {
  const char* name;
  int64_t bytes;
};
/// The names and sizes of types, in the order of Dtype.
constexpr std::array kTypes{TypeInfo{"F64", 8}, TypeInfo{"I64", 8},  TypeInfo{"F32", 4},
                            TypeInfo{"I32", 4}, TypeInfo{"BF16", 2}, TypeInfo{"F16", 2},
                            TypeInfo{"I16", 2}, TypeInfo{"I8", 1},   TypeInfo{"U8", 1},
                            TypeInfo{"BOOL", 1}};

const TypeInfo& info_of(Dtype type) {
  return kTypes[static_cast<std::size_t>(type)];
}

std::optional<Dtype> find_type(const std::string& name) {
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    if (name == kTypes[i].name) return static_cast<Dtype>(i);
  return std::nullopt;
}

/// Bytes of a tensor, or nothing where the shape is absurd.
std::optional<int64_t> bytes_needed(const std::vector<int64_t>& shape, Dtype type) {
  int64_t volume = bytes_of(type);
  bool empty = false;
  for (const int64_t extent : shape) {
    empty |= extent == 0;
    if (__builtin_mul_overflow(volume, std::max<int64_t>(extent, 1), &volume)) return std::nullopt;
  }
  return empty ? 0 : volume;
}

/// Takes the header from the parser piece by piece: no tree is built, and the first token that does
/// not belong in a header ends the reading.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(const std::string& path) : path_(path) {}

  Header take() { return std::move(header_); }
  [[noreturn]] void wrong(const std::string& what) const { throw UserError(path_ + ": " + what); }
  [[noreturn]] void make_no_sense() const {
    const std::string what =
        scope_ == Scope::outside ? "its header is no JSON object, or is nested wrongly"
        : scope_ == Scope::metadata || name_ == kMetadata
            ? "its metadata are not texts"
            : fmt::format("its entry for '{}' makes no sense", one_line(name_));
    wrong(fmt::format("not a safetensors file ({})", what));
  }

  bool start_object(std::size_t) override {
    if (scope_ == Scope::outside) {
      scope_ = Scope::names;
    } else if (scope_ == Scope::names) {
      scope_ = name_ == kMetadata ? Scope::metadata : Scope::tensor;
      slot_ = {.name = name_};
      has_type_ = has_shape_ = has_offsets_ = false;
    } else {
      make_no_sense();
    }
    return true;
  }

  bool key(std::string& text) override {
    if (scope_ != Scope::names) {
      key_ = std::move(text);
    } else {
      name_ = std::move(text);
      if (!names_.insert(name_).second)
        wrong(fmt::format("corrupt: it names '{}' twice", one_line(name_)));
    }
    return true;
  }

  bool string(std::string& text) override {
    if (scope_ == Scope::metadata) {
      if (!header_.metadata.emplace(key_, std::move(text)).second) make_no_sense();
      return true;
    }
    if (scope_ != Scope::tensor || key_ != "dtype" || std::exchange(has_type_, true))
      make_no_sense();
    const auto type = find_type(text);
    if (!type)
      wrong(fmt::format("tensor '{}' has the unknown type '{}'", one_line(name_), one_line(text)));
    slot_.type = *type;
    return true;
  }

  bool start_array(std::size_t) override {
    const bool known = key_ == "shape" || key_ == "data_offsets";
    if (scope_ != Scope::tensor || !known ||
        std::exchange(key_ == "shape" ? has_shape_ : has_offsets_, true))
      make_no_sense();
    scope_ = Scope::numbers;
    numbers_.clear();
    return true;
  }

  bool number_unsigned(std::uint64_t number) override {
    if (scope_ != Scope::numbers || numbers_.size() == kMostDimensions ||
        number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      make_no_sense();
    numbers_.push_back(static_cast<int64_t>(number));
    return true;
  }

  bool end_array() override {
    scope_ = Scope::tensor;
    if (key_ == "shape") {
      slot_.shape = numbers_;
    } else {
      if (numbers_.size() != 2) make_no_sense();
      slot_.begin = numbers_[0];
      slot_.end = numbers_[1];
    }
    return true;
  }

  bool end_object() override {
    if (scope_ == Scope::tensor) {
      if (!has_type_ || !has_shape_ || !has_offsets_) make_no_sense();
      const auto bytes = bytes_needed(slot_.shape, slot_.type);
      if (slot_.end < slot_.begin || !bytes || *bytes != slot_.end - slot_.begin)
        wrong(fmt::format("corrupt: shape and place of tensor '{}' contradict each other",
                          one_line(name_)));
      header_.slots.push_back(std::move(slot_));
    }
    scope_ = scope_ == Scope::names ? Scope::outside : Scope::names;
    return true;
  }

  bool null() override { make_no_sense(); }
  bool boolean(bool) override { make_no_sense(); }
  bool number_integer(std::int64_t) override { make_no_sense(); }  // a negative one
  bool number_float(double, const std::string&) override { make_no_sense(); }
  bool binary(nlohmann::json::binary_t&) override { make_no_sense(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

 private:
  enum class Scope { outside, names, metadata, tensor, numbers };

  const std::string& path_;
  Header header_;
  std::unordered_set<std::string> names_;
  Scope scope_ = Scope::outside;
  std::string name_, key_;  // of the entry, and inside it
  Slot slot_;
  bool has_type_ = false, has_shape_ = false, has_offsets_ = false;
  std::vector<int64_t> numbers_;
};

}  // namespace

Header parse_header(std::string_view text, int64_t data_bytes, const std::string& path) {
  HeaderReader reader(path);
  if (!nlohmann::json::sax_parse(text, &reader))
    reader.wrong("not a safetensors file (its header is no JSON object)");
  Header header = reader.take();
  std::ranges::sort(header.slots, {},
                    [](const Slot& slot) { return std::pair(slot.begin, slot.end); });
  int64_t next = 0;
  for (const auto& slot : header.slots) {
    if (slot.begin != next)
      reader.wrong(fmt::format("corrupt: tensor '{}' overlaps another or leaves a gap",
                               one_line(slot.name)));
    next = slot.end;
  }
  if (next != data_bytes)
    reader.wrong(fmt::format("{}{} bytes of tensors where its header describes {}",
                             next > data_bytes ? "truncated: " : "corrupt: ", data_bytes, next));
  return header;
}

const char* name_of(Dtype type) {
  return info_of(type).name;
}

int64_t bytes_of(Dtype type) {
  return info_of(type).bytes;
}

bool is_float(Dtype type) {
  return type == Dtype::F32 || type == Dtype::F64 || type == Dtype::F16 || type == Dtype::BF16;
}

std::string_view header_of(std::string_view file, const std::string& path) {
  require_no_stand_in(file.substr(0, kShownBeginning), path);
  if (std::ssize(file) < kLengthBytes)
    throw UserError("{}: not a safetensors file, or truncated: it has {} bytes", path, file.size());
  uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > std::min<uint64_t>(kLongestHeader, file.size() - kLengthBytes))
    throw UserError(
        path + ": not a safetensors file, or truncated: the length of its header makes no sense");
  return file.substr(kLengthBytes, length);
}

}  // namespace heed::model
