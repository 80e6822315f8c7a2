// One --set assignment per line, laid over one another.
#include "config/io.h"
#include "config/toy_config.h"
#include "fuzz/target.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  config::ToyConfig config;
  for (const std::string& line : split(fuzz::text_of(data, size), '\n'))
    fuzz::answers([&] { config::set(config, line); });
  config::ToyConfig again;
  config::load_text(again, config::dump(config), "dumped.yaml");
  return 0;
}
