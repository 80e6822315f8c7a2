// A translation memory as the lines of one language.
#include <filesystem>

#include "fuzz/lines.h"
#include "temporary_folder.h"
#include "text/tmx_lines.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const TemporaryFolder folder;
  const fuzz::InputFile input(fuzz::text_of(data, size));
  const std::string link = folder / "m.tmx", path = link + "#en";
  std::filesystem::remove(link);
  std::filesystem::create_symlink(input.path(), link);
  fuzz::answers([&] {
    text::LineReader reader(path);
    for (std::string line; reader.next(line);) {
      expect(line.find_first_of("\n\t") == std::string::npos, "a line end or a tab in a line");
      expect(text::repair(line) == line, "a line that is not clean");
    }
  });
  fuzz::answers([&] {
    text::LineReader reader(text::file_of_lines(path));  // without a language
    for (std::string line; reader.next(line);) {
    }
  });
  return 0;
}
