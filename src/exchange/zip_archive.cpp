// A zip archive (PKWARE's APPNOTE, 4.3): the files, each after a header of its own; a directory,
// which has the size and the place of each; and an end, which says where the directory is. Zip64
// has a second end, and has numbers of more than 32 bits in extra fields of the directory.
#include "exchange/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "exchange/cursor.h"

namespace heed::exchange {
namespace {

constexpr uint32_t kHeaderMark = 0x04034b50, kEntryMark = 0x02014b50, kLocatorMark = 0x07064b50,
                   kWideEndMark = 0x06064b50;
constexpr std::string_view kEndMark = "PK\5\6", kFirstFile = "PK\3\4";
constexpr std::size_t kEndBytes = 22, kLocatorBytes = 20, kLongestComment = 65535;
constexpr uint32_t kInExtraField = 0xffffffff;
constexpr uint16_t kZip64 = 1, kEncrypted = 1, kStored = 0, kDeflated = 8;
constexpr uint64_t kMostExpansion = 1032;  // of deflate: 258 bytes by two bits
// Models are packed to some tenths of their size: an archive that would unpack to far more is made
// to fill memory.
constexpr uint64_t kAlwaysUnpacked = 1 << 30, kLikelyExpansion = 16;

std::string_view directory_of(std::string_view file, const std::string& name) {
  const auto at = [&](uint64_t place) {
    Cursor cursor(file, name);
    cursor.bytes(place);
    return cursor;
  };
  const std::size_t last = file.size() - std::min(file.size(), kEndBytes + kLongestComment);
  const std::size_t found = file.substr(last).rfind(kEndMark);
  if (found == std::string_view::npos && file.starts_with(kFirstFile))
    throw UserError("{}: a zip archive that is cut off: its end is missing; fetch it again", name);
  if (found == std::string_view::npos) throw UserError("{}: no zip archive, or truncated", name);
  const std::size_t end = last + found;
  Cursor record = at(end + 12);
  uint64_t size = record.number<uint32_t>(), begin = record.number<uint32_t>();
  if (end >= kLocatorBytes) {
    Cursor locator = at(end - kLocatorBytes);
    if (locator.number<uint32_t>() == kLocatorMark) {
      locator.bytes(4);
      Cursor wide = at(locator.number<uint64_t>());
      if (wide.number<uint32_t>() != kWideEndMark) throw UserError("{}: a damaged archive", name);
      wide.bytes(36);
      size = wide.number<uint64_t>();
      begin = wide.number<uint64_t>();
    }
  }
  return at(begin).bytes(size);
}

/// Reads the numbers that did not fit into their fields, from the extra fields.
void widen(ZipArchive::Entry& entry, Cursor fields, const std::string& name) {
  while (fields.rest().size() >= 4) {
    const auto id = fields.number<uint16_t>();
    Cursor field(fields.bytes(fields.number<uint16_t>()), name);
    if (id != kZip64) continue;
    for (uint64_t* number : {&entry.size, &entry.packed, &entry.begin})
      if (*number == kInExtraField) *number = field.number<uint64_t>();
  }
}

/// Unpacks data. Returns nothing where `packed` does not unpack to `size` bytes.
Bytes inflated(std::string_view packed, uint64_t size) {
  constexpr uint64_t kAtOnce = 1 << 30;  // zlib counts in 32 bits
  const auto bytes = std::make_shared_for_overwrite<char[]>(size);
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + stream.total_in));
    stream.avail_in = static_cast<uInt>(std::min(packed.size() - stream.total_in, kAtOnce));
    stream.next_out = reinterpret_cast<Bytef*>(bytes.get() + stream.total_out);
    stream.avail_out = static_cast<uInt>(std::min(size - stream.total_out, kAtOnce));
    status = inflate(&stream, Z_NO_FLUSH);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.total_out != size) return {};
  return {{bytes.get(), size}, bytes};
}

}  // namespace

ZipArchive::ZipArchive(Bytes file, std::string name)
    : file_(std::move(file)), name_(std::move(name)) {
  uint64_t packed = file_.view.size(), size = kAlwaysUnpacked + kLikelyExpansion * packed;
  Cursor directory(directory_of(file_.view, name_), name_);
  while (!directory.rest().empty()) {
    Entry entry{};
    if (directory.number<uint32_t>() != kEntryMark) throw UserError("{}: a damaged archive", name_);
    directory.bytes(4);  // versions
    entry.flags = directory.number<uint16_t>();
    entry.method = directory.number<uint16_t>();
    directory.bytes(4);  // when it was written
    entry.checksum = directory.number<uint32_t>();
    entry.packed = directory.number<uint32_t>();
    entry.size = directory.number<uint32_t>();
    const auto name_bytes = directory.number<uint16_t>(),
               extra_bytes = directory.number<uint16_t>(),
               comment_bytes = directory.number<uint16_t>();
    directory.bytes(8);  // disk and attributes
    entry.begin = directory.number<uint32_t>();
    const std::string_view path = directory.bytes(name_bytes);
    widen(entry, {directory.bytes(extra_bytes), name_}, name_);
    directory.bytes(comment_bytes);
    // Files that share their bytes could make much of little, too.
    if (entry.packed > packed || entry.size > size)
      throw UserError("{}: would unpack to far more than it holds: damaged, or made to fill memory",
                      name_);
    packed -= entry.packed;
    size -= entry.size;
    if (!path.ends_with('/')) files_.insert_or_assign(std::string(path), entry);
  }
}

Bytes ZipArchive::read(const std::string& file) const {
  const std::string place = name_ + ": " + one_line(file);
  const auto found = files_.find(file);
  if (found == files_.end()) throw UserError("{}: no such file in the archive", place);
  const Entry& entry = found->second;
  if ((entry.flags & kEncrypted) != 0) throw UserError("{}: encrypted; unpack the archive", place);
  if (entry.method != kStored && entry.method != kDeflated)
    throw UserError("{}: compressed by a method (number {}) that heed lacks; unpack the archive",
                    place, entry.method);
  Cursor at(file_.view, place);
  at.bytes(entry.begin);
  const bool begins = at.number<uint32_t>() == kHeaderMark;
  at.bytes(22);
  const auto name_bytes = at.number<uint16_t>(), extra_bytes = at.number<uint16_t>();
  at.bytes(name_bytes + extra_bytes);
  const std::string_view packed = at.bytes(entry.packed);
  Bytes bytes{packed, file_.owner};
  if (entry.method == kDeflated && entry.size / kMostExpansion <= entry.packed)
    bytes = inflated(packed, entry.size);
  const auto* data = reinterpret_cast<const Bytef*>(bytes.view.data());
  if (!begins || bytes.view.size() != entry.size ||
      crc32_z(0, data, bytes.view.size()) != entry.checksum)
    throw UserError("{}: damaged: its size or checksum is wrong", place);
  return bytes;
}

}  // namespace heed::exchange
