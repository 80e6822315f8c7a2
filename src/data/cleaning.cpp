#include "data/cleaning.h"

#include <algorithm>

namespace heed::data {

bool leaves_out(const DataConfig& config, Flaw flaw) {
  return std::ranges::count(config.clean, config::name_of(flaw)) > 0;
}

Cleaning cleaning_of(const DataConfig& config) {
  Cleaning cleaning{.ratio = config.clean_ratio};
  for (std::size_t i = 0; i < kFlaws; ++i)
    cleaning.flaws[i] = leaves_out(config, static_cast<Flaw>(i));
  for (const CorpusFiles& files : {config.valid, config.test})
    if (!files.source.empty()) cleaning.held_out.push_back(files);
  return cleaning;
}

Cleaner::Cleaner(const Cleaning& cleaning)
    : flaws_(cleaning.flaws), finder_(cleaning.flaws, cleaning.ratio, &held_out_) {
  if (!flaws_[index_of(Flaw::overlap)]) return;
  for (const CorpusFiles& files : cleaning.held_out) {
    PairReader reader(files);
    for (PairOfLines lines; reader.next(lines);) held_out_.add(facts_of(lines));
  }
}

void Cleaner::begin(const CorpusFiles& files) {
  if (!flaws_[index_of(Flaw::script)]) return;
  ScriptCount sources, targets;
  PairReader reader(files);
  for (PairOfLines lines; reader.next(lines);) {
    sources.add(facts_of(lines.source).script);
    targets.add(facts_of(lines.target).script);
  }
  finder_.expect_scripts(sources.most(), targets.most());
}

std::optional<Flaw> Cleaner::flaw_of(const PairOfLines& lines) {
  if (flaws_.none()) return std::nullopt;
  const Flaws found = finder_.find(facts_of(lines));
  for (std::size_t i = 0; i < kFlaws; ++i)
    if (found[i]) return static_cast<Flaw>(i);
  return std::nullopt;
}

}  // namespace heed::data
