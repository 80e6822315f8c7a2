// Options that several commands share, declared once.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/shared/model_folder.h"

namespace heed {

/// --device and --set of every command that opens a model.
struct ModelOptions {
  std::string device;
  std::vector<std::string> settings;

  void add(CLI::App& command) {
    command.add_option("--device", device, "auto (default), cpu, cuda or cuda:N");
    command
        .add_option("--set", settings,
                    "Lay one key over the model's config, e.g. --set decoding.beam_size=8")
        ->allow_extra_args(false);
  }
  OpenOptions open() const { return {device, settings}; }
  OpenOptions open(std::vector<std::string> changed) const { return {device, std::move(changed)}; }
};

/// --kind of every command that reads attention weights.
inline CLI::Option* add_kinds(CLI::App& command, std::vector<std::string>& kinds) {
  return command
      .add_option("--kind", kinds, "encoder, decoder or cross; several separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember({"cross", "encoder", "decoder"}));
}

}  // namespace heed
