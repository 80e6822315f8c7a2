#include "exchange/zip_writer.h"

#include <zlib.h>

#include <limits>

#include "base/error.h"

namespace heed::exchange {
namespace {

template <class Number>
void append(std::string& to, Number number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// The fields that a file's header and its entry in the directory have in common.
std::string fields_of(const std::string& name, std::string_view bytes) {
  constexpr uint16_t kVersion = 20, kNewYear1980 = 1 << 5 | 1;
  const auto sum =
      static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  std::string fields;
  append(fields, kVersion);
  append(fields, uint16_t{0});  // flags
  append(fields, uint16_t{0});  // stored
  append(fields, uint16_t{0});  // midnight
  append(fields, kNewYear1980);
  append(fields, sum);
  append(fields, static_cast<uint32_t>(bytes.size()));
  append(fields, static_cast<uint32_t>(bytes.size()));
  append(fields, static_cast<uint16_t>(name.size()));
  append(fields, uint16_t{0});  // no extra field
  return fields;
}

}  // namespace

void ZipWriter::write(std::string_view bytes) {
  file_.write(bytes);
  written_ += bytes.size();
  if (written_ > std::numeric_limits<uint32_t>::max())
    throw UserError("{}: an archive of more than 4 GiB, which its programs do not open", path_);
}

void ZipWriter::add(const std::string& name, std::string_view bytes) {
  const std::string fields = fields_of(name, bytes);
  directory_ += "PK\1\2";
  append(directory_, uint16_t{20});
  directory_ += fields;
  append(directory_, uint16_t{0});  // comment
  append(directory_, uint16_t{0});  // disk
  append(directory_, uint16_t{0});  // of bytes
  append(directory_, uint32_t{0});  // attributes
  append(directory_, static_cast<uint32_t>(written_));
  directory_ += name;
  ++files_;
  write("PK\3\4" + fields + name);
  write(bytes);
}

void ZipWriter::commit() {
  const auto begin = static_cast<uint32_t>(written_);
  std::string end = "PK\5\6";
  append(end, uint32_t{0});  // disks
  append(end, files_);
  append(end, files_);
  append(end, static_cast<uint32_t>(directory_.size()));
  append(end, begin);
  append(end, uint16_t{0});  // comment
  write(directory_);
  write(end);
  file_.commit();
}

}  // namespace heed::exchange
