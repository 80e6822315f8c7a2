#include "apps/distill/report.h"

#include <cstddef>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "apps/cli/libtorch.h"
#include "base/files.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "decode/search/config.h"
#include "engine/weights.h"
#include "run/line_models.h"
#include "run/saved_config.h"
#include "run/speed.h"
#include "score/bleu_statistics.h"
#include "score/config.h"
#include "score/lengths.h"
#include "score/sacrebleu.h"
#include "text/table.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

/// A model as it is in use: its translations of the test set, how fast it makes them with one
/// thread, and the bytes of its weights.
struct Rated {
  Lines translations;
  double sentences_per_second = 0;
  std::uintmax_t bytes = 0;
};

Rated rate(const std::string& models, run::OpenOptions options, const Lines& sources) {
  options.device = "cpu";
  options.settings.insert(options.settings.begin(), "threads=1");
  const run::LineModels opened = open_line_models(models, options);
  Rated rated{.translations = run::translate_all(opened, sources)};
  const double seconds = run::median_seconds(
      3, [&] { with_logged_warnings(opened.translator->translate({.lines = sources})); });
  rated.sentences_per_second = static_cast<double>(sources.size()) / seconds;
  const bool int8 = decode::is_int8(opened.config.decoding.weights);
  for (const std::string& path : run::model_paths(models)) {
    const std::string file = file_in(path, kWeightsFile);
    rated.bytes += int8 ? engine::packed(engine::read_weights(file)).size() : fs::file_size(file);
  }
  return rated;
}

}  // namespace

void report_student(const DistillArgs& args, const run::Config& teacher, const run::TestSet& set,
                    const DistillationFiles& files, const run::OpenOptions& as_student) {
  const Lines names{"teacher", "student"};
  const Rated rated[] = {rate(args.teacher, args.common.open(), set.source),
                         rate(args.output, as_student, set.source)};
  std::vector<score::SystemOutput> outputs;
  for (std::size_t i = 0; i < names.size(); ++i)
    outputs.push_back({names[i], rated[i].translations});
  const score::LengthReport lengths =
      score::measure_lengths(set.source, set.reference, outputs, teacher.evaluation, names[0]);
  text::Table table{{"model", "BLEU", "95 %", "chrF2", "sentences/s", "MB"}, {}};
  score::EvaluationConfig chrf = teacher.evaluation;
  chrf.metrics = {"chrf"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const score::BucketScore& bleu = lengths.systems[i].all;
    const auto scores = score::score(rated[i].translations, set.reference, chrf);
    table.rows.push_back({names[i], fixed(lengths.systems[i].overall.value, 2),
                          bleu.interval ? fmt::format("{} to {}", fixed(bleu.interval->low, 2),
                                                      fixed(bleu.interval->high, 2))
                                        : "",
                          fixed(scores.front().value, 2), fixed(rated[i].sentences_per_second, 1),
                          fixed(static_cast<double>(rated[i].bytes) / 1e6, 1)});
  }
  write_atomic(files.report, text::table_csv(table));
  std::cout << text::table_text(table);
  std::cout << fmt::format(
      "the student: {} times as fast on one thread of a CPU, {} times as small",
      fixed(rated[1].sentences_per_second / rated[0].sentences_per_second, 1),
      fixed(static_cast<double>(rated[0].bytes) / static_cast<double>(rated[1].bytes), 1));
  if (const auto& change = lengths.systems[1].all.against_baseline)
    std::cout << fmt::format(", BLEU {} ({}), {}", score::with_sign(change->difference, 2),
                             score::with_signs(change->interval, 2),
                             score::p_text(change->p_value));
  std::cout << '\n';
}

}  // namespace heed
