// A zip archive with the files of a model.
#include "exchange/package.h"

#include "fuzz/target.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::answers([&] {
    const fuzz::InputFile archive(fuzz::text_of(data, size));
    const exchange::Package package(archive.path());
    for (const std::string& file : package.files()) {
      expect(file.front() != '/' && !file.starts_with("../"), "a file outside of the archive");
      fuzz::answers([&] {
        const std::string copy(package.read(file).view);
        expect(copy.size() <= 2000 * size, "a file that is larger than it can be");
      });
    }
  });
  return 0;
}
