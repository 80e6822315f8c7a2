// Options that several commands share, declared once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/command_line.h"
#include "config/attention_kind.h"
#include "config/yaml.h"
#include "inspect/details.h"
#include "model/description/traits.h"
#include "run/config.h"
#include "study/alignment.h"

namespace heed {

/// --device, --set and the languages of every command that opens a model.
struct ModelOptions {
  std::string device, source_language, target_language;
  std::vector<std::string> settings;

  /// Adds these options under the heading Model.
  void add(CommandLine& command) {
    command.group("Model");
    command.option("--device", device, "auto, cpu, cuda or cuda:N; default: the model's `device`");
    command.option("--set", settings,
                   "Change one key of the model's configuration, e.g. --set decoding.beam_size=8; "
                   "may be repeated");
    command.option(
        "--source-language", source_language,
        "Language of the source, for a model of many; the same as --set data.source_language");
    command.option("--target-language", target_language, "That of the translations");
  }
  run::OpenOptions open() const { return open(settings); }
  run::OpenOptions open(std::vector<std::string> changed) const {
    for (auto [key, code] :
         {std::pair("source", source_language), std::pair("target", target_language)})
      if (!code.empty())
        changed.push_back(fmt::format("data.{}_language={}", key, config::yaml_text(code)));
    return {device, std::move(changed)};
  }
  /// Returns the options of a model of the other direction.
  ModelOptions reversed() const {
    ModelOptions other = *this;
    std::swap(other.source_language, other.target_language);
    return other;
  }
};

/// The model of every command that takes an ensemble, too.
inline void add_models(CommandLine& command, std::string& models) {
  command
      .option("model", models,
              "Folder that `heed train` wrote; several, separated by commas, make an ensemble")
      .required();
}

/// Returns the kinds of attention that were chosen by name.
inline std::vector<config::AttentionKind> kinds_of(const std::vector<std::string>& names) {
  std::vector<config::AttentionKind> kinds;
  for (const std::string& name : names) kinds.push_back(config::attention_kind(name).value());
  return kinds;
}

/// Layers or heads: "all", `minus_one` ("last" or "mean"), and numbers from 0, separated by commas.
std::vector<int64_t> parse_indices(const std::string& flag, const std::string& text,
                                   const std::string& minus_one);

/// Declares --swap-gold and --one-based, which need `gold` where it is given.
void add_gold_form(CommandLine& command, inspect::GoldForm& form, const Argument* gold = nullptr);

/// --layer, --head, --aligned-step and --min-weight of every command that aligns words.
struct AlignmentOptions {
  std::optional<int64_t> layer, head;
  std::string step;
  double least = 0;

  bool chosen() const { return layer || head || !step.empty(); }
  void add(CommandLine& command);
  /// Replaces the parts of `choice` that were given on the command line. The mean of one layer's
  /// heads becomes that of another layer's. Does nothing for a model that does not attend.
  void apply(const model::Traits& traits, study::AlignmentChoice& choice) const;
};

}  // namespace heed
