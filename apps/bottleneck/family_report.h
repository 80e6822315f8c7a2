// The report of a family of trained models. Each model that attends gets a page, a picture and a
// table of its attention in its own folder. The family's folder gets BLEU by source length, a row
// for each model with its alignment error and its pronouns where gold is given, and a page that
// shows all of it.
#pragma once

#include <string>
#include <vector>

#include "apps/bottleneck/attention_report.h"
#include "run/config.h"
#include "run/family.h"
#include "run/held_out.h"

namespace heed {

/// The files that write_family_report() writes in the family's folder.
inline const std::vector<std::string> kFamilyReportFiles{
    "lengths.csv", "lengths.svg", "systems.csv", "report.json", "report.html"};

/// Writes them, and attention.html, attention.svg and attention.csv in the folders of the models
/// that attend. All members must be trained. Prints BLEU by length and the row of each model.
/// `baseline` is a member's name, or "". The page shows `command`, the line that a reader types to
/// make the models and the report again. Throws UserError where no source line has words.
void write_family_report(const std::vector<run::FamilyMember>& members, const run::Config& config,
                         const run::TestSet& set, const AttentionGold& gold,
                         const std::string& baseline, const std::string& command);

}  // namespace heed
