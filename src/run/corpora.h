// The report on a run's corpora, for the log and as JSON.
#pragma once

#include <string>
#include <vector>

#include "data/hygiene.h"

namespace heed::run {

/// Reads the corpora of the section and logs what is wrong with them.
data::HygieneReport report_corpora(const data::DataConfig& config);

/// The target sides of the first pairs, at most 1,000, for telling the language. Throws as
/// PairReader.
std::vector<std::string> first_targets(const data::CorpusFiles& files);

/// An object that has for each set its files, pairs and scripts, and for each kind of finding a
/// count and the first lines.
std::string to_json(const data::HygieneReport& report);

}  // namespace heed::run
