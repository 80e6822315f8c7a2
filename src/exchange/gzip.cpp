#include "exchange/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "base/error.h"

namespace heed::exchange {
namespace {

/// zlib's state, which is freed in any case.
struct Inflation {
  Inflation() {
    constexpr int kGzipAlone = 16;
    if (inflateInit2(&stream, MAX_WBITS + kGzipAlone) != Z_OK) throw std::bad_alloc();
  }
  ~Inflation() { inflateEnd(&stream); }
  Inflation& operator=(Inflation&&) = delete;

  z_stream stream{};
};

}  // namespace

Bytes gunzipped(std::string_view packed, const std::string& name) {
  // The limit of zip archives (zip_archive.cpp): models are packed to some tenths of their size.
  constexpr std::size_t kAlways = 1 << 30, kLikely = 16, kAtOnce = 1 << 20;
  const std::size_t most = kAlways + kLikely * packed.size();
  const auto bytes = std::make_shared<std::string>();
  Inflation inflation;
  z_stream& stream = inflation.stream;
  int status = Z_OK;
  std::string chunk(kAtOnce, '\0');
  while (status == Z_OK || !packed.empty()) {
    if (status == Z_STREAM_END) inflateReset(&stream);  // another member
    const std::size_t given = std::min(packed.size(), kAtOnce);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END)
      throw UserError(
          "{}: {}; copy or make it again", name,
          status == Z_BUF_ERROR ? "the gzip file is cut off" : "no gzip file, or a damaged one");
    packed.remove_prefix(given - stream.avail_in);
    bytes->append(chunk, 0, chunk.size() - stream.avail_out);
    if (bytes->size() > most)
      throw UserError("{}: would unpack to far more than it holds: damaged, or made to fill memory",
                      name);
  }
  return {*bytes, bytes};
}

}  // namespace heed::exchange
