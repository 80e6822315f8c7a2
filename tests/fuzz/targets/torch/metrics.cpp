// metrics.jsonl.
#include "fuzz/target.h"
#include "train/metrics_line.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const std::string& line : split(fuzz::text_of(data, size), '\n')) train::parse_metrics(line);
  return 0;
}
