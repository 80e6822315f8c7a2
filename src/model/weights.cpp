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
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/format.h"
#include "base/strings.h"
#include "kernels/rows/loops.h"
#include "model/description/safetensors_header.h"
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

constexpr std::array kTypes{
    std::pair{Dtype::F64, at::kDouble},    std::pair{Dtype::I64, at::kLong},
    std::pair{Dtype::F32, at::kFloat},     std::pair{Dtype::I32, at::kInt},
    std::pair{Dtype::BF16, at::kBFloat16}, std::pair{Dtype::F16, at::kHalf},
    std::pair{Dtype::U8, at::kByte},       std::pair{Dtype::BOOL, at::kBool}};

at::ScalarType tensor_type(Dtype type) {
  return std::ranges::find(kTypes, type, &std::pair<Dtype, at::ScalarType>::first)->second;
}

const char* type_name(const Tensor& tensor) {
  for (const auto& [type, of_tensors] : kTypes)
    if (of_tensors == tensor.scalar_type()) return name_of(type);
  throw Bug("a tensor's type has no place in safetensors");
}

uint32_t crc(uint32_t so_far, const void* bytes, std::size_t size) {
  return static_cast<uint32_t>(crc32_z(so_far, static_cast<const Bytef*>(bytes), size));
}

std::string hex_digits(uint32_t value) {
  return fmt::format("{:08x}", value);
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
    header[name] = {{"dtype", type_name(tensor)},
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
    // Not to wait for a writer where a pipe has this name.
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR))
      throw UserError(path + ": no such file");
    if (descriptor < 0) throw Failure(path + ": cannot be opened: " + std::strerror(errno));
    struct stat status {};
    const bool known = fstat(descriptor, &status) == 0;
    const bool regular = known && S_ISREG(status.st_mode);
    if (regular && status.st_size > 0) {
      size_ = status.st_size;
      data_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    }
    const int error = errno;
    close(descriptor);
    if (known && !regular) wrong("not a file");
    if (!known || data_ == MAP_FAILED)
      throw Failure(path + ": cannot be read: " + std::strerror(error));
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

/// As fp32, which everything is computed in.
bool is_finite(const Tensor& tensor) {
  if (!tensor.is_floating_point()) return true;
  const Tensor numbers = tensor.to(at::kFloat);
  return std::isfinite(
      kernels::largest_magnitude(numbers.const_data_ptr<float>(), numbers.numel()));
}

std::string_view header_of(const Mapping& file) {
  if (file.size() < kLengthBytes)
    file.wrong(fmt::format("not a safetensors file, or truncated: it has {} bytes", file.size()));
  uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > static_cast<uint64_t>(std::min(kLongestHeader, file.size() - kLengthBytes)))
    file.wrong("not a safetensors file, or truncated: the length of its header makes no sense");
  return {file.data() + kLengthBytes, length};
}

/// Where the checksum's digits stand in a header; nothing where heed wrote none.
std::optional<std::size_t> find_checksum(std::string_view header) {
  const std::size_t found = header.find(kChecksumField);
  if (found == std::string_view::npos) return std::nullopt;
  const std::size_t digits = found + kChecksumField.size();
  return digits + kNoDigits.size() > header.size() ? std::nullopt : std::optional(digits);
}

std::string without_checksum(std::string_view header, std::size_t digits) {
  return std::string(header).replace(digits, kNoDigits.size(), kNoDigits);
}

void check_version(const Mapping& file, const std::map<std::string, std::string>& metadata) {
  const auto found = metadata.find("format_version");
  const std::string version = found == metadata.end() ? "none" : found->second;
  if (version != kFormatVersion)
    file.wrong(fmt::format("format version {}, this heed reads version {}", one_line(version),
                           kFormatVersion));
}

/// The tensor in that slot: the mapped bytes, or a copy where another program did not align them.
/// Throws UserError where it holds NaN or infinity.
Tensor tensor_at(const std::shared_ptr<const Mapping>& file, int64_t begin, const Slot& slot) {
  Tensor tensor = at::from_blob(
      file->data() + begin + slot.begin, slot.shape, [file](void*) {},
      at::TensorOptions(tensor_type(slot.type)));
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr());
  if (address % tensor.element_size() != 0) tensor = tensor.clone();
  if (!is_finite(tensor))
    file->wrong(
        fmt::format("tensor '{}' has values that are no finite numbers (NaN or infinity): the "
                    "training diverged, or the file is damaged; take an older one",
                    one_line(slot.name)));
  return tensor;
}

uint32_t crc_of_header(std::string_view header) {
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
  const std::string_view header = header_of(file);
  const int64_t begin = kLengthBytes + static_cast<int64_t>(header.size());
  Header described = parse_header(header, file.size() - begin, path);
  TensorFile loaded{.metadata = std::move(described.metadata)};
  const auto digits = find_checksum(header);
  if (!digits && !foreign)
    file.wrong("has no checksum of heed: it was written by another program, or is corrupt");
  if (digits) {
    const uint32_t found = crc(crc_of_header(without_checksum(header, *digits)),
                               file.data() + begin, static_cast<std::size_t>(file.size() - begin));
    if (hex_digits(found) != header.substr(*digits, kNoDigits.size()))
      file.wrong("corrupt: its checksum is wrong; restore it from a copy");
    check_version(file, loaded.metadata);
    loaded.metadata.erase("checksum");
    loaded.metadata.erase("format_version");
  }
  for (const auto& slot : described.slots)
    loaded.tensors.emplace(slot.name, tensor_at(source, begin, slot));
  return loaded;
}

std::map<std::string, std::string> load_metadata(const std::string& path) {
  const Mapping file(path);
  const std::string_view header = header_of(file);
  const int64_t begin = kLengthBytes + static_cast<int64_t>(header.size());
  return parse_header(header, file.size() - begin, path).metadata;
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

void require_floats(const std::map<std::string, Tensor>& weights, const std::string& origin) {
  for (const auto& [name, tensor] : weights)
    if (!tensor.is_floating_point())
      throw UserError("{}: tensor '{}' holds whole numbers ({}), which are no weights", origin,
                      one_line(name), type_name(tensor));
}

namespace {

/// The model's own, as named_weights(), once `weights` are found to be of its names and shapes.
std::map<std::string, Tensor> fitting(const Model& model,
                                      const std::map<std::string, Tensor>& weights,
                                      const std::string& origin) {
  const auto shape_text = [](const Tensor& tensor) -> std::string {
    if (tensor.dim() == 0) return "a single number";
    return fmt::format("{}", fmt::join(tensor.sizes(), " x "));
  };
  const std::string other = "; these weights belong to another model";
  const auto own = named_weights(model);
  for (const auto& [name, tensor] : own) {
    const auto found = weights.find(name);
    if (found == weights.end()) throw UserError("{}: has no tensor '{}'{}", origin, name, other);
    if (found->second.sizes() != tensor.sizes())
      throw UserError("{}: tensor '{}' is {}, the model needs {}{}", origin, name,
                      shape_text(found->second), shape_text(tensor), other);
  }
  for (const auto& [name, tensor] : weights)
    if (!own.contains(name))
      throw UserError("{}: surplus tensor '{}'{}", origin, one_line(name), other);
  require_floats(weights, origin);
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

void leave_file(Model& model) {
  const auto move = [](Tensor tensor) {
    if (tensor.is_cpu()) tensor.set_data(tensor.detach().clone());
  };
  for (const auto& item : model.named_parameters()) move(item.value());
  for (const auto& item : model.named_buffers()) move(item.value());
}

void share_weights(const Model& from, Model& to) {
  const auto share = [](const auto& theirs, const auto& own) {
    expect(theirs.size() == own.size(), "models of one kind");
    for (const auto& item : own) item.value().set_data(theirs[item.key()].detach());
  };
  share(from.named_parameters(), to.named_parameters());
  share(from.named_buffers(), to.named_buffers());
}

}  // namespace heed::model
