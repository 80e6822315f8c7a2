// Options that several commands share, declared once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/cli/command_line.h"
#include "config/attention_kind.h"
#include "run/config.h"

namespace heed {

/// --device and --set of every command that opens a model.
struct ModelOptions {
  std::string device;
  std::vector<std::string> settings;

  /// Under the heading Model.
  void add(CommandLine& command) {
    command.group("Model");
    command.option("--device", device, "auto, cpu, cuda or cuda:N; default: the model's `device`");
    command.option("--set", settings,
                   "Change one key of the model's configuration, e.g. --set decoding.beam_size=8; "
                   "may be repeated");
  }
  run::OpenOptions open() const { return {device, settings}; }
  run::OpenOptions open(std::vector<std::string> changed) const {
    return {device, std::move(changed)};
  }
};

/// The model of every command that takes an ensemble, too.
inline void add_models(CommandLine& command, std::string& models) {
  command
      .option("model", models,
              "Folder that `heed train` wrote; several, separated by commas, make an ensemble")
      .required();
}

/// What was chosen by name.
inline std::vector<config::AttentionKind> kinds_of(const std::vector<std::string>& names) {
  std::vector<config::AttentionKind> kinds;
  for (const std::string& name : names) kinds.push_back(config::attention_kind(name).value());
  return kinds;
}

/// --kind of every command that reads attention weights.
inline Argument add_kinds(CommandLine& command, std::vector<std::string>& kinds) {
  return command.list("--kind", kinds, "encoder, decoder or cross; several separated by commas")
      .one_of(config::names_of(config::kAttentionKinds));
}

}  // namespace heed
