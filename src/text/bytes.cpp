#include "text/bytes.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/files.h"
#include "base/new_name.h"
#include "base/strings.h"
#include "text/tmx_lines.h"

namespace heed::text {
namespace {

constexpr std::size_t kChunk = 1 << 16;

/// A file descriptor. Bytes that were read ahead are given out first.
class PlainSource : public ByteSource {
 public:
  /// Without a file it reads standard input.
  explicit PlainSource(Descriptor file = Descriptor())
      : file_(std::move(file)), descriptor_(file_.open() ? file_.number() : STDIN_FILENO) {}

  std::size_t read(char* out, std::size_t size) override {
    if (ahead_.empty()) return read_now(out, size);
    const std::size_t taken = ahead_.copy(out, size);
    ahead_.erase(0, taken);
    return taken;
  }

  bool ready(int milliseconds) override {
    if (!ahead_.empty()) return true;
    pollfd input{.fd = descriptor_, .events = POLLIN, .revents = 0};
    int count = 0;
    do {
      count = ::poll(&input, 1, milliseconds);
    } while (count < 0 && errno == EINTR);
    return count != 0;  // at the end of the file, or on an error, read() will say which
  }

  /// Reads at least one byte more ahead, unless the file ends; returns all that is ahead.
  std::pair<std::string_view, bool> look_further() {
    char chunk[64];
    const std::size_t count = read_now(chunk, sizeof chunk);
    ahead_.append(chunk, count);
    return {ahead_, count > 0};
  }

 private:
  std::size_t read_now(char* out, std::size_t size) {
    for (;;) {
      const ssize_t count = ::read(descriptor_, out, size);
      if (count >= 0) return static_cast<std::size_t>(count);
      const int error = errno;
      if (error == EINTR) continue;
      const std::string what = "reading fails: " + error_text(error);
      if (error == EISDIR) throw BadBytes(what);
      throw UnreadBytes(what);
    }
  }

  Descriptor file_;
  int descriptor_;
  std::string ahead_;
};

constexpr const char* kCutOff = " archive ends before its end; copy or make it again";

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> raw) : raw_(std::move(raw)), in_(kChunk) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw Failure("zlib cannot start");
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource& operator=(GzipSource&&) = delete;

  std::size_t read(char* out, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0 && !refill()) {
        if (inside_) throw BadBytes(std::string("the gzip") + kCutOff);
        return 0;
      }
      if (!inside_ && !begin_member()) return 0;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        inside_ = false;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        const char* why = stream_.msg ? stream_.msg : "not in its format";
        throw BadBytes(fmt::format("the gzip archive is damaged ({}); copy it again", why));
      }
    }
    return size - stream_.avail_out;
  }

  const char* unpacked_by() const override { return "zcat"; }

 private:
  bool refill() {
    const std::size_t count = raw_->read(in_.data(), in_.size());
    stream_.next_in = reinterpret_cast<Bytef*>(in_.data());
    stream_.avail_in = static_cast<uInt>(count);
    return count > 0;
  }

  /// Begins the next archive; false at the end. A gzip file may be several archives in a row, and
  /// padded with zeros.
  bool begin_member() {
    while (*stream_.next_in == 0) {
      ++stream_.next_in;
      if (--stream_.avail_in == 0 && !refill()) return false;
    }
    if (inflateReset(&stream_) != Z_OK) throw Failure("zlib cannot start again");
    return inside_ = true;
  }

  std::unique_ptr<ByteSource> raw_;
  std::vector<char> in_;
  z_stream stream_{};
  bool inside_ = false;
};

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> raw)
      : raw_(std::move(raw)), chunk_(kChunk), stream_(ZSTD_createDStream(), ZSTD_freeDStream) {
    if (!stream_) throw Failure("zstd cannot start");
    // Allows windows of 2^31 bytes, as `zstd --ultra --long=31` makes them; by default zstd reads
    // windows of up to 2^27 bytes.
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, 31);
  }

  std::size_t read(char* out, std::size_t size) override {
    ZSTD_outBuffer target{out, size, 0};
    while (target.pos == 0) {
      // Output that zstd still holds is taken before it gets more input.
      if (in_.pos == in_.size && !more_out_ && !refill()) {
        if (inside_) throw BadBytes(std::string("the zstd") + kCutOff);
        return 0;
      }
      const std::size_t status = ZSTD_decompressStream(stream_.get(), &target, &in_);
      if (ZSTD_isError(status))
        throw BadBytes(fmt::format("the zstd archive is damaged ({}); copy it again",
                                   ZSTD_getErrorName(status)));
      inside_ = status != 0;
      // At the end of a frame nothing is held; asking again would begin another one.
      more_out_ = inside_ && target.pos == target.size;
    }
    return target.pos;
  }

  const char* unpacked_by() const override { return "zstdcat"; }

 private:
  bool refill() {
    in_ = {chunk_.data(), raw_->read(chunk_.data(), chunk_.size()), 0};
    return in_.size > 0;
  }

  std::unique_ptr<ByteSource> raw_;
  std::vector<char> chunk_;
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool inside_ = false, more_out_ = false;
};

enum class FileKind { plain, gzip, zstd, utf16, utf32, bzip2, zip, xz };
struct Magic {
  std::string_view bytes;
  FileKind kind;
};
constexpr std::array<Magic, 10> kMagic = {
    {{"\x1F\x8B", FileKind::gzip},
     {"\x28\xB5\x2F\xFD", FileKind::zstd},
     {"\x50\x2A\x4D\x18", FileKind::zstd},  // made in parallel
     {"BZh91AY&SY", FileKind::bzip2},
     {"PK\x03\x04", FileKind::zip},
     {"\xFD"
      "7zXZ",
      FileKind::xz},
     {{"\xFF\xFE\0\0", 4}, FileKind::utf32},
     {{"\0\0\xFE\xFF", 4}, FileKind::utf32},
     {"\xFF\xFE", FileKind::utf16},  // never in UTF-8
     {"\xFE\xFF", FileKind::utf16}}};

/// Looks no further than it must, so that a short line typed at a terminal is not held back.
FileKind look_at(PlainSource& source) {
  std::string_view ahead;
  for (bool more = true; more;) {
    std::tie(ahead, more) = source.look_further();
    bool undecided = ahead.empty();
    for (const Magic& magic : kMagic) {
      if (ahead.starts_with(magic.bytes)) return magic.kind;
      undecided = undecided || magic.bytes.starts_with(ahead);
    }
    if (!undecided) break;
  }
  return FileKind::plain;
}

std::unique_ptr<PlainSource> open_plain(const std::string& path) {
  if (path == "-") return std::make_unique<PlainSource>();
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.open()) return std::make_unique<PlainSource>(std::move(file));
  const int error = errno;
  require_file(path, "text");  // its message has the nearest name
  throw Failure(path + ": cannot be opened: " + error_text(error));
}

}  // namespace

std::string shown_name(const std::string& path) {
  return path == "-" ? "stdin" : path;
}

bool has_ending(std::string_view path, std::string_view ending) {
  for (const std::string_view packed : {".gz", ".zst"})
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  return path.ends_with(ending);
}

std::string new_name_for(std::string_view path) {
  return new_name(path, has_ending(path, ".tsv") ? ".tsv" : "");
}

std::string command_to_convert(const std::string& path, const std::string& encoding,
                               const std::string& unpacked_by) {
  const std::string command = fmt::format("iconv -f {} -t UTF-8", encoding),
                    old = path == "-" ? "OLD" : shell_path(path);
  if (unpacked_by.empty()) return fmt::format("{} {} > {}", command, old, new_name_for(path));
  return fmt::format("{} < {} | {} > {}", unpacked_by, old, command, new_name_for(path));
}

namespace {

/// The command that converts a file in UTF-16, and what it says of its encoding if it is XML by its
/// name.
std::string command_for_utf16(const std::string& path) {
  std::string command = command_to_convert(path, "UTF-16");
  const std::string name = ascii_lower(path);
  for (const std::string_view ending :
       {".xml", ".tbx", ".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff", ".xhtml", ".ts"})
    if (name.ends_with(ending))
      return command.insert(command.rfind(" > "), " | sed '1s/ encoding=[^ ?]*//'");
  return command;
}

/// Whether the name is that of a document of an office program, which is an archive of XML.
bool is_of_office(const std::string& path) {
  const std::string name = ascii_lower(path);
  constexpr std::string_view kEndings[] = {".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp"};
  return std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

BadBytes archive(const std::string& path, const char* name, const char* program) {
  return BadBytes(fmt::format("an archive of {}; heed reads plain text, gzip and zstd: {} {} > {}",
                              name, program, path == "-" ? "OLD" : shell_path(path),
                              new_name_for(path)));
}

/// The names of the files in a zip, by its central directory (APPNOTE 4.3.12 and 4.3.16), which
/// stands at the end of the archive; none where it has no such directory.
std::vector<std::string> names_in_zip(const std::string& path) {
  constexpr std::size_t kEndOfZip = 22, kLongestComment = 0xFFFF, kEntry = 46;
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || file.tellg() < static_cast<std::streamoff>(kEndOfZip)) return {};
  const auto size = static_cast<std::size_t>(file.tellg());
  const auto read = [&](std::size_t from, std::size_t count) {
    std::string bytes(count, '\0');
    file.seekg(static_cast<std::streamoff>(from));
    return file.read(bytes.data(), static_cast<std::streamsize>(count)) ? bytes : std::string();
  };
  const auto number = [](std::string_view bytes, std::size_t at, std::size_t width) {
    std::size_t value = 0;
    for (std::size_t i = width; i > 0; --i)
      value = value << 8U | static_cast<unsigned char>(bytes[at + i - 1]);
    return value;
  };
  const std::size_t last = std::min(size, kEndOfZip + kLongestComment);
  const std::string tail = read(size - last, last);
  const std::size_t end = tail.rfind("PK\x05\x06");
  if (end == std::string::npos || end + kEndOfZip > tail.size()) return {};
  const std::size_t bytes = number(tail, end + 12, 4), begin = number(tail, end + 16, 4);
  if (bytes > kMostBytes || begin + bytes > size) return {};
  const std::string directory = read(begin, bytes);
  std::vector<std::string> names;
  for (std::size_t at = 0; at + kEntry <= directory.size();) {
    if (directory.compare(at, 4, "PK\x01\x02") != 0) return {};
    const std::size_t length = number(directory, at + 28, 2);
    names.push_back(directory.substr(at + kEntry, length));
    at += kEntry + length + number(directory, at + 30, 2) + number(directory, at + 32, 2);
  }
  std::erase_if(names, [](const std::string& name) { return name.ends_with('/'); });
  return names;
}

/// The message for a zip, with the command for its only file; of several it names the first ones.
BadBytes zip_archive(const std::string& path) {
  constexpr std::size_t kMost = 8;
  const std::vector<std::string> names =
      path == "-" ? std::vector<std::string>() : names_in_zip(path);
  if (names.size() < 2) return archive(path, "zip", "unzip -p");
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i)
    shown.push_back(shell_word(one_line(names[i], 100)));
  return BadBytes(fmt::format(
      "an archive of zip with {} files; heed reads plain text, gzip and zstd: unzip -p {} FILE > "
      "NEW, where FILE is one of {}{}",
      names.size(), shell_path(path), join(shown, ", "), names.size() > kMost ? ", ..." : ""));
}

/// The bytes of a file as they are after decompression. `is_xml`: a parser of XML
/// reads them, which knows UTF-16.
std::unique_ptr<ByteSource> open_file(const std::string& path, bool is_xml) {
  std::unique_ptr<PlainSource> plain = open_plain(path);
  const FileKind kind = look_at(*plain);
  if (is_xml && kind == FileKind::utf16) return plain;
  if (kind == FileKind::utf16 && has_tmx_name(path)) throw BadBytes(tmx_needs_language(path, ""));
  switch (kind) {
    case FileKind::plain:
      return plain;
    case FileKind::gzip:
      return std::make_unique<GzipSource>(std::move(plain));
    case FileKind::zstd:
      return std::make_unique<ZstdSource>(std::move(plain));
    case FileKind::utf16:
      throw BadBytes("text in UTF-16; convert it: " + command_for_utf16(path));
    case FileKind::utf32:
      throw BadBytes("text in UTF-32; convert it: " + command_to_convert(path, "UTF-32"));
    case FileKind::bzip2:
      throw archive(path, "bzip2", "bzcat");
    case FileKind::xz:
      throw archive(path, "xz", "xzcat");
    case FileKind::zip:
      break;
  }
  if (is_of_office(path))
    throw BadBytes("a document of an office program; save it there as text, HTML or CSV, in UTF-8");
  throw zip_archive(path);
}

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  if (const auto side = tmx_side(path))
    return tmx_lines(open_file(side->file, /*is_xml=*/true), *side);
  return open_file(path, /*is_xml=*/false);
}

void telling(const std::string& where, const std::function<void()>& work) {
  try {
    work();
  } catch (const BadBytes& error) {
    throw UserError(where + error.what());
  } catch (const UnreadBytes& error) {
    throw Failure(where + error.what());
  }
}

}  // namespace heed::text
