// The tab-separated file of heed heads and heed contrast.
#include "fuzz/lines.h"
#include "study/pronouns.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::answers([&] {
    const auto lines = fuzz::read_clean_lines(fuzz::text_of(data, size));
    const auto found = study::parse_antecedents(lines, 5, "antecedents.tsv");
    expect(found.size() == 5, "antecedents of other sentences");
  });
  return 0;
}
