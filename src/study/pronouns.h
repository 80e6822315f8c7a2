// The antecedents of pronouns, and whether a model's own translations give pronouns the gender of
// their antecedents.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "score/bleu_statistics.h"

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
/// antecedents of each of `sentences` lines, by the pronoun's position. Throws UserError naming
/// `name`, the line and what is wrong with it.
std::vector<std::vector<Antecedent>> parse_antecedents(const std::vector<std::string>& lines,
                                                       std::size_t sentences,
                                                       const std::string& name);

/// Form in lower case -> gender.
using PronounForms = std::map<std::string, std::string>;

/// "m=elo", "f=ela", ...; a gender may have several forms. Blanks around both parts do not count,
/// nor does the punctuation around a form. Throws UserError for a pair without `=`, an empty part,
/// a form of several words, or a form with two genders; `key` is what the message names.
PronounForms parse_forms(const std::vector<std::string>& pairs, const std::string& key = "--forms");

/// Throws UserError, before minutes of translating, where the pronouns of the gold file `name`
/// could not be scored: it has none, or one of them has no gender, or a gender without a form.
void require_genders(const std::vector<std::vector<Antecedent>>& gold, const PronounForms& forms,
                     const std::string& name);

/// The genders of the pronouns in a text, in order: words that are forms, whatever their case and
/// the punctuation around them.
std::vector<std::string> pronoun_genders(std::string_view text, const PronounForms& forms);

/// The k-th pronoun of a translation stands for the k-th one of its source. A sentence whose
/// translation has more or fewer pronouns than its source has none right: nobody can say which is
/// which.
class PronounReport {
 public:
  /// One sentence: its pronouns by position, and the genders in its translation.
  void add(std::span<const Antecedent> pronouns, const std::vector<std::string>& genders);

  const score::Proportion& all() const { return all_; }  // pronouns
  /// Returns the counts by the gender of the antecedent.
  const std::map<std::string, score::Proportion>& by_gender() const { return by_gender_; }
  /// (gender of the antecedent, gender that was written or "" where the counts differ) -> pronouns.
  const std::map<std::pair<std::string, std::string>, std::size_t>& written() const {
    return written_;
  }

  /// The share that a model would get by always writing the most frequent gender.
  score::Proportion most_frequent() const;

 private:
  score::Proportion all_;
  std::map<std::string, score::Proportion> by_gender_;
  std::map<std::pair<std::string, std::string>, std::size_t> written_;
};

std::string pronoun_table(const PronounReport& report);
std::string pronoun_json(const PronounReport& report);

}  // namespace heed::study
