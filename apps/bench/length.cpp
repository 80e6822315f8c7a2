// heed bench length MODEL...: what a target piece costs against the length of the source. Attention
// over a sentence of n pieces is n dot products a step: what grows, and how fast, shows here.
#include <algorithm>
#include <memory>
#include <utility>

#include "apps/bench/bench.h"
#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "decode/translator.h"
#include "model/model.h"
#include "run/model_folder.h"
#include "text/lines.h"

namespace heed {
namespace {

struct LengthArgs {
  std::vector<std::string> models;
  std::string source, device;
  std::vector<int64_t> lengths = {16, 32, 64, 128, 256};
  int64_t sentences = 32, beam = 5;
  BenchOptions common;
};

// A step's cost is a difference: what the encoder takes is in both, and much more of it than a few
// steps.
constexpr int64_t kShort = 16, kLong = 144;

/// Sentences of so many pieces, made of the file's lines one after the other. Translator cuts them
/// at exactly that.
std::vector<std::string> sentences_of(const run::ModelFolder& folder, const LengthArgs& args,
                                      int64_t length) {
  const std::string path = source_to_translate(args.source, folder.config.data.test.source);
  if (length >= folder.model->longest())
    throw UserError("--lengths: {} takes no source of {} pieces; the most is {}", folder.path,
                    length, folder.model->longest() - 1);
  std::vector<std::string> sentences;
  bool found = false;  // a piece, since the file's beginning
  auto reader = std::make_unique<text::LineReader>(path);
  while (std::ssize(sentences) < args.sentences) {
    std::string sentence, line;
    for (int64_t pieces = 0; pieces < length;) {
      if (!reader->next(line)) {
        if (!std::exchange(found, false)) throw UserError(path + ": has no lines to translate");
        reader = std::make_unique<text::LineReader>(path);
        continue;
      }
      const auto ids = folder.source.encode(line);
      found = found || !ids.empty();
      pieces += std::ssize(ids);
      sentence += (sentence.empty() ? "" : " ") + line;
    }
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

/// The longer of the two targets: kLong, or as long as the model's positions go.
int64_t long_target(const run::ModelFolder& folder) {
  const int64_t most = folder.model->longest() - 1;
  if (most <= kShort)
    throw UserError("{}: model.max_positions ends at {} pieces; the shorter of two targets has {}",
                    folder.path, most + 1, kShort);
  return std::min(kLong, most);
}

/// Seconds of translating the sentences into `target` pieces each.
double seconds(const run::ModelFolder& folder, const LengthArgs& args,
               const std::vector<std::string>& lines, int64_t length, int64_t target) {
  decode::DecodeConfig config = folder.config.decoding;
  config.beam_size = args.beam;
  config.n_best = 1;
  config.batch_size = std::ssize(lines);
  config.max_source_length = length;
  config.min_length = target - 1;  // and one more, be it the end
  config.max_length_ratio =
      std::max(0.0, static_cast<double>(target - 10) / static_cast<double>(length));
  decode::Translator translator({folder.member()}, config, folder.device, folder.precision);
  translator.warn_of_cuts = false;
  return run::median_seconds(args.common.repeats, [&] { translator.translate(lines); });
}

void bench_length(const LengthArgs& args) {
  const std::vector<std::string> names = distinct_names(args.models);
  text::Table table{{"system", "length", "ms_per_piece", "of_first"}, {}};
  draw::Plot plot = plot_over(args.lengths,
                              fmt::format("Decoding time of a piece, {} sentences at once, beam {}",
                                          args.sentences, args.beam),
                              "pieces of the source", "milliseconds", /*log_values=*/false);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const run::ModelFolder folder = run::open_model(args.models[i], {args.device, {}});
    args.common.apply();  // opening it set those of its config
    draw::PlotLine line{.name = names[i]};
    const int64_t target = long_target(folder);
    for (const int64_t length : args.lengths) {
      const auto lines = sentences_of(folder, args, length);
      const double steps = seconds(folder, args, lines, length, target) -
                           seconds(folder, args, lines, length, kShort);
      const double cost = 1000 * steps / static_cast<double>((target - kShort) * args.sentences);
      line.add(std::max(0.0, cost));
      table.rows.push_back({line.name, std::to_string(length), fixed(cost, 4),
                            fixed(cost / line.points.front().value, 2)});
    }
    plot.lines.push_back(std::move(line));
  }
  publish(args.common, "length", table, {plot});
}

}  // namespace

void add_bench_length(CommandLine& bench) {
  auto [command, args] =
      bench.command<LengthArgs>("length", "Decoding time of a target piece by source length");
  command.option("models", args->models, "Folders that `heed train` wrote").required();
  command.group("Input");
  command.option("--source", args->source, "Lines to make sentences of; default: the test set");
  command.option("--lengths", args->lengths, "Source lengths in pieces, separated by commas")
      .separated_by(',')
      .between(8, 100000);
  command.group("Search");
  command.option("--sentences", args->sentences, "Sentences translated together").positive();
  command.option("--beam", args->beam, "Hypotheses kept at each step").positive();
  command.group("Model");
  command.option("--device", args->device,
                 "auto, cpu, cuda or cuda:N; default: the model's `device`");
  args->common.add(command, /*repeated=*/true);
  command.examples({"heed bench length runs/demo/bahdanau runs/demo/transformer",
                    "heed bench length runs/multi30k_quick --lengths 16,64,256 -o runs/bench"});
  command.run(args, bench_length);
}

}  // namespace heed
