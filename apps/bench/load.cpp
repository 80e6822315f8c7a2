// heed bench load CONFIG: how fast a corpus is read, cut into pieces and made into batches, and
// what memory that takes.
#include <memory>

#include "apps/bench/bench.h"
#include "base/strings.h"
#include "data/prefetcher.h"
#include "run/build.h"
#include "run/family.h"

namespace heed {
namespace {

struct LoadArgs {
  std::string config;
  std::vector<std::string> settings;
  int64_t pairs = 0, batches = 1000;
  BenchOptions common;
};

struct Drained {
  double first = 0, seconds = 0;  // until the first batch; of all the others
  int64_t batches = 0, tokens = 0;
  data::Padding padding;
};

/// Takes batches as fast as they come.
Drained drain(const std::shared_ptr<const data::Corpus>& corpus, const run::Config& config,
              int64_t batches) {
  Drained drained;
  std::unique_ptr<data::Prefetcher> prefetcher;
  drained.first = run::seconds_of([&] {
    prefetcher =
        std::make_unique<data::Prefetcher>(data::BatchStream(corpus, run::batch_options(config)));
    prefetcher->next();
  });
  drained.seconds = run::seconds_of([&] {
    for (; drained.batches < batches; ++drained.batches) {
      const auto batch = prefetcher->next();
      if (!batch) break;
      drained.tokens += batch->parts.front().target_tokens();
    }
  });
  drained.padding = prefetcher->padding();
  return drained;
}

void bench_load(const LoadArgs& args) {
  args.common.apply();
  const run::Config config = run::load_config(args.config, args.settings);
  const run::Vocabularies vocabularies = run::share_vocabulary(config);
  const auto files = repeated(config.data.train, args.pairs);
  data::CorpusReading reading = run::training_reading(config);
  reading.scratch = {run::run_folder(config)};
  std::shared_ptr<const data::Corpus> corpus;
  const double seconds = run::seconds_of([&] {
    corpus = std::make_shared<const data::Corpus>(
        data::Corpus::read(files, vocabularies.source, vocabularies.target, reading));
  });
  int64_t pairs = 0;
  for (const data::CorpusReport& report : corpus->reports()) pairs += report.pairs;
  const int64_t after_reading = process_mib("RssAnon");
  const Drained drained = drain(corpus, config, args.batches);
  publish(args.common, "loading",
          {{"pairs", "source_pieces", "target_pieces", "read_s", "pairs_per_s", "disk_mib",
            "memory_mib", "first_batch_s", "batches", "tokens_per_s", "padding_%"},
           {{std::to_string(pairs), std::to_string(corpus->source_pieces()),
             std::to_string(corpus->target_pieces()), fixed(seconds, 1),
             fixed(static_cast<double>(pairs) / seconds, 0),
             fixed(static_cast<double>(corpus->on_disk()) / 1048576, 0),
             std::to_string(std::max(after_reading, process_mib("RssAnon"))),
             fixed(drained.first, 2), std::to_string(drained.batches),
             fixed(static_cast<double>(drained.tokens) / drained.seconds, 0),
             fixed(100 * drained.padding.total(), 1)}}},
          {});
}

}  // namespace

void add_bench_load(CommandLine& bench) {
  auto args = std::make_shared<LoadArgs>();
  CommandLine command = bench.command(
      "load", "Pairs/s read and cut into pieces, target tokens/s made into batches, memory");
  command.option("config", args->config, "A configuration, as for `heed train`").required();
  command.group("Input");
  command.option("--pairs", args->pairs, "Repeat the corpus until it has at least this many pairs")
      .positive();
  command.option("--set", args->settings, "Change one key of the file; may be repeated")
      .one_at_a_time();
  command.group("Measuring");
  command.option("--batches", args->batches, "Batches to make, at most").positive().shows_default();
  args->common.add(command, /*repeated=*/false);
  command.examples({"heed bench load configs/demo.yaml --pairs 10000000",
                    "heed bench load configs/multi30k_quick.yaml --batches 200 -o runs/bench"});
  command.run([args] { bench_load(*args); });
}

}  // namespace heed
