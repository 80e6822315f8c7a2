// YAML text of a configuration with every type of field, and what is written of it.
#include "config/io.h"
#include "config/toy_config.h"
#include "fuzz/target.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::answers([&] {
    config::ToyConfig config;
    config::load_text(config, std::string(fuzz::text_of(data, size)), "input.yaml");
    const std::string dumped = config::dump(config);
    config::ToyConfig again;
    config::load_text(again, dumped, "dumped.yaml");
    expect(config::dump(again) == dumped, "a dump that loads to something else");
  });
  return 0;
}
