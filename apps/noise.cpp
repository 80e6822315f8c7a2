// heed noise FILE: a text with the noise of data.noise, to measure what models make of it.
#include "data/noise.h"

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "apps/commands.h"
#include "base/error.h"
#include "base/random.h"
#include "config/schema.h"
#include "data/config.h"
#include "run/held_out.h"
#include "text/lines.h"

namespace heed {
namespace {

struct NoiseArgs {
  std::string file, output;
  int64_t seed = 1;
  data::NoiseConfig noise;
};

void noise(const NoiseArgs& args) {
  data::check({.noise = args.noise});
  if (!is_noisy(args.noise)) throw UserError("no noise is asked for; give some, as in --typos 0.1");
  const auto no_symbol = [](const std::string&) { return false; };
  text::LineReader reader(args.file);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    const uint64_t seed = mix({static_cast<uint64_t>(args.seed), lines.size()});
    lines.push_back(with_noise(args.noise, line, "", seed, no_symbol).source);
  }
  text::require_utf8(reader);
  if (!args.output.empty() && args.output != "-") return run::write_lines(args.output, lines);
  for (const std::string& line : lines) std::cout << line << '\n';
}

}  // namespace

void add_noise(CommandLine& program) {
  auto [command, args] = program.command("noise", noise);
  command.option("file", args->file, "Text, one sentence per line (plain, .gz or .zst)").required();
  command.output("-o,--output", args->output,
                 "File to write the noisy text to; default: standard output");
  command.option("--seed", args->seed,
                 "Decides the noise; the same one gives a text and its translation the same case");
  config::for_each_field<data::NoiseConfig>([&, &noise = args->noise](const auto& field) {
    command.option("--" + std::string(field.key), noise.*field.member, std::string(field.help))
        .between(0.0, 1.0);
  });
  command.examples({"heed noise data/multi30k/test2016.de --typos 0.1 -o typos.de",
                    "heed noise data/multi30k/test2016.en --upper 1 -o capitals.en"});
}

}  // namespace heed
