// What a model is tested on, and its translations of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/shared/model_folder.h"

namespace heed {

struct TestSet {
  std::string name;  // for messages and titles: the source file
  std::vector<std::string> source, reference;
  std::vector<std::string> files;  // that they were read from
};

/// `source` and `reference` where given, else the config's test (or validation) set. Throws
/// UserError; for a file that is missing it names the key of the configuration in `folder`, where
/// one is given.
TestSet open_test_set(const Config& config, const std::string& source, const std::string& reference,
                      const std::string& folder = "", bool valid = false);

/// The best translation of each line, with progress on a terminal and the rate in the log. The
/// lines' numbers are `first_line`, `first_line` + `step`, and so on.
std::vector<std::string> translate_all(const OpenModels& models,
                                       const std::vector<std::string>& lines,
                                       int64_t first_line = 1, int64_t step = 1);
std::vector<std::string> translate_all(const ModelFolder& folder,
                                       const std::vector<std::string>& lines,
                                       int64_t first_line = 1, int64_t step = 1);

/// The translations of `set` that `heed train` left in the folder of a run. Nothing where the run
/// is not finished, or was tested on something else than the source of `set` as it is now, or this
/// is a stream; the latter two are logged.
std::optional<std::vector<std::string>> left_translations(const std::string& run,
                                                          const TestSet& set);

/// Atomic; a line each.
void write_lines(const std::string& path, const std::vector<std::string>& lines);

}  // namespace heed
