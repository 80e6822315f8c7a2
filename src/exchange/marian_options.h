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

/// Parses the text up to a NUL, since Marian fills the text in a .npz with NULs. Throws UserError
/// that begins with `place` where it is no YAML.
YAML::Node yaml_in(std::string_view text, const std::string& place);

/// The options of one file. Each function throws UserError that names file and option.
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

  /// Whether the option is absent, or false, 0, "", none or a list without anything else: Marian
  /// writes all of them, and a number where other options have false (lemma-dim-emb: 0).
  bool is_off(const std::string& option) const;
  /// The value as one line.
  std::string shown(const std::string& option) const;
  /// The option's list of texts, also where it is a single text.
  std::vector<std::string> texts(const std::string& option) const;
  std::vector<std::string> names() const;

  const std::string& place() const { return place_; }

 private:
  std::string place_;
  YAML::Node options_;
};

/// The network that was trained with these options. Throws UserError that names the option where
/// heed lacks it. Adds to `notes` the options that heed does not know.
model::ModelConfig network_of_marian(const MarianOptions& options, std::vector<std::string>& notes);

/// Sets the options with which marian-decoder would search, as far as heed has them; adds the
/// others to `notes`. Before the call `search` has the values for options that are absent.
void take_search_of_marian(const MarianOptions& options, decode::DecodeConfig& search,
                           std::vector<std::string>& notes);

/// The search of Firefox, which is that of Bergamot's programs for all their models, as a
/// decoder.yml.
MarianOptions search_of_bergamot();

/// The options of a model that may say which head was taught to align: those in the .npz, and
/// those of MODEL.npz.yml and decoder.yml where the files are there.
struct GuidedOptions {
  const MarianOptions* model;
  const MarianOptions* training = nullptr;
  const MarianOptions* decoder = nullptr;
};

/// Sets the attention that links words if guided alignment taught one: the first head of the layer
/// that transformer-guided-alignment-layer names. Only MODEL.npz.yml says whether there was such a
/// training (pymarian 1.12.42). Without it a layer that is not the usual one, or `alignment` in
/// decoder.yml, counts as a yes; else a note says what Marian's own alignments are. Throws
/// UserError for a layer that the decoder lacks.
void take_alignment_of_marian(const GuidedOptions& options, int64_t decoder_layers,
                              decode::AlignmentConfig& alignment, std::vector<std::string>& notes);

/// Whether decoder.yml allows translations to have <unk>. Throws UserError where its value is
/// neither true nor false.
bool allows_unknown(const MarianOptions& options);

}  // namespace heed::exchange
