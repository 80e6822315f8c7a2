// What pronouns stand for: the gold file of `heed heads` and `heed pronouns`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heed::study {

/// Word positions, from 0.
struct Antecedent {
  std::size_t pronoun = 0, antecedent = 0;  // in the source
  std::size_t target_pronoun = 0;           // of its translation, in the reference
  std::string gender;   // of the antecedent in the target language: m, f, n, ...; may be blank
  std::size_t row = 0;  // line of the gold file, from 1
};

/// Tab-separated lines under a header that names the columns line, pronoun, antecedent,
/// target_pronoun and gender, in any order, others ignored; all numbers count from 0. Returns the
/// antecedents of each of `sentences` lines, by the pronoun's place. Throws UserError naming
/// `name`, the line and what is wrong with it.
std::vector<std::vector<Antecedent>> parse_antecedents(const std::vector<std::string>& lines,
                                                       std::size_t sentences,
                                                       const std::string& name);

}  // namespace heed::study
