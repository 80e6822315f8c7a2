// safetensors: 8 bytes little-endian length of the header, the header (JSON, padded by spaces so
// that the data is aligned to 64), then the tensors' bytes without gaps. heed's checksum is a
// CRC-32 over the whole file with its own eight digits taken as zeros.
#include "model/description/safetensors_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/atomic_file.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/format.h"
#include "base/stand_in.h"
#include "base/strings.h"

namespace heed::model {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

constexpr const char* kFormatVersion = "1";
constexpr std::string_view kChecksumField = "\"checksum\":\"crc32:";
constexpr std::string_view kNoDigits = "00000000";
constexpr int64_t kAlignment = 64;

uint32_t crc(uint32_t so_far, std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

uint32_t crc_of_header(std::string_view header) {
  const uint64_t length = header.size();
  return crc(crc(0, {reinterpret_cast<const char*>(&length), kLengthBytes}), header);
}

std::string hex_digits(uint32_t value) {
  return fmt::format("{:08x}", value);
}

/// The header of a file, with zeros in place of the checksum's digits.
std::string make_header(const std::vector<SlotBytes>& tensors,
                        const std::map<std::string, std::string>& metadata) {
  json header = json::object();
  std::size_t offset = 0;
  for (const auto& [slot, bytes] : tensors) {
    expect(slot.name != "__metadata__", "the format keeps this name for itself");
    const std::size_t end = offset + bytes.size();
    header[slot.name] = {
        {"dtype", name_of(slot.type)}, {"shape", slot.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  header["__metadata__"] = metadata;
  header["__metadata__"]["format_version"] = kFormatVersion;
  header["__metadata__"]["checksum"] = "crc32:" + std::string(kNoDigits);
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::size_t begin = kLengthBytes + text.size();
  text.resize((begin + kAlignment - 1) / kAlignment * kAlignment - kLengthBytes, ' ');
  return text;
}

/// The index of the checksum's digits in a header; nothing where heed wrote none.
std::optional<std::size_t> find_checksum(std::string_view header) {
  const std::size_t found = header.find(kChecksumField);
  if (found == std::string_view::npos) return std::nullopt;
  const std::size_t digits = found + kChecksumField.size();
  return digits + kNoDigits.size() > header.size() ? std::nullopt : std::optional(digits);
}

/// Whether none of the numbers is NaN or infinite: such a number has all of `exponent`'s bits.
template <class Bits>
bool are_finite(std::string_view bytes, Bits exponent) {
  bool all = true;
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + i, sizeof bits);
    all &= (bits & exponent) != exponent;
  }
  return all;
}

/// Calls put(bytes) with the parts of a file, in their order.
template <class Put>
void put_file(std::vector<SlotBytes> tensors, std::map<std::string, std::string> metadata,
              const Put& put) {
  // Wide types first: then each tensor is aligned to its own type without gaps.
  std::ranges::stable_sort(tensors, std::greater{},
                           [](const SlotBytes& tensor) { return bytes_of(tensor.slot.type); });
  std::string header = make_header(tensors, metadata);
  uint32_t checksum = crc_of_header(header);
  for (const auto& [slot, bytes] : tensors)
    if (!bytes.empty()) checksum = crc(checksum, bytes);
  header.replace(header.find(kChecksumField) + kChecksumField.size(), kNoDigits.size(),
                 hex_digits(checksum));
  const uint64_t length = header.size();
  put({reinterpret_cast<const char*>(&length), kLengthBytes});
  put(header);
  for (const auto& [slot, bytes] : tensors) put(bytes);
}

}  // namespace

std::shared_ptr<const Mapping> map_file(const std::string& path) {
  // With O_NONBLOCK, opening a pipe of this name does not wait for a writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.open() && (errno == ENOENT || errno == ENOTDIR)) {
    const std::string flaw = annex_link_flaw(path);
    throw UserError(flaw.empty() ? path + ": no such file" : flaw);
  }
  if (!file.open()) throw Failure(path + ": cannot be opened: " + std::strerror(errno));
  struct stat status {};
  if (fstat(file.number(), &status) != 0)
    throw Failure(path + ": cannot be read: " + std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw UserError(path + ": not a file");
  auto map = std::make_shared<const Mapping>(file, status.st_size, Mapping::Access::copy);
  if (map->data() == nullptr && map->size() > 0)
    throw Failure(path + ": cannot be read: " + std::strerror(errno));
  return map;
}

bool are_finite(std::string_view numbers, Dtype type) {
  switch (type) {
    case Dtype::F64: {
      bool all = true;
      for (std::size_t i = 0; i < numbers.size(); i += sizeof(double)) {
        double x = 0;
        std::memcpy(&x, numbers.data() + i, sizeof x);
        all &= std::isfinite(static_cast<float>(x));
      }
      return all;
    }
    case Dtype::F32:
      return are_finite<uint32_t>(numbers, 0x7f800000);
    case Dtype::BF16:
      return are_finite<uint16_t>(numbers, 0x7f80);
    case Dtype::F16:
      return are_finite<uint16_t>(numbers, 0x7c00);
    default:
      return true;
  }
}

SafetensorsFile open_safetensors(const std::string& path, bool foreign) {
  const auto map = map_file(path);
  const std::string_view bytes(map->data(), map->size());
  const std::string_view header = header_of(bytes, path),
                         data = bytes.substr(kLengthBytes + header.size());
  SafetensorsFile file{parse_header(header, std::ssize(data), path),
                       map->data() + (bytes.size() - data.size()), map};
  const auto wrong = [&](const std::string& what) { throw UserError(path + ": " + what); };
  const auto digits = find_checksum(header);
  if (!digits && !foreign)
    wrong("has no checksum of heed: it was written by another program, or is corrupt");
  if (digits) {
    const std::string summed = std::string(header).replace(*digits, kNoDigits.size(), kNoDigits);
    const uint32_t found = crc(crc_of_header(summed), data);
    if (hex_digits(found) != header.substr(*digits, kNoDigits.size()))
      wrong("corrupt: its checksum is wrong; restore it from a copy");
    const auto known = file.metadata.find("format_version");
    const std::string version = known == file.metadata.end() ? "none" : known->second;
    if (version != kFormatVersion)
      wrong(fmt::format("format version {}, this heed reads version {}", one_line(version),
                        kFormatVersion));
    file.metadata.erase("checksum");
    file.metadata.erase("format_version");
  }
  for (const Slot& slot : file.slots)
    if (!are_finite(data.substr(slot.begin, slot.end - slot.begin), slot.type))
      wrong(
          fmt::format("tensor '{}' has values that are no finite numbers (NaN or infinity): the "
                      "training diverged, or the file is damaged; take an older one",
                      one_line(slot.name)));
  return file;
}

std::map<std::string, std::string> load_metadata(const std::string& path) {
  const auto map = map_file(path);
  const std::string_view header = header_of({map->data(), map->size()}, path);
  const auto begin = kLengthBytes + std::ssize(header);
  return parse_header(header, static_cast<int64_t>(map->size()) - begin, path).metadata;
}

void write_safetensors(std::vector<SlotBytes> tensors, std::map<std::string, std::string> metadata,
                       const std::string& path) {
  AtomicFile out(path);
  put_file(std::move(tensors), std::move(metadata),
           [&](std::string_view bytes) { out.write(bytes); });
  out.commit();
}

std::string safetensors_bytes(std::vector<SlotBytes> tensors,
                              std::map<std::string, std::string> metadata) {
  std::string file;
  put_file(std::move(tensors), std::move(metadata), [&](std::string_view bytes) { file += bytes; });
  return file;
}

}  // namespace heed::model
