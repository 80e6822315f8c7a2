// Zip archives for tests, written byte by byte.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heed::exchange::testing {

/// The bytes of a number, the least first.
template <class Number>
std::string bytes_of(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

inline std::string deflated(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// A file as its archive describes it; what is not given is as it should be.
struct Zipped {
  std::string name, bytes;
  bool deflate = false;
  uint16_t flags = 0;
  uint64_t size = bytes.size();  // what the archive says
};

/// Zip64: all sizes and places are in extra fields, as of files of more than 4 GiB.
inline std::string zip(const std::vector<Zipped>& files, bool zip64 = false) {
  const uint32_t wide = 0xffffffff;
  std::string archive, directory;
  for (const Zipped& file : files) {
    const std::string packed = file.deflate ? deflated(file.bytes) : file.bytes;
    const uint64_t begin = archive.size(), packed_size = packed.size();
    const auto checksum =
        static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(file.bytes.data()),
                                    static_cast<uInt>(file.bytes.size())));
    const std::string extra = zip64 ? bytes_of<uint16_t>(0x4246) + bytes_of<uint16_t>(3) + "pad" +
                                          bytes_of<uint16_t>(1) + bytes_of<uint16_t>(24) +
                                          bytes_of(file.size) + bytes_of(packed_size) +
                                          bytes_of(begin)
                                    : "";
    const auto size_field = [&](uint64_t size) {
      return bytes_of(zip64 ? wide : static_cast<uint32_t>(size));
    };
    const std::string common = bytes_of(file.flags) + bytes_of<uint16_t>(file.deflate ? 8 : 0) +
                               bytes_of<uint32_t>(0) + bytes_of(checksum) +
                               size_field(packed_size) + size_field(file.size) +
                               bytes_of(static_cast<uint16_t>(file.name.size()));
    // The header of a file has other extra fields than the directory: its own padding.
    archive += "PK\3\4" + bytes_of<uint16_t>(20) + common + bytes_of<uint16_t>(5) + file.name +
               "12345" + packed;
    directory += "PK\1\2" + bytes_of<uint32_t>(20) + common +
                 bytes_of(static_cast<uint16_t>(extra.size())) + bytes_of<uint16_t>(2) +
                 std::string(8, '\0') + size_field(begin) + file.name + extra + "ok";
  }
  const uint64_t begin = archive.size(), size = directory.size(), end = begin + size,
                 count = files.size();
  archive += directory;
  if (zip64)
    archive += "PK\6\6" + bytes_of<uint64_t>(44) + std::string(12, '\0') + bytes_of(count) +
               bytes_of(count) + bytes_of(size) + bytes_of(begin) + "PK\6\7" +
               bytes_of<uint32_t>(0) + bytes_of(end) + bytes_of<uint32_t>(1);
  const auto short_count = bytes_of(static_cast<uint16_t>(count));
  return archive + "PK\5\6" + bytes_of<uint32_t>(0) + short_count + short_count +
         bytes_of(zip64 ? wide : static_cast<uint32_t>(size)) +
         bytes_of(zip64 ? wide : static_cast<uint32_t>(begin)) + bytes_of<uint16_t>(4) + "note";
}

}  // namespace heed::exchange::testing
