// heed count FILE: how long a text is.
#include <cstdint>
#include <iostream>
#include <string>

#include "apps/commands.h"
#include "text/lines.h"
#include "text/words.h"

namespace heed {
namespace {

struct CountArgs {
  std::string file;
};

void count(const CountArgs& args) {
  text::LineReader reader(args.file);
  int64_t lines = 0, words = 0;
  for (std::string line; reader.next(line); ++lines) words += text::count_words(line);
  text::require_utf8(reader);
  std::cout << lines << " lines, " << words << " words\n";
}

}  // namespace

void add_count(CommandLine& program) {
  auto [command, args] = program.command("count", count);
  command.option("file", args->file, "Text, one sentence per line (plain, .gz or .zst)").required();
  command.examples({"heed count data/multi30k/test2016.de", "heed count corpus.en.gz"});
}

}  // namespace heed
