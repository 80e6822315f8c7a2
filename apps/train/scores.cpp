#include "apps/train/scores.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "apps/shared/base_model.h"
#include "apps/shared/pairs.h"
#include "apps/shared/test_set.h"
#include "apps/shared/together.h"
#include "base/error.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/strings.h"
#include "model/model.h"
#include "score/sacrebleu.h"

namespace heed {

namespace fs = std::filesystem;

std::function<std::optional<double>(model::Model&)> bleu_of(const ModelFolder& folder,
                                                            ranks::Group& group) {
  const Config& config = folder.config;
  if (!config.training.validate_bleu) return {};
  auto pairs =
      std::make_shared<Pairs>(read_pairs(config.data.valid.source, config.data.valid.target));
  score::EvaluationConfig evaluation = config.evaluation;
  evaluation.metrics = {"bleu"};
  decode::DecodeConfig greedy = config.decoding;
  greedy.beam_size = greedy.n_best = 1;
  greedy.sampling = {};
  greedy.batch_size = std::max<int64_t>(64, greedy.batch_size);
  greedy.max_length_ratio = std::min(2.0, greedy.max_length_ratio);  // an untrained model rambles
  return [pairs, evaluation, greedy, member = folder.member(), device = folder.device,
          precision = folder.precision, &group](model::Model&) -> std::optional<double> {
    using Lines = std::vector<std::string>;
    const auto translate = [&](const Lines& lines, int64_t) -> std::optional<Lines> {
      decode::Translator translator({member}, greedy, device, precision);
      translator.warn_of_cuts = false;
      translator.interrupted = signals::interrupted;
      Lines texts;
      for (decode::Translation& translation : translator.translate(lines))
        texts.push_back(std::move(translation.text));
      if (signals::interrupted()) return std::nullopt;
      return texts;
    };
    const auto hypotheses = translate_together(group, pairs->source, translate);
    if (!hypotheses) return std::nullopt;
    return first_rank_finds(
        group, [&] { return score::score(*hypotheses, pairs->target, evaluation).front().value; });
  };
}

void check_scorer(const score::EvaluationConfig& evaluation) {
  score::find_sacrebleu();
  try {
    score::check_evaluation(evaluation);
  } catch (const Failure& failure) {
    log::warn(std::string("scores may be missing: ") + failure.what());
  }
}

namespace {

/// By all ranks; whole on the first.
std::vector<std::string> translated(const ModelFolder& folder, const TestSet& set,
                                    ranks::Group& group) {
  group.begin("the test set was translated");
  const auto hypotheses =
      translate_together(group, set.source, [&](const auto& lines, int64_t first_line) {
        return translate_all(folder, lines, first_line);
      });
  return hypotheses.value_or(std::vector<std::string>());
}

}  // namespace

std::vector<std::string> score_test(const ModelFolder& folder, ranks::Group& group) {
  const Config& config = folder.config;
  if (config.data.test.source.empty()) return {};
  const TestSet set = open_test_set(config, "", "");
  const auto hypotheses = translated(folder, set, group);
  if (!group.leads()) return {};
  write_lines((fs::path(folder.path) / "test.hypothesis").string(), hypotheses);
  std::vector<std::string> scores;
  for (const score::Score& score : score::score(hypotheses, set.reference, config.evaluation)) {
    scores.push_back(describe(score));
    log::info("test " + scores.back());
  }
  return scores;
}

BaseScores score_base(const ModelFolder& folder, ranks::Group& group) {
  if (folder.config.training.from.empty()) return {};
  const ModelFolder base = open_base(folder);
  if (base.config.data.test.source.empty()) {
    log::info(base.path + " has no test set: what was forgotten is not measured");
    return {};
  }
  const TestSet set = open_test_set(base.config, "", "");
  const auto before = translated(base, set, group), after = translated(folder, set, group);
  if (!group.leads()) return {};
  const auto old = score::score(before, set.reference, base.config.evaluation);
  const auto now = score::score(after, set.reference, base.config.evaluation);
  BaseScores scores;
  for (std::size_t i = 0; i < old.size(); ++i) {
    scores.before.push_back(describe(old[i]));
    scores.after.push_back(describe(now[i]));
    log::info("test set of " + base.path + ": " + old[i].name + " " + fixed(old[i].value, 2) +
              " before, " + fixed(now[i].value, 2) + " after");
  }
  return scores;
}

}  // namespace heed
