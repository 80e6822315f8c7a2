// Right and wrong translations below one another: a mark and a group a line, with a tab between.
#include "study/contrast.h"

#include "fuzz/lines.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::answers([&] {
    std::vector<std::string> correct, group;
    bool grouped = false;
    for (const std::string& line : fuzz::read_clean_lines(fuzz::text_of(data, size))) {
      const std::size_t tab = line.find('\t');
      correct.push_back(line.substr(0, tab));
      group.push_back(tab == std::string::npos ? "" : line.substr(tab + 1));
      grouped |= tab != std::string::npos;
    }
    if (!grouped) group.clear();
    for (const auto& lines : study::group_contrasts(correct, group, "correct.txt"))
      expect(lines.size() >= 2 && trim(correct.at(lines[0])) == "1",
             "a group without its right one");
  });
  return 0;
}
