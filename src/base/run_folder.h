// Names of the files in the folder of a run. Corpora that a run keeps have theirs in
// run/saved_config.h.
#pragma once

#include <filesystem>
#include <string>

namespace heed {

inline constexpr const char* kConfigFile = "config.yaml";
inline constexpr const char* kProvenanceFile = "provenance.json";
inline constexpr const char* kJointVocabulary = "joint.spm";
inline constexpr const char* kSourceVocabulary = "source.spm";
inline constexpr const char* kTargetVocabulary = "target.spm";
inline constexpr const char* kShortlistFile = "shortlist.bin";  // of `heed shortlist`
inline constexpr const char* kWeightsFile = "model.safetensors";
inline constexpr const char* kCheckpoints = "checkpoints";  // a folder, train/checkpoint.h
inline constexpr const char* kMetricsFile = "metrics.jsonl";
inline constexpr const char* kLogFile = "train.log";
inline constexpr const char* kValidations = "validations";  // a folder: samples and translations
inline constexpr const char* kSummaryFile = "summary.json";
inline constexpr const char* kTestTranslations = "test.hypothesis";
inline constexpr const char* kLockFile = ".heed.lock";

inline std::string file_in(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

}  // namespace heed
