// safetensors files, which Python reads too: mapped, never trusted without a checksum, written
// atomically.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/description/safetensors_header.h"

namespace heed {
class Mapping;  // base/descriptor.h
}  // namespace heed

namespace heed::model {

/// The tensors of a file as bytes, which stay where they are while `owner` lives.
struct SafetensorsFile : Header {
  char* data = nullptr;  // the beginning of the bytes, from which slots count
  std::shared_ptr<const void> owner = {};
};

/// Maps a file: writing to its pages leaves the file as it is. Throws UserError where there is no
/// such file, Failure where it cannot be read.
std::shared_ptr<const Mapping> map_file(const std::string& path);

/// Whether all of the numbers are finite in fp32, the type in which everything is computed.
bool are_finite(std::string_view numbers, Dtype type);

/// Throws UserError that names the file and what is wrong with it: missing, truncated, not a
/// safetensors file, checksum, unknown format version, a tensor with NaN or infinity in it. The
/// bytes are the file's own pages, mapped: writing to them leaves the file as it is. A file without
/// heed's checksum (written elsewhere) is refused unless `foreign` is true.
SafetensorsFile open_safetensors(const std::string& path, bool foreign = false);

/// Reads the metadata alone, from the file's header: this is cheap, and ignores the checksum.
/// Throws UserError like open_safetensors().
std::map<std::string, std::string> load_metadata(const std::string& path);

/// A tensor to be written: `slot`, whose `begin` and `end` do not matter, and its bytes.
struct SlotBytes {
  Slot slot;
  std::string_view bytes;
};

/// Writes a file: to a temporary name, which is synced and renamed. Adds `format_version` and a
/// checksum over all bytes to the metadata. Throws Failure (disk full, read-only) and leaves an
/// older file of that name intact.
void write_safetensors(std::vector<SlotBytes> tensors, std::map<std::string, std::string> metadata,
                       const std::string& path);
/// The bytes of the file that write_safetensors() writes.
std::string safetensors_bytes(std::vector<SlotBytes> tensors,
                              std::map<std::string, std::string> metadata);

}  // namespace heed::model
