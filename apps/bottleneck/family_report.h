// The report of a family: the attention of its models, each as a page, a picture and a table beside
// the weights, what it is worth beside BLEU, alignments and pronouns, and all of it put together.
#pragma once

#include <string>
#include <vector>

#include "run/config.h"
#include "run/family.h"
#include "run/held_out.h"
#include "study/alignment.h"
#include "study/pronouns.h"
#include "text/pairs.h"

namespace heed {

/// The gold annotations by line; empty where no file of them is given.
struct AttentionGold {
  text::Pairs valid;  // data.valid, which valid_alignments are of
  std::vector<study::GoldAlignment> alignments, valid_alignments;
  std::vector<std::vector<study::Antecedent>> antecedents;
  study::PronounForms forms;
};

/// The files of the config's evaluation.alignments, .valid_alignments and .antecedents, as far as
/// they are given. Throws UserError naming file and line of what is wrong with them.
AttentionGold read_attention_gold(const run::Config& config, const run::TestSet& set);

/// Writes the files of members that are trained: lengths.csv, lengths.svg, systems.csv and
/// report.html in the family's folder, and attention.html, .svg and .csv in those of models that
/// attend. Prints BLEU by length and the systems. `baseline`: a member's name, or "". `command` is
/// how to get all of it again. Throws UserError where no source line has words.
void write_family_report(const std::vector<run::FamilyMember>& members, const run::Config& config,
                         const run::TestSet& set, const AttentionGold& gold,
                         const std::string& baseline, const std::string& command);

}  // namespace heed
