#include "data/flaws.h"

#include <algorithm>
#include <cstddef>

#include "config/schema.h"
#include "data/pair_reader.h"
#include "text/script.h"

namespace heed::data {
namespace {

using text::Script;

bool is_out_of_ratio(const PairFacts& pair, double ratio) {
  const auto [shorter, longer] = std::minmax(pair.source.characters, pair.target.characters);
  return static_cast<double>(longer) > ratio * static_cast<double>(shorter);
}

}  // namespace

std::string describe(Flaw flaw, double ratio) {
  switch (flaw) {
    case Flaw::duplicates:
      return "the same as an earlier pair";
    case Flaw::empty:
      return "a side is blank";
    case Flaw::identical:
      return "both sides are the same";
    case Flaw::overlap:
      return "a side is also in data.valid or data.test";
    case Flaw::ratio:
      return fmt::format("a side has more than {} times the characters of the other",
                         config::number_text(ratio));
    case Flaw::script:
      return "a side is not in the script of its file";
    case Flaw::encoding:
      return "characters were damaged by a wrong encoding";
  }
  return "";
}

void HeldOut::add(const PairFacts& pair) {
  if (!pair.source.blank()) sources_.try_emplace(pair.source.hash);
  if (!pair.target.blank()) targets_.try_emplace(pair.target.hash);
  if (!pair.blank()) pairs_.try_emplace(pair.hash());
}

bool HeldOut::note(const PairFacts& pair) {
  const auto found = [](auto& set, uint64_t hash) {
    const auto at = set.find(hash);
    if (at != set.end()) at->second = true;
    return at != set.end();
  };
  const bool source = found(sources_, pair.source.hash);
  const bool target = found(targets_, pair.target.hash);
  if (source && target) found(pairs_, pair.hash());
  return source || target;
}

Flaws FlawFinder::find(const PairFacts& pair) {
  Flaws flaws;
  const auto wants = [&](Flaw flaw) { return flaws_to_find_[index_of(flaw)]; };
  const auto set = [&](Flaw flaw, bool is) { flaws[index_of(flaw)] = is; };
  if (wants(Flaw::encoding)) set(Flaw::encoding, pair.source.damaged || pair.target.damaged);
  if (wants(Flaw::script))
    set(Flaw::script,
        is_of_another_script(pair.source, source_) || is_of_another_script(pair.target, target_));
  if (wants(Flaw::overlap) && held_out_ != nullptr) set(Flaw::overlap, held_out_->note(pair));
  if (pair.blank()) {  // a blank pair counts as different from any other
    if (wants(Flaw::empty)) set(Flaw::empty, true);
    return flaws;
  }
  if (wants(Flaw::duplicates)) set(Flaw::duplicates, !seen_.insert(pair.hash()));
  if (wants(Flaw::identical)) set(Flaw::identical, pair.source.hash == pair.target.hash);
  if (wants(Flaw::ratio)) set(Flaw::ratio, is_out_of_ratio(pair, ratio_));
  return flaws;
}

Script ScriptCount::most() const {
  const auto most = std::max_element(lines_.begin() + 1, lines_.end());
  return *most == 0 ? Script::none : static_cast<Script>(most - lines_.begin());
}

bool is_of_another_script(const LineFacts& line, Script expected) {
  return expected != Script::none && line.script != Script::none && line.script != expected;
}

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
  if (!flaws_[index_of(Flaw::script)] && !flaws_[index_of(Flaw::identical)]) return;
  ScriptCount sources, targets;
  text::CopyLearner copies;
  PairReader reader(files);
  for (PairOfLines lines; reader.next(lines);) {
    sources.add(facts_of(lines.source).script);
    targets.add(facts_of(lines.target).script);
    copies.learn(lines.source, lines.target);
  }
  copies_ = copies.limit();
  finder_.expect_scripts(sources.most(), targets.most());
}

std::optional<Flaw> Cleaner::flaw_of(const PairOfLines& lines) {
  if (flaws_.none()) return std::nullopt;
  Flaws found = finder_.find(facts_of(lines));
  if (found[index_of(Flaw::identical)] &&
      copies_.may_be_equal(std::ssize(text::plain_words(lines.source))))
    found.reset(index_of(Flaw::identical));
  for (std::size_t i = 0; i < kFlaws; ++i)
    if (found[i]) return static_cast<Flaw>(i);
  return std::nullopt;
}

}  // namespace heed::data
