// Configurations of other trainers, which are YAML, too. Inside config/ only.
#pragma once

#include <optional>
#include <string>

namespace heed::config {

/// The message for a text with keys of another trainer, at least two of its own, which names the
/// trainer and where heed's names stand; nothing for others. It begins with `name` and the line of
/// the first such key.
std::optional<std::string> flaw_of_other_trainer(const std::string& yaml, const std::string& name);

}  // namespace heed::config
