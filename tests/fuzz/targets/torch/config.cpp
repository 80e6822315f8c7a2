// The whole configuration, with its rules between keys; lines after a line "--set" are settings.
#include "run/config.h"

#include "config/io.h"
#include "fuzz/target.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::answers([&] {
    const std::string_view text = fuzz::text_of(data, size);
    constexpr std::string_view kSettings = "\n--set\n";
    const std::size_t end = std::min(text.find(kSettings), text.size());
    run::Config config;
    config::load_text(config, std::string(text.substr(0, end)), "input.yaml");
    if (end < text.size())
      for (const std::string& line : split(text.substr(end + kSettings.size()), '\n'))
        config::set(config, line);
    check(config);
    run::Config again;
    config::load_text(again, config::dump(config), "dumped.yaml");
    check(again);
  });
  return 0;
}
