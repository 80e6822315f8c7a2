// The report of a family, put together.
#pragma once

#include <string>
#include <vector>

#include "apps/bottleneck/attention.h"
#include "draw/report.h"
#include "run/family.h"
#include "run/held_out.h"
#include "score/lengths.h"

namespace heed {

/// What the models are called where people read about them, one for each member: "without
/// attention", "Bahdanau", "Luong general with input feeding", "Transformer"; where two would be
/// the same, with the member's name behind.
std::vector<std::string> titles_of(const std::vector<run::FamilyMember>& members);

/// The report reads by titles, the files of the folder by names.
score::LengthReport titled(score::LengthReport lengths, const std::vector<std::string>& titles);
std::vector<score::SystemOutput> titled(std::vector<score::SystemOutput> outputs,
                                        const std::vector<std::string>& titles);

/// Everything that the outputs tell: title, what the members have in common, curve and sentences.
/// Throws UserError where no source line has words.
draw::Report begin_report(const std::vector<run::FamilyMember>& members,
                          const score::LengthReport& lengths, const run::TestSet& set,
                          const std::vector<score::SystemOutput>& outputs);

/// The loss of all members; by minutes where these are the budget.
draw::Plot learning_of(const std::vector<run::FamilyMember>& members,
                       const std::vector<std::string>& titles, const run::Config& config);

/// What of a model goes to its attention page: the long sentence, then those of other lengths.
std::vector<Translated> sentences_of(const draw::Report& report, const score::SystemOutput& output);

/// What is told of one model.
draw::ReportSystem report_system(const run::FamilyMember& member, const std::string& title,
                                 const run::TestSet& set, const score::SystemOutput& output,
                                 const AttentionScores& attention);

}  // namespace heed
