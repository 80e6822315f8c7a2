// Options of commands that look into models.
#pragma once

#include <optional>
#include <string>

#include "apps/cli/command_line.h"
#include "inspect/details.h"

namespace heed {

/// Declares --swap-gold and --one-based, which need `gold` where it is given.
void add_gold_form(CommandLine& command, inspect::GoldForm& form, const Argument* gold = nullptr);

/// --layer, --head, --step and --min-weight of every command that aligns words.
struct AlignmentOptions {
  std::optional<int64_t> layer, head;
  std::string step;
  double least = 0;

  bool chosen() const { return layer || head || !step.empty(); }
  void add(CommandLine& command);
  /// What is given, in place of what `choice` says. The mean of one layer's heads becomes that of
  /// another's. Nothing for a model that does not attend.
  void apply(const model::Traits& traits, study::AlignmentChoice& choice) const;
};

}  // namespace heed
