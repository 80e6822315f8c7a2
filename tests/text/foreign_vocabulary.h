// Vocabularies that heed does not train itself but reads: with user-defined symbols or pieces for
// bytes.
#pragma once

#include <sentencepiece_trainer.h>

#include <stdexcept>
#include <string>
#include <unordered_map>

#include "temporary_folder.h"
#include "text/vocabulary.h"

namespace heed::text {

/// Trains with SentencePiece on `lines`; `settings` lie over heed's special ids and "identity".
inline Vocabulary foreign_vocabulary(const TemporaryFolder& folder, const std::string& lines,
                                     const std::unordered_map<std::string, std::string>& settings) {
  std::unordered_map<std::string, std::string> all = {{"input", folder.write("lines", lines)},
                                                      {"model_prefix", folder / "foreign"},
                                                      {"pad_id", std::to_string(kPad)},
                                                      {"unk_id", std::to_string(kUnknown)},
                                                      {"bos_id", std::to_string(kBegin)},
                                                      {"eos_id", std::to_string(kEnd)},
                                                      {"normalization_rule_name", "identity"},
                                                      {"hard_vocab_limit", "false"},
                                                      {"minloglevel", "3"}};
  for (const auto& [key, value] : settings) all[key] = value;
  const auto status = sentencepiece::SentencePieceTrainer::Train(all);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  return Vocabulary::load(folder / "foreign.model");
}

}  // namespace heed::text
