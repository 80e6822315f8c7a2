// --forms, one pair a line; the last line is a translation.
#include "study/pronouns.h"

#include "fuzz/lines.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::answers([&] {
    auto lines = fuzz::read_clean_lines(fuzz::text_of(data, size));
    if (lines.empty()) return;
    const std::string translation = lines.back();
    lines.pop_back();
    const auto forms = study::parse_forms(lines);
    study::PronounReport report;
    const std::vector<study::Antecedent> one = {{.gender = translation}};
    report.add(one, study::pronoun_genders(translation, forms));
    study::pronoun_table(report);
    study::pronoun_json(report);
    study::require_genders({one}, forms, "antecedents.tsv");
  });
  return 0;
}
