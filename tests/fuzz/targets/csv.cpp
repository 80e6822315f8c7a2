// Tables that heed bench wrote, which its page shows.
#include "fuzz/target.h"
#include "text/table.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto rows = text::parse_csv(fuzz::text_of(data, size));
  std::string written;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      written += (i ? "," : "") + text::csv_field(row[i]);
    written += '\n';
  }
  expect(text::parse_csv(written) == rows, "a table that is written as another");
  return 0;
}
