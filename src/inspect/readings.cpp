#include "inspect/readings.h"

#include "base/error.h"
#include "decode/search/pieces.h"

namespace heed::inspect {

std::vector<std::string> names_of(const text::Vocabulary& vocabulary, const std::string& line,
                                  const std::vector<int32_t>& ids) {
  std::vector<std::string> names = vocabulary.spell(line, std::ssize(ids));
  names.resize(ids.size());
  names.push_back("</s>");
  return names;
}

std::vector<Reading> readings_of(decode::Translator& translator,
                                 const std::vector<std::string>& sources,
                                 const std::optional<std::vector<std::string>>& targets,
                                 int64_t first_line) {
  if (targets && targets->size() != sources.size())
    throw UserError("attention: {} source lines and {} target lines", sources.size(),
                    targets->size());
  const decode::TranslatorModel& member = translator.first();
  std::vector<decode::Translation> own;
  if (!targets) own = translator.translate(sources, first_line);
  std::vector<Reading> out(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Reading& one = out[i];
    data::Example& example = one.example;
    example.source = member.source.encode(sources[i]);
    if (targets) {
      example.target = member.target.encode((*targets)[i]);
      one.target_text = (*targets)[i];
    } else if (!own[i].hypotheses.empty()) {
      const auto limit = static_cast<std::size_t>(translator.source_limit());
      if (example.source.size() > limit) example.source.resize(limit);  // as it was translated
      example.target = own[i].hypotheses[0].ids;
      one.target_text = own[i].text;
    }
    one.readable =
        targets ? !(example.source.empty() && example.target.empty()) : !own[i].hypotheses.empty();
    const std::string where =
        "attention: line " + std::to_string(first_line + static_cast<int64_t>(i));
    if (targets)
      for (const auto* side : {&example.source, &example.target})
        translator.require_short(std::ssize(*side), where);
    // A cut translation of the longest length has no room for </s> to be read after it.
    const auto longest = static_cast<std::size_t>(translator.longest());
    if (example.target.size() + 1 > longest) example.target.resize(longest - 1);
    one.source_pieces = names_of(member.source, sources[i], example.source);
    one.target_pieces = targets ? names_of(member.target, (*targets)[i], example.target)
                                : decode::piece_names(member.target, example.target);
  }
  return out;
}

}  // namespace heed::inspect
