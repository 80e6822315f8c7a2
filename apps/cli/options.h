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

/// The languages of every command that opens a model.
struct LanguageOptions {
  std::string source, target;

  void add(CommandLine& command) {
    command.option(
        "--source-language", source,
        "Language of the source, such as de; in a model of many, its symbol. The same as "
        "--set data.source_language");
    command.option("--target-language", target, "That of the translations");
  }
  /// Declares the names that they had in commands without files of sources and targets.
  void add_former(CommandLine& command) {
    command.former_option("--source", "--source-language", source);
    command.former_option("--target", "--target-language", target);
  }
  /// As settings of a configuration.
  std::vector<std::string> settings() const {
    std::vector<std::string> out;
    for (const auto& [key, code] : {std::pair("source", source), std::pair("target", target)})
      if (!code.empty())
        out.push_back(fmt::format("data.{}_language={}", key, config::yaml_text(code)));
    return out;
  }
  /// The options without those that contradict a language which the configuration of another model
  /// names: they were not meant for it.
  LanguageOptions fitting(const run::Config& config) const;
};

/// --device, --set and the languages of every command that opens a model.
struct ModelOptions {
  std::string device;
  LanguageOptions languages;
  std::vector<std::string> settings;

  /// Adds these options under the heading Model.
  void add(CommandLine& command) {
    command.group("Model");
    command.option("--device", device, "auto, cpu, cuda or cuda:N; default: the model's `device`");
    command.option("--set", settings,
                   "Change one key of the model's configuration, e.g. --set decoding.beam_size=8; "
                   "may be repeated");
    languages.add(command);
  }
  run::OpenOptions open() const { return open(settings); }
  run::OpenOptions open(std::vector<std::string> changed) const {
    for (std::string& setting : languages.settings()) changed.push_back(std::move(setting));
    return {device, std::move(changed)};
  }
  /// Returns the options of a model of the other direction.
  ModelOptions reversed() const {
    ModelOptions other = *this;
    std::swap(other.languages.source, other.languages.target);
    return other;
  }
};

/// The model of every command that takes an ensemble, too.
inline void add_models(CommandLine& command, std::string& models) {
  command
      .model("model", models,
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
