// The options of Marian: those that a model was trained with, and those of decoder.yml. Inside
// exchange/ only.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "decode/search/config.h"
#include "model/description/config.h"

namespace heed::exchange {

/// Up to a NUL: Marian fills the text in a .npz with them. Throws UserError that begins with
/// `place` where it is no YAML.
YAML::Node yaml_in(std::string_view text, const std::string& place);

/// Everything throws UserError that names file and option.
class MarianOptions {
 public:
  /// `place` begins messages.
  MarianOptions(std::string_view text, std::string place);

  template <class Value>
  Value get(const std::string& option, const Value& otherwise) const {
    const YAML::Node value = options_[option];
    if (!value || value.IsNull()) return otherwise;
    try {
      return value.as<Value>();
    } catch (const YAML::Exception&) {
      throw UserError("{}: option {} has a value of another kind", place_, option);
    }
  }

  /// Absent, or false, 0, "", none or a list without anything else: Marian writes all of them, and
  /// a number where other options have false (lemma-dim-emb: 0).
  bool is_off(const std::string& option) const;
  /// The value as one line.
  std::string shown(const std::string& option) const;
  /// A list of texts, also where a single one stands.
  std::vector<std::string> texts(const std::string& option) const;
  std::vector<std::string> names() const;

  const std::string& place() const { return place_; }

 private:
  std::string place_;
  YAML::Node options_;
};

/// The network that was trained with these options. Throws UserError that names the option where
/// heed lacks it. Adds to `notes` what heed knows nothing about.
model::ModelConfig network_of_marian(const MarianOptions& options, std::vector<std::string>& notes);

/// What marian-decoder would search with, as far as heed has it; adds the rest to `notes`.
/// `search` has what holds without these options.
void take_search_of_marian(const MarianOptions& options, decode::DecodeConfig& search,
                           std::vector<std::string>& notes);

/// Whether decoder.yml allows translations to have <unk>.
bool allows_unknown(const MarianOptions& options);

}  // namespace heed::exchange
