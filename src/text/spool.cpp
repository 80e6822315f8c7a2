#include "text/spool.h"

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "text/bytes.h"

namespace heed::text {

namespace fs = std::filesystem;

bool is_stream(const std::string& path) {
  // By its name: where a run goes on, there may be no such descriptor.
  for (const std::string_view start : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(start)) return true;
  if (path == "-" || path == "/dev/stdin") return true;
  std::error_code none;
  return fs::is_other(fs::status(path, none));
}

void spool(const std::string& path, const std::string& to) {
  const std::string name = shown_name(path);
  try {
    const auto bytes = open_bytes(path);
    std::vector<char> chunk(1 << 20);
    std::size_t count = bytes->read(chunk.data(), chunk.size());
    if (count == 0) throw UserError(name + " is empty; expected one sentence a line");
    AtomicFile file(to);
    for (; count > 0; count = bytes->read(chunk.data(), chunk.size()))
      file.write({chunk.data(), count});
    file.commit();
  } catch (const BadBytes& error) {
    throw UserError(name + ": " + error.what());
  } catch (const UnreadBytes& error) {
    throw Failure(name + ": " + error.what());
  }
}

}  // namespace heed::text
