#include "apps/shared/aligner.h"

#include <algorithm>
#include <utility>

#include "apps/shared/attention_maps.h"
#include "base/error.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/signals.h"
#include "base/strings.h"
#include "model/model.h"
#include "model/transformer/heads.h"
#include "study/symmetrize.h"
#include "text/words.h"

namespace heed {
namespace {

// Every head of every layer of a window is in memory at once.
constexpr std::size_t kWindow = 64;

/// Those with cross-attention.
int64_t layers_of(const model::ModelConfig& config) {
  return config.type == model::ModelType::transformer ? config.decoder_layers : 1;
}

/// 0 where the layer has but one head left: study::AlignmentSweep has no mean there.
int64_t mean_head_of(const model::ModelConfig& config, int64_t layer) {
  return heads_left(config, "cross", layer) > 1 ? decode::kMeanOfHeads : 0;
}

/// -1 is the mean.
void require_one_of(const std::string& option, int64_t given, int64_t count) {
  if (given < count) return;
  const std::string thing = option.substr(2);
  throw UserError(option + ": no " + thing + " " + std::to_string(given) + "; the model has " +
                  counted(count, thing) + (option == "--head" ? " in this layer" : "") +
                  ", counted from 0");
}

/// `name` is that of the gold alignments, `lines` count from 1. Nothing where there are none.
void warn_of_left_out(const std::string& name, const std::vector<std::size_t>& lines,
                      const std::string& why) {
  if (lines.empty()) return;
  log::warn(name + ": " + counted(std::ssize(lines), "line") + " left out, line " +
            std::to_string(lines.front()) + " first: " + why);
}

}  // namespace

study::AlignmentChoice usual_choice(const Config& whole) {
  const model::ModelConfig& config = whole.model;
  const train::TrainConfig& training = whole.training;
  const bool taught = training.guided_alignment > 0;
  const bool reads = taught && training.guided_step == train::GuidedStep::reads;
  if (taught && config.type == model::ModelType::transformer) {
    const int64_t layer = model::decoder_layer(config, training.taught_layer);
    // Heads are counted among those that are left.
    const auto kept = model::kept_heads(config, "cross", layer);
    const auto head = model::place_among(kept, training.taught_head);
    expect(head.has_value(), "the taught head is left");
    return {.layer = layer, .head = *head, .reads = reads};
  }
  const int64_t layer = std::max<int64_t>(layers_of(config) - 2, 0);
  return {.layer = layer, .head = mean_head_of(config, layer), .reads = reads};
}

void AlignmentOptions::add(CommandLine& command) {
  command
      .option("--layer", layer,
              "From 0, or last; default: the one that was taught, or the one before the last")
      .word("last", "-1")
      .between(-1, 99999);
  command.option("--head", head, "From 0, or mean; default: the one that was taught, or mean")
      .word("mean", "-1")
      .between(-1, 99999);
  command
      .option("--step", step,
              "A word's weights are those of the step that emits it or reads it; default: the one "
              "that was taught, or emits")
      .one_of({"emits", "reads"});
  command
      .option(
          "--min-weight", least,
          "A word whose largest weight is lower has no link: fewer links, of which more are right")
      .between(0.0, 1.0)
      .shows_default();
}

void AlignmentOptions::apply(const model::ModelConfig& config,
                             study::AlignmentChoice& choice) const {
  const bool mean = head ? *head < 0 : choice.head == mean_head_of(config, choice.layer);
  if (layer) choice.layer = *layer < 0 ? layers_of(config) - 1 : *layer;
  if (mean)
    choice.head = mean_head_of(config, choice.layer);
  else if (head)
    choice.head = *head;
  if (!step.empty()) choice.reads = step == "reads";
  require_one_of("--layer", choice.layer, layers_of(config));
  require_one_of("--head", choice.head, heads_left(config, "cross", choice.layer));
}

void GoldForm::add(CommandLine& command, const Argument* gold) {
  for (Argument flag :
       {command.flag("--swap-gold", swapped,
                     "The gold file has target-source instead of source-target"),
        command.flag("--one-based", one_based, "The gold file counts words from 1 instead of 0")})
    if (gold != nullptr) flag.needs(*gold);
}

std::vector<study::GoldAlignment> read_gold(const std::string& path, const Pairs& pairs,
                                            const GoldForm& form) {
  if (path.empty()) return {};
  const std::vector<std::string> text = read_lines(path);
  require_equal_lines("the source", pairs.source.size(), path, text.size());
  std::vector<study::GoldAlignment> gold;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string where = path + ":" + std::to_string(i + 1);
    gold.push_back(study::parse_pharaoh(text[i], where, form.one_based));
    if (form.swapped)
      gold.back() = {study::turned_round(gold.back().sure),
                     study::turned_round(gold.back().possible)};
    study::require_inside(gold.back(), static_cast<std::size_t>(text::count_words(pairs.source[i])),
                          static_cast<std::size_t>(text::count_words(pairs.target[i])), where,
                          form.one_based);
  }
  return gold;
}

const study::GoldAlignment* ComparableGold::of(std::size_t line,
                                               const std::vector<study::AttentionMatrix>& pieces,
                                               const std::string& source,
                                               const std::string& target) {
  if (gold_.empty() || pieces.empty()) return nullptr;
  if (keeps_words(pieces, source, target)) return &gold_[line];
  left_out_.push_back(line + 1);
  return nullptr;
}

void ComparableGold::tell(const std::string& model) const {
  warn_of_left_out(name_, left_out_,
                   "the vocabulary of " + model + " finds other words there than the text has");
}

Pairs without_long_pairs(const decode::Translator& translator, Pairs pairs, std::size_t first,
                         std::vector<std::size_t>& left_out) {
  const decode::Member& member = translator.first();
  const int64_t most = translator.pair_limit();
  for (std::size_t i = 0; i < pairs.source.size(); ++i) {
    if (std::ssize(member.source.encode(pairs.source[i], most)) <= most &&
        std::ssize(member.target.encode(pairs.target[i], most)) <= most)
      continue;
    left_out.push_back(first + i + 1);
    pairs.source[i].clear();
    pairs.target[i].clear();
  }
  return pairs;
}

Pairs without_long_pairs(const decode::Translator& translator, Pairs pairs,
                         const std::string& name) {
  std::vector<std::size_t> left_out;
  pairs = without_long_pairs(translator, std::move(pairs), 0, left_out);
  warn_of_left_out(name, left_out,
                   "a side has more than " + std::to_string(translator.pair_limit()) + " pieces");
  return pairs;
}

Aligner::Aligner(ModelFolder folder)
    : folder_(std::move(folder)), translator_(folder_.translator()) {
  if (!folder_.model->attends())
    throw UserError(path() + ": this model has no attention to align by (model.attention: none)");
  choice = usual_choice(folder_.config);
}

study::AlignmentSweep Aligner::sweep(const Pairs& given,
                                     const std::vector<study::GoldAlignment>& gold,
                                     const std::string& gold_name) {
  const Pairs pairs = without_long_pairs(translator_, given, gold_name);
  study::AlignmentSweep sweep(least);
  ComparableGold comparable(gold, gold_name);
  ProgressBar bar("sentences measured", std::ssize(pairs.source));
  for (const PairWindow& window : windows_of(pairs, kWindow)) {
    const auto sentences =
        decode::attention_maps(translator_, window.pairs.source, window.pairs.target, {},
                               static_cast<int64_t>(window.first) + 1);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const std::size_t line = window.first + i;
      const auto matrices = to_matrices(sentences[i], static_cast<int64_t>(line) + 1);
      const auto* known =
          comparable.of(line, matrices, window.pairs.source[i], window.pairs.target[i]);
      if (known != nullptr) sweep.add(matrices, *known, gold_name + ":" + std::to_string(line + 1));
    }
    bar.add(static_cast<double>(sentences.size()));
    signals::stop_if_interrupted();
  }
  comparable.tell(path());
  return sweep;
}

int64_t Aligner::longest() const {
  return translator_.pair_limit();
}

bool Aligner::has_links(std::size_t line) const {
  return !std::ranges::binary_search(odd_lines_, line + 1) &&
         !std::ranges::binary_search(long_lines_, line + 1);
}

std::vector<study::Alignment> Aligner::align(const Pairs& given, std::size_t first) {
  const Pairs pairs = without_long_pairs(translator_, given, first, long_lines_);
  const decode::AttentionRequest request{.layers = {choice.layer}, .heads = {choice.head}};
  std::vector<study::Alignment> alignments;
  const auto sentences = decode::attention_maps(translator_, pairs.source, pairs.target, request,
                                                static_cast<int64_t>(first) + 1);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto matrices = to_matrices(sentences[i], static_cast<int64_t>(first + i) + 1);
    alignments.emplace_back();
    if (matrices.empty()) continue;
    alignments.back() = study::word_alignment(matrices.front(), choice.reads, least);
    if (keeps_words(matrices, pairs.source[i], pairs.target[i])) continue;
    odd_lines_.push_back(first + i + 1);
    alignments.back().clear();
  }
  return alignments;
}

}  // namespace heed
