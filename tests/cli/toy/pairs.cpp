// heed pairs SOURCE TARGET -o PAGE: a page on which sentences stand beside their translations.
#include "text/pairs.h"

#include <string>

#include "apps/commands.h"
#include "base/files.h"
#include "draw/pages.h"

namespace heed {
namespace {

struct PairsArgs {
  std::string source, target, output = "pairs.html";
};

void pairs(const PairsArgs& args) {
  require_writable({args.output});
  const text::Pairs read = text::read_pairs(args.source, args.target);
  text::require_pairs(read, args.source);
  write_atomic(args.output, draw::pairs_page(read.source, read.target, args.source));
}

}  // namespace

void add_pairs(CommandLine& program) {
  auto [command, args] = program.command("pairs", pairs);
  command.option("source", args->source, "Sentences, one per line (plain, .gz or .zst)").required();
  command.option("target", args->target, "Their translations, line by line").required();
  command.output("-o,--output", args->output, "HTML page to write");
  command.examples(
      {"heed pairs test.de test.en", "heed pairs test.de runs/demo/test.hypothesis -o page.html"});
}

}  // namespace heed
