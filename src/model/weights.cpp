// safetensors: 8 bytes little-endian length of the header, the header (JSON, padded by spaces so
// that the data is aligned to 64), then the tensors' bytes without gaps. heed's checksum is a
// CRC-32 over the whole file with its own eight digits taken as zeros.
#include "model/weights.h"

#include <ATen/ATen.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <torch/nn/module.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "model/model.h"

namespace heed::model {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

constexpr const char* kFormatVersion = "1";
constexpr std::string_view kChecksumField = "\"checksum\":\"crc32:";
constexpr std::string_view kNoDigits = "00000000";
constexpr int64_t kLengthBytes = 8, kAlignment = 64;
constexpr int64_t kLongestHeader = 100'000'000;  // as the format's own library
constexpr std::size_t kMostDimensions = 64;

struct NamedType {
  const char* name;
  at::ScalarType type;
};
constexpr std::array kTypes{NamedType{"F64", at::kDouble},    NamedType{"I64", at::kLong},
                            NamedType{"F32", at::kFloat},     NamedType{"I32", at::kInt},
                            NamedType{"BF16", at::kBFloat16}, NamedType{"F16", at::kHalf},
                            NamedType{"U8", at::kByte},       NamedType{"BOOL", at::kBool}};

const char* type_name(at::ScalarType type) {
  for (const auto& known : kTypes)
    if (known.type == type) return known.name;
  throw Bug("a tensor's type has no place in safetensors");
}

uint32_t crc(uint32_t so_far, const void* bytes, std::size_t size) {
  return static_cast<uint32_t>(crc32_z(so_far, static_cast<const Bytef*>(bytes), size));
}

std::string hex_digits(uint32_t value) {
  std::string digits(kNoDigits);
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, value >>= 4)
    *digit = "0123456789abcdef"[value & 15];
  return digits;
}

std::string_view bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()};
}

// --- writing

struct Entry {
  std::string name;
  Tensor tensor;  // contiguous, on the CPU
};

/// Wide types first: then each tensor is aligned to its own type without gaps.
std::vector<Entry> in_file_order(const TensorFile& file) {
  std::vector<Entry> entries;
  for (const auto& [name, tensor] : file.tensors) {
    expect(name != "__metadata__", "the format keeps this name for itself");
    entries.push_back({name, tensor.detach().cpu().contiguous()});
  }
  std::ranges::stable_sort(entries, std::greater{},
                           [](const Entry& entry) { return entry.tensor.element_size(); });
  return entries;
}

/// With zeros in place of the checksum's digits.
std::string make_header(const TensorFile& file, const std::vector<Entry>& entries) {
  json header = json::object();
  std::size_t offset = 0;
  for (const auto& [name, tensor] : entries) {
    const std::size_t end = offset + tensor.nbytes();
    header[name] = {{"dtype", type_name(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  json metadata = file.metadata;
  metadata["format_version"] = kFormatVersion;
  metadata["checksum"] = "crc32:" + std::string(kNoDigits);
  header["__metadata__"] = std::move(metadata);
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::size_t begin = kLengthBytes + text.size();
  text.resize((begin + kAlignment - 1) / kAlignment * kAlignment - kLengthBytes, ' ');
  return text;
}

// --- reading

/// A file mapped into memory, whose errors name it. Its pages are this process's own once they are
/// written to: the file stays as it is.
class Mapping {
 public:
  explicit Mapping(const std::string& path) : path_(path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) throw UserError(path + ": no such file");
      throw Failure(path + ": cannot be opened: " + std::strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) wrong("not a file");
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw Failure(path + ": cannot be opened: " + std::strerror(errno));
    size_ = status.st_size;
    if (size_ > 0) data_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    const int error = errno;
    close(descriptor);
    if (data_ == MAP_FAILED) throw Failure(path + ": cannot be read: " + std::strerror(error));
  }
  ~Mapping() {
    if (data_ != MAP_FAILED && size_ > 0) munmap(data_, size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  int64_t size() const { return size_; }
  char* data() const { return static_cast<char*>(data_); }

  [[noreturn]] void wrong(const std::string& what) const { throw UserError(path_ + ": " + what); }

 private:
  std::string path_;
  int64_t size_ = 0;
  void* data_ = nullptr;
};

/// One tensor as the header describes it.
struct Slot {
  std::string name;
  at::ScalarType type{};
  std::vector<int64_t> shape;
  int64_t begin = 0, end = -1;
};

std::optional<at::ScalarType> find_type(const std::string& name) {
  for (const auto& known : kTypes)
    if (name == known.name) return known.type;
  return std::nullopt;
}

/// Bytes of a tensor, or nothing where the shape is absurd.
std::optional<int64_t> bytes_needed(const std::vector<int64_t>& shape, at::ScalarType type) {
  if (shape.size() > kMostDimensions) return std::nullopt;
  int64_t volume = static_cast<int64_t>(c10::elementSize(type));
  bool empty = false;
  for (const int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    empty |= extent == 0;
    if (__builtin_mul_overflow(volume, std::max<int64_t>(extent, 1), &volume)) return std::nullopt;
  }
  return empty ? 0 : volume;
}

Slot read_slot(const Mapping& file, const std::string& name, const json& value) {
  Slot slot{.name = name};
  try {
    const auto type = find_type(value.at("dtype").get<std::string>());
    if (!type) file.wrong("tensor '" + name + "' has the unknown type " + value["dtype"].dump());
    slot.type = *type;
    slot.shape = value.at("shape").get<std::vector<int64_t>>();
    const auto offsets = value.at("data_offsets").get<std::vector<int64_t>>();
    if (offsets.size() == 2) std::tie(slot.begin, slot.end) = std::tie(offsets[0], offsets[1]);
  } catch (const json::exception&) {
    file.wrong("not a safetensors file (its entry for '" + name + "' makes no sense)");
  }
  const auto bytes = bytes_needed(slot.shape, slot.type);
  if (slot.begin < 0 || slot.end < slot.begin || !bytes || *bytes != slot.end - slot.begin)
    file.wrong("corrupt: shape and place of tensor '" + name + "' contradict each other");
  return slot;
}

/// In the order of the file, covering the data from its first byte to its last.
std::vector<Slot> read_slots(const Mapping& file, const json& header, int64_t data_bytes) {
  std::vector<Slot> slots;
  for (const auto& [name, value] : header.items())
    if (name != "__metadata__") slots.push_back(read_slot(file, name, value));
  std::ranges::sort(slots, {}, [](const Slot& slot) { return std::pair(slot.begin, slot.end); });
  int64_t next = 0;
  for (const auto& slot : slots) {
    if (slot.begin != next)
      file.wrong("corrupt: tensor '" + slot.name + "' overlaps another or leaves a gap");
    next = slot.end;
  }
  if (next != data_bytes)
    file.wrong((next > data_bytes ? "truncated: " : "corrupt: ") + std::to_string(data_bytes) +
               " bytes of tensors where its header describes " + std::to_string(next));
  return slots;
}

std::map<std::string, std::string> read_metadata(const Mapping& file, const json& header) {
  const auto found = header.find("__metadata__");
  if (found == header.end()) return {};
  try {
    return found->get<std::map<std::string, std::string>>();
  } catch (const json::exception&) {
    file.wrong("not a safetensors file (its metadata are not texts)");
  }
}

std::string read_header(const Mapping& file) {
  if (file.size() < kLengthBytes)
    file.wrong("not a safetensors file, or truncated: it has " + std::to_string(file.size()) +
               " bytes");
  uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > static_cast<uint64_t>(std::min(kLongestHeader, file.size() - kLengthBytes)))
    file.wrong("not a safetensors file, or truncated: the length of its header makes no sense");
  return {file.data() + kLengthBytes, length};
}

json parse_header(const Mapping& file, const std::string& text) {
  constexpr int kDeepest = 3;  // header, tensor, list, number: deeper text would only eat memory
  const auto shallow = [&](int depth, json::parse_event_t, json&) {
    if (depth > kDeepest) file.wrong("not a safetensors file (its header is nested)");
    return true;
  };
  json header = json::parse(text, shallow, /*allow_exceptions=*/false);
  if (!header.is_object()) file.wrong("not a safetensors file (its header is no JSON object)");
  return header;
}

/// Cuts the checksum's digits out of the header, leaving zeros; "" where heed wrote none.
std::string take_checksum(std::string& header) {
  const std::size_t found = header.find(kChecksumField);
  if (found == std::string::npos) return "";
  const std::size_t digits = found + kChecksumField.size();
  if (digits + kNoDigits.size() > header.size()) return "";
  std::string checksum = header.substr(digits, kNoDigits.size());
  header.replace(digits, kNoDigits.size(), kNoDigits);
  return checksum;
}

void check_version(const Mapping& file, const std::map<std::string, std::string>& metadata) {
  const auto found = metadata.find("format_version");
  const std::string version = found == metadata.end() ? "none" : found->second;
  if (version != kFormatVersion)
    file.wrong("format version " + version + ", this heed reads version " + kFormatVersion);
}

uint32_t crc_of_header(const std::string& header) {
  const uint64_t length = header.size();
  return crc(crc(0, &length, kLengthBytes), header.data(), header.size());
}

}  // namespace

void save_tensors(const TensorFile& file, const std::string& path) {
  const std::vector<Entry> entries = in_file_order(file);
  std::string header = make_header(file, entries);
  uint32_t checksum = crc_of_header(header);
  for (const auto& entry : entries) {
    const std::string_view bytes = bytes_of(entry.tensor);
    if (!bytes.empty()) checksum = crc(checksum, bytes.data(), bytes.size());
  }
  header.replace(header.find(kChecksumField) + kChecksumField.size(), kNoDigits.size(),
                 hex_digits(checksum));

  const uint64_t length = header.size();
  AtomicFile out(path);
  out.write({reinterpret_cast<const char*>(&length), kLengthBytes});
  out.write(header);
  for (const auto& entry : entries) out.write(bytes_of(entry.tensor));
  out.commit();
}

TensorFile load_tensors(const std::string& path, bool foreign) {
  const auto source = std::make_shared<const Mapping>(path);
  const Mapping& file = *source;
  std::string header = read_header(file);
  const int64_t begin = kLengthBytes + static_cast<int64_t>(header.size());
  const json description = parse_header(file, header);
  const std::vector<Slot> slots = read_slots(file, description, file.size() - begin);
  TensorFile loaded{.metadata = read_metadata(file, description)};
  const std::string expected = take_checksum(header);
  if (expected.empty() && !foreign)
    file.wrong("has no checksum of heed: it was written by another program, or is corrupt");
  if (!expected.empty()) {
    const uint32_t found = crc(crc_of_header(header), file.data() + begin,
                               static_cast<std::size_t>(file.size() - begin));
    if (hex_digits(found) != expected)
      file.wrong("corrupt: its checksum is wrong; restore it from a copy");
    check_version(file, loaded.metadata);
    loaded.metadata.erase("checksum");
    loaded.metadata.erase("format_version");
  }
  for (const auto& slot : slots)
    loaded.tensors.emplace(slot.name, at::from_blob(
                                          file.data() + begin + slot.begin, slot.shape,
                                          [source](void*) {}, at::TensorOptions(slot.type)));
  return loaded;
}

std::map<std::string, std::string> load_metadata(const std::string& path) {
  const Mapping file(path);
  return read_metadata(file, parse_header(file, read_header(file)));
}

std::map<std::string, Tensor> named_weights(const Model& model) {
  std::map<std::string, Tensor> weights;
  std::set<const void*> seen;
  const auto add = [&](const std::string& name, const Tensor& tensor) {
    if (tensor.numel() > 0 && !seen.insert(tensor.const_data_ptr()).second) return;
    weights.emplace(name, tensor.detach());
  };
  for (const auto& item : model.named_parameters()) add(item.key(), item.value());
  for (const auto& item : model.named_buffers()) add(item.key(), item.value());
  return weights;
}

namespace {

/// The model's own, as named_weights(), once `weights` are found to be of its names and shapes.
std::map<std::string, Tensor> fitting(const Model& model,
                                      const std::map<std::string, Tensor>& weights,
                                      const std::string& origin) {
  const auto shape_text = [](const Tensor& tensor) {
    std::string text;
    for (const int64_t extent : tensor.sizes())
      text += (text.empty() ? "" : " x ") + std::to_string(extent);
    return text.empty() ? "a single number" : text;
  };
  const std::string other = "; these weights belong to another model";
  const auto own = named_weights(model);
  for (const auto& [name, tensor] : own) {
    const auto found = weights.find(name);
    if (found == weights.end()) throw UserError(origin + ": has no tensor '" + name + "'" + other);
    if (found->second.sizes() != tensor.sizes())
      throw UserError(origin + ": tensor '" + name + "' is " + shape_text(found->second) +
                      ", the model needs " + shape_text(tensor) + other);
  }
  for (const auto& [name, tensor] : weights)
    if (!own.contains(name)) throw UserError(origin + ": surplus tensor '" + name + "'" + other);
  return own;
}

}  // namespace

void load_weights(Model& model, const std::map<std::string, Tensor>& weights,
                  const std::string& origin) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : fitting(model, weights, origin))
    Tensor(tensor).copy_(weights.at(name));
}

void take_weights(Model& model, const std::map<std::string, Tensor>& weights,
                  const std::string& origin) {
  const auto own = fitting(model, weights, origin);
  const auto take = [&](const std::string& name, Tensor tensor) {
    const auto found = own.find(name);
    if (found == own.end()) return;  // tied: the same tensor by another name
    const Tensor& weight = weights.at(name);
    // Products round otherwise where a matrix lies otherwise.
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(weight.const_data_ptr()) % kAlignment == 0;
    tensor.set_data((aligned ? weight : weight.clone()).to(tensor.scalar_type()));
  };
  for (const auto& item : model.named_parameters()) take(item.key(), item.value());
  for (const auto& item : model.named_buffers()) take(item.key(), item.value());
}

}  // namespace heed::model
