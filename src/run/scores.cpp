#include "run/scores.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "base/signals.h"
#include "base/strings.h"
#include "base/subprocess.h"
#include "config/schema.h"
#include "data/config.h"
#include "decode/search/config.h"
#include "decode/search/lines_request.h"
#include "decode/translator.h"
#include "draw/png.h"
#include "inspect/aligner.h"
#include "inspect/attention_maps.h"
#include "model/model.h"
#include "model/pointer.h"
#include "run/build.h"
#include "run/check.h"
#include "run/config.h"
#include "run/held_out.h"
#include "run/launcher.h"
#include "run/line_models.h"
#include "score/config.h"
#include "score/metrics.h"
#include "score/sacrebleu.h"
#include "study/attention_matrix.h"
#include "text/pairs.h"
#include "text/words.h"
#include "train/config.h"
#include "train/setup.h"
#include "train/validation.h"

namespace heed::run {

namespace fs = std::filesystem;

namespace {

/// A validation set's lines, and what becomes of their translations.
class SetScorer {
  using Lines = std::vector<std::string>;

 public:
  SetScorer(const ModelFolder& folder, const data::CorpusFiles& files, ranks::Group& group)
      : training_(folder.config.training),
        files_(files),
        pairs_(text::read_pairs(files.source, files.target)),
        references_(as_translations(folder.config, pairs_.target)),
        more_references_(files.name.empty()  // data.valid
                             ? read_more_references(folder.config, true, pairs_.source.size())
                             : std::vector<Lines>()),
        metrics_(train::translation_metrics(training_)),
        evaluation_(folder.config.evaluation),
        decoding_(folder.config.decoding),
        folder_(folder.path),
        member_(folder.member()),
        device_(folder.device),
        precision_(folder.precision),
        group_(group) {
    evaluation_.metrics.clear();
    for (const score::Metric metric : metrics_of(score::MetricSource::sacrebleu))
      evaluation_.metrics.push_back(config::name_of(metric));
    decoding_.beam_size = training_.validation_beam;
    decoding_.n_best = 1;
    decoding_.sampling = {};
    decoding_.mbr = 0;
    decoding_.shortlist.clear();  // made of a model that is trained
    decoding_.glossary.clear();
    if (decoding_.batch_size > 0)
      decoding_.batch_size = std::max<int64_t>(64 / decoding_.beam_size, decoding_.batch_size);
    // An untrained model rambles.
    decoding_.max_length_ratio = std::min(2.0, decoding_.max_length_ratio);
    choose_samples();
  }

  std::optional<train::ValidationScores> score(int64_t update) {
    train::ValidationScores scores;
    std::optional<Lines> outputs;
    const auto attempt = [&](auto&& work) {
      try {
        work();
      } catch (const Failure& failure) {
        if (!scores.problem.empty()) scores.problem += "; ";
        scores.problem += failure.what();
      }
    };
    attempt([&] {
      outputs = translate_together(
          group_, lines_, [&](const Lines& lines, int64_t, int64_t) { return translate(lines); });
    });
    if (!scores.problem.empty()) return scores;
    if (!outputs) return std::nullopt;
    // If this fails, the disk is at fault, and the run ends as it does when a checkpoint cannot be
    // written.
    if (group_.leads()) keep(*outputs, update);
    attempt([&] { add_sacrebleu(*outputs, scores.values); });
    attempt([&] {
      for (const score::Metric metric : metrics_of(score::MetricSource::function))
        scores.values[metric] = first_rank_finds(
            group_, [&] { return score::computed(metric, *outputs, references_); });
      for (const score::Metric metric : metrics_of(score::MetricSource::command))
        scores.values[metric] = first_rank_finds(group_, [&] { return command_score(*outputs); });
    });
    return scores;
  }

 private:
  /// Returns the metrics that are computed in this way.
  std::vector<score::Metric> metrics_of(score::MetricSource source) const {
    std::vector<score::Metric> found;
    for (const score::Metric metric : metrics_)
      if (score::info_of(metric).source == source) found.push_back(metric);
    return found;
  }

  /// All lines are translated where a score or all outputs are wanted, else the samples alone.
  void choose_samples() {
    const auto count = std::ssize(pairs_.source);
    const int64_t samples = std::min<int64_t>(training_.validation_samples, count);
    for (int64_t i = 0; i < samples; ++i) samples_.push_back(i * count / samples);
    whole_ = !metrics_.empty() || training_.validation_outputs;
    if (whole_) {
      lines_ = pairs_.source;
    } else {
      for (const int64_t i : samples_) lines_.push_back(pairs_.source[i]);
    }
  }

  std::optional<Lines> translate(const Lines& lines) const {
    decode::Translator translator({member_}, decoding_, device_, precision_);
    const decode::LinesResult result =
        translator.translate({.lines = lines}, {.interrupted = signals::interrupted});
    Lines texts;
    for (const decode::Translation& translation : result.translations)
      texts.push_back(translation.text);
    if (signals::interrupted()) return std::nullopt;
    return texts;
  }

  void keep(const Lines& outputs, int64_t update) const {
    const std::string set = files_.name.empty() ? "" : "." + files_.name;
    const fs::path folder = fs::path(folder_) / kValidations;
    const std::string file = (folder / (std::to_string(update) + set)).string();
    make_folder(folder.string());
    if (training_.validation_outputs) write_lines(file + ".hypothesis", outputs);
    Lines text;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const int64_t line = samples_[i];
      const std::string& output = outputs[whole_ ? line : static_cast<int64_t>(i)];
      const Lines shown{"line       " + std::to_string(line + 1),
                        "source     " + pairs_.source[line], "reference  " + pairs_.target[line],
                        "output     " + output};
      if (set.empty() && i < kLogged)
        for (const std::string& each : shown) log::info("  " + one_line(each, kLongestLogged));
      text.insert(text.end(), shown.begin(), shown.end());
      text.emplace_back();
    }
    if (!text.empty()) write_lines(file + ".txt", text);
    if (set.empty() && member_.model->attends() && !samples_.empty()) keep_attention(file);
  }

  /// While the model reads the reference, so that every validation shows the same words.
  void keep_attention(const std::string& file) const {
    const int64_t line = attended_sample();
    decode::Translator translator({member_}, decoding_, device_, precision_);
    std::vector<std::size_t> long_lines;
    const text::Pairs pair = inspect::without_long_pairs(
        translator, {{pairs_.source[line]}, {pairs_.target[line]}}, line, long_lines);
    const auto maps = inspect::attention_maps(translator, pair.source, pair.target,
                                              {.heads = {inspect::kMeanOfHeads}}, line + 1);
    const auto& matrices = maps.front().matrices;
    if (matrices.empty()) return;  // of a blank line, or of one that is too long
    write_atomic(file + ".attention.json", study::layers_json(matrices) + "\n");
    if (!training_.tensorboard) return;
    // The mean of the layer before the last aligns best (Garg et al. 2019).
    write_atomic(file + ".png",
                 draw::png_heatmap(matrices[matrices.size() > 1 ? matrices.size() - 2 : 0]));
  }

  /// The sample whose length is the nearest to what one sees at a glance.
  int64_t attended_sample() const {
    constexpr int64_t kWords = 12;
    return *std::ranges::min_element(samples_, {}, [&](int64_t line) {
      return std::abs(text::count_words(pairs_.source[line]) - kWords) +
             std::abs(text::count_words(pairs_.target[line]) - kWords);
    });
  }

  void add_sacrebleu(const Lines& outputs, score::MetricValues& scores) {
    const auto value = [&](std::size_t which) {
      return first_rank_finds(group_, [&] {
        if (found_.empty() || which == 0)
          found_ = score::score(outputs, references_, evaluation_, more_references_);
        return found_.at(which).value;
      });
    };
    const std::vector<score::Metric> metrics = metrics_of(score::MetricSource::sacrebleu);
    for (std::size_t i = 0; i < metrics.size(); ++i) scores[metrics[i]] = value(i);
  }

  /// The last line of what it prints, as a number.
  double command_score(const Lines& outputs) const {
    const std::string& command = training_.validation_command;
    const subprocess::Result result = subprocess::run(
        {"sh", "-c", command, "sh", files_.source, files_.target}, join(outputs, "\n") + "\n");
    const std::string what = fmt::format("training.validation_command ({})", command);
    if (result.status != 0)
      throw Failure("{} ended with exit code {}{}", what, result.status,
                    trim(result.err).empty() ? "" : ": " + one_line(trim(result.err)));
    const std::string last(trim(split(trim(result.out), '\n').back()));
    const auto number = exact_number<double>(last);
    if (!number || !std::isfinite(*number))
      throw Failure("{} printed '{}'; its last line must be a number", what, one_line(last));
    return *number;
  }

  static constexpr std::size_t kLogged = 3;
  static constexpr std::size_t kLongestLogged = 4096;  // bytes of a line

  train::TrainConfig training_;
  data::CorpusFiles files_;
  text::Pairs pairs_;
  Lines references_;  // pairs_.target as translations have it
  std::vector<Lines> more_references_;
  std::vector<score::Metric> metrics_;  // of the translations
  score::EvaluationConfig evaluation_;
  decode::DecodeConfig decoding_;
  std::string folder_;
  decode::TranslatorModel member_;
  at::Device device_;
  at::ScalarType precision_;
  ranks::Group& group_;
  std::vector<int64_t> samples_;  // 0-based lines
  bool whole_ = false;
  Lines lines_;  // what is translated
  std::vector<score::Score> found_;
};

/// Translates the test set by all ranks; the first one has all translations.
std::vector<std::string> translated(const ModelFolder& folder, const TestSet& set,
                                    ranks::Group& group) {
  group.begin("the test set was translated");
  const auto hypotheses =
      translate_together(group, set.source, [&](const auto& lines, int64_t first, int64_t step) {
        return translate_all(line_models(folder), lines, {first, step});
      });
  return hypotheses.value_or(std::vector<std::string>());
}

}  // namespace

train::ScoreModel scores_of(const ModelFolder& folder, const data::CorpusFiles& files,
                            ranks::Group& group) {
  const train::TrainConfig& training = folder.config.training;
  if (!validations_translate(training) || files.source.empty()) return {};
  auto scorer = std::make_shared<SetScorer>(folder, files, group);
  return [scorer](model::Model&, int64_t update) { return scorer->score(update); };
}

std::vector<train::ValidationSet> further_sets(const ModelFolder& folder, ranks::Group& group) {
  std::vector<train::ValidationSet> sets;
  for (const data::CorpusFiles& files : folder.config.data.more_valid)
    sets.push_back(
        {files.name, validation_batches(folder, files), scores_of(folder, files, group)});
  return sets;
}

std::vector<std::string> score_test(const ModelFolder& folder, ranks::Group& group) {
  const Config& config = folder.config;
  if (config.data.test.source.empty()) return {};
  const TestSet set = open_test_set(config, "", "");
  const auto hypotheses = translated(folder, set, group);
  std::vector<std::string> scores;
  group.take_time([&] {
    if (!group.leads()) return;
    write_lines(file_in(folder.path, kTestTranslations), hypotheses);
    for (const score::Score& score :
         score::score(hypotheses, set.reference, config.evaluation, set.more_references)) {
      scores.push_back(describe(score));
      log::info("test " + scores.back());
    }
  });
  return scores;
}

BaseScores score_base(const ModelFolder& folder, ranks::Group& group) {
  const std::string& from = folder.config.training.from;
  // A part of it is another model.
  if (from.empty() || !folder.config.training.take.empty()) return {};
  std::vector<score::Score> old, now;
  try {
    const ModelFolder base = open_base(folder);
    if (base.config.data.test.source.empty()) {
      log::info(from + " has no test set: what was forgotten is not measured");
      return {};
    }
    const TestSet set = open_test_set(base.config, "", "");
    // The device may not translate as the base's decoding.weights say.
    const auto before = translated(base, set, group), after = translated(folder, set, group);
    if (!group.leads()) return {};
    old = score::score(before, set.reference, base.config.evaluation, set.more_references);
    now = score::score(after, set.reference, base.config.evaluation, set.more_references);
  } catch (const std::runtime_error& error) {  // of heed's own, and of the file system
    // The training is done, and its own scores are to be kept.
    log::warn("test set of {}: {}; what was forgotten is not measured", from, error.what());
    return {};
  }
  BaseScores scores;
  for (std::size_t i = 0; i < old.size(); ++i) {
    scores.before.push_back(describe(old[i]));
    scores.after.push_back(describe(now[i]));
    log::info("test set of {}: {} {} before, {} after", from, old[i].name, fixed(old[i].value, 2),
              fixed(now[i].value, 2));
  }
  return scores;
}

}  // namespace heed::run
