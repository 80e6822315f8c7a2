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
  char* data = nullptr;  // that the places of slots count from
  std::shared_ptr<const void> owner = {};
};

/// The file's own pages: writing to them leaves the file as it is. Throws UserError where there is
/// no such file, Failure where it cannot be read.
std::shared_ptr<const Mapping> map_file(const std::string& path);

/// Whether all of the numbers are finite in fp32, which everything is computed in.
bool are_finite(std::string_view numbers, Dtype type);

/// Throws UserError that names the file and what is wrong with it: missing, truncated, not a
/// safetensors file, checksum, unknown format version, a tensor with NaN or infinity in it. The
/// bytes are the file's own pages, mapped: writing to them leaves the file as it is. A file without
/// heed's checksum (written elsewhere) is refused unless `foreign` is true.
SafetensorsFile open_safetensors(const std::string& path, bool foreign = false);

/// The metadata alone, from the file's header: cheap, and without a look at the checksum. Throws
/// UserError like open_safetensors().
std::map<std::string, std::string> load_metadata(const std::string& path);

/// A tensor that is written: `slot` without its place.
struct SlotBytes {
  Slot slot;
  std::string_view bytes;
};

/// Writes to a temporary name, syncs, renames. Adds `format_version` and a checksum over all bytes
/// to the metadata. Throws Failure (disk full, read-only) and leaves an older file of that name
/// intact.
void write_safetensors(std::vector<SlotBytes> tensors, std::map<std::string, std::string> metadata,
                       const std::string& path);
/// The bytes of such a file.
std::string safetensors_bytes(std::vector<SlotBytes> tensors,
                              std::map<std::string, std::string> metadata);

}  // namespace heed::model
