#include "apps/cli/options.h"

#include <cstdint>

#include "base/error.h"
#include "base/strings.h"
#include "data/languages.h"
#include "decode/search/reading.h"
#include "model/description/traits.h"
#include "study/alignment.h"
#include "text/language_tags.h"

namespace heed {

using config::AttentionKind;

namespace {

/// -1 is the mean.
void require_one_of(const std::string& option, int64_t index, int64_t count) {
  if (index < count) return;
  const std::string thing = option.substr(2);
  throw UserError("{}: no {} {}; the model has {}{}, counted from 0", option, thing, index,
                  counted(count, thing), option == "--head" ? " in this layer" : "");
}

}  // namespace

std::vector<int64_t> parse_indices(const std::string& flag, const std::string& text,
                                   const std::string& minus_one) {
  static_assert(decode::kLastLayer == -1 && decode::kMeanOfHeads == -1);
  std::vector<int64_t> indices;
  for (const std::string& part : split(text, ',')) {
    const auto number = exact_number<uint32_t>(part);
    if (part == "all" || part == minus_one)
      indices.push_back(part == "all" ? decode::kEvery : -1);
    else if (number && part.size() < 6)
      indices.push_back(*number);
    else
      throw UserError("{}: '{}' is neither all, {} nor a number counted from 0", flag, part,
                      minus_one);
  }
  return indices;
}

void add_gold_form(CommandLine& command, inspect::GoldForm& form, const Argument* gold) {
  for (Argument flag : {command.flag("--swap-gold", form.swapped,
                                     "The gold file has target-source instead of source-target"),
                        command.flag("--one-based", form.one_based,
                                     "The gold file counts words from 1 instead of 0")})
    if (gold != nullptr) flag.needs(*gold);
}

LanguageOptions LanguageOptions::fitting(const run::Config& config) const {
  const data::LanguagePair own = data::language_pair(config.data);
  const auto chosen = [](const std::string& given, const std::string& code) {
    return text::is_known_language(code) && text::are_other_languages(given, code) ? "" : given;
  };
  return {chosen(source, own.source), chosen(target, own.target)};
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
      .option("--aligned-step", step,
              "Which step gives a word's weights: emits, the one that predicts it, or reads, the "
              "next one, which has it as input; default: the one that was taught, or emits")
      .one_of({"emits", "reads"});
  command.former_option("--step", "--aligned-step", step).one_of({"emits", "reads"});
  command
      .option("--min-weight", least,
              "A word whose largest weight is lower has no link: fewer links, and a larger share "
              "of them is right")
      .between(0.0, 1.0)
      .shows_default("0");
}

void AlignmentOptions::apply(const model::Traits& traits, study::AlignmentChoice& choice) const {
  if (!traits.attends()) return;
  const auto mean_head = [&] { return inspect::mean_head_of(traits, choice.layer); };
  const int64_t layers = traits.layers(AttentionKind::cross);
  const bool mean = head ? *head < 0 : choice.head == mean_head();
  if (layer) choice.layer = *layer < 0 ? layers - 1 : *layer;
  if (mean)
    choice.head = mean_head();
  else if (head)
    choice.head = *head;
  if (!step.empty()) choice.reads = step == "reads";
  require_one_of("--layer", choice.layer, layers);
  require_one_of("--head", choice.head, traits.heads(AttentionKind::cross, choice.layer));
}

}  // namespace heed
