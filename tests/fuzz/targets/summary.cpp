// summary.json of a finished run.
#include "run/summary.h"

#include "fuzz/target.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::answers([&] {
    const fuzz::InputFile file(fuzz::text_of(data, size));
    const run::Summary summary = run::Summary::read(file.path());
    const std::string text = summary.to_json({}, {});
    const fuzz::InputFile written(text);
    expect(run::Summary::read(written.path()).to_json({}, {}) == text,
           "a summary that is written as another");
  });
  return 0;
}
