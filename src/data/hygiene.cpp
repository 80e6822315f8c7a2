#include "data/hygiene.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/log.h"
#include "base/progress_bar.h"
#include "base/strings.h"
#include "data/config.h"
#include "data/likeness.h"
#include "data/line_facts.h"
#include "data/pair_reader.h"
#include "text/copies.h"
#include "text/script.h"
#include "text/tsv.h"

namespace heed::data {
namespace {

using nlohmann::json;
using text::Script;

/// Lines in another script than their file. The script of a file is only known at its end, so until
/// then there is a notice for each script.
class ScriptSurvey {
 public:
  void add(const PairFacts& pair, int64_t line) {
    const auto [source, target] = std::pair(pair.source.script, pair.target.script);
    sources_.add(source);
    targets_.add(target);
    lines_[index(source, target)].add(line);
  }

  void finish(HygieneReport::Set& set) const {
    set.source_script = sources_.most();
    set.target_script = targets_.most();
    for (int s = 0; s < text::kScripts; ++s)
      for (int t = 0; t < text::kScripts; ++t) {
        const auto source = static_cast<Script>(s), target = static_cast<Script>(t);
        if (is_of_another_script({.script = source}, set.source_script) ||
            is_of_another_script({.script = target}, set.target_script))
          set.found[index_of(Flaw::script)].merge(lines_[index(source, target)]);
      }
  }

 private:
  static std::size_t index(Script source, Script target) {
    return static_cast<std::size_t>(source) * text::kScripts + static_cast<std::size_t>(target);
  }
  ScriptCount sources_, targets_;
  std::array<Notice, std::size_t{text::kScripts} * text::kScripts> lines_;
};

/// Pairs with equal sides. Whether short ones are a flaw is only known at the end of a file.
class EqualSides {
 public:
  void learn(const PairOfLines& lines) { copies_.learn(lines.source, lines.target); }
  void add(const PairOfLines& lines) {
    lines_[std::min(kLong, text::plain_words(lines.source).size())].add(lines.number);
  }
  void finish(HygieneReport::Set& set) const {
    set.copies = copies_.limit();
    for (std::size_t words = 0; words < lines_.size(); ++words)
      if (words == kLong || !set.copies.may_be_equal(static_cast<int64_t>(words)))
        set.found[index_of(Flaw::identical)].merge(lines_[words]);
  }

 private:
  static constexpr std::size_t kLong = 30;  // words; lines that long are always judged
  text::CopyLearner copies_;
  std::array<Notice, kLong + 1> lines_;  // by words
};

/// Reads a set; `use` sees each pair after its flaws have been counted.
template <class Use>
HygieneReport::Set read_set(const std::string& key, const CorpusFiles& files, bool is_cut,
                            FlawFinder& finder, const Use& use) {
  HygieneReport::Set set{.key = key, .source = files.source, .target = files.target};
  set.traces = Traces(is_cut);
  ScriptSurvey scripts;
  EqualSides equal;
  SlipFinder slips;
  PairReader reader(files, /*aligned=*/true);
  for (PairOfLines lines; reader.next(lines);) {
    const PairFacts pair = facts_of(lines);
    ++set.pairs;
    set.links += std::ssize(lines.links);
    Flaws flaws = finder.find(pair);
    equal.learn(lines);
    if (flaws[index_of(Flaw::identical)]) equal.add(lines);
    flaws.reset(index_of(Flaw::identical));
    for (std::size_t i = 0; flaws.any() && i < kFlaws; ++i)
      if (flaws[i]) set.found[i].add(lines.number);
    scripts.add(pair, lines.number);
    set.traces.add(lines);
    slips.add_source(marks_of(lines.source));
    slips.add_target(marks_of(lines.target));
    use(pair);
  }
  set.damage = reader.damage();
  scripts.finish(set);
  equal.finish(set);
  set.slips = slips.finish();
  return set;
}

/// Returns all flaws but Flaw::script, which is known only at the end of a file.
Flaws all() {
  return Flaws().set().reset(index_of(Flaw::script));
}

/// A validation or test set, with its pairs, which are looked up after the training corpus was
/// read.
struct HeldOutSet {
  HygieneReport::Set set;
  std::vector<PairFacts> pairs;

  void finish(const HeldOut& held_out) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto line = static_cast<int64_t>(i) + 1;
      const PairFacts& pair = pairs[i];
      if (!pair.source.blank() && held_out.has_source(pair)) set.source_in_training.add(line);
      if (!pair.target.blank() && held_out.has_target(pair)) set.target_in_training.add(line);
      if (!pair.blank() && held_out.has_pair(pair)) set.pair_in_training.add(line);
    }
  }
};

json json_of(const Notice& notice) {
  return {{"count", notice.count}, {"lines", notice.lines}};
}

json json_of(const HygieneReport::Set& set) {
  json out = {{"source", set.source},
              {"target", set.target},
              {"pairs", set.pairs},
              {"source_script", text::name_of(set.source_script)},
              {"target_script", text::name_of(set.target_script)}};
  const bool training = set.key.starts_with("data.train");
  for (std::size_t i = 0; i < kFlaws; ++i)
    if (training || i != index_of(Flaw::overlap)) out[flaw_names()[i]] = json_of(set.found[i]);
  for (const auto& [name, notice] : set.traces.by_name()) out["traces"][name] = json_of(notice);
  out["slips"] = json::array();
  for (const Stretch& stretch : set.slips.stretches)
    if (set.slips.any() && !stretch.is_right())
      out["slips"].push_back({{"first", stretch.begin + 1},
                              {"last", stretch.end},
                              {"lag", stretch.in_order ? json(*stretch.lag) : json()}});
  out["damage"] = set.damage;
  if (training) return out;
  out["overlap"] = {{"source", json_of(set.source_in_training)},
                    {"target", json_of(set.target_in_training)},
                    {"pair", json_of(set.pair_in_training)}};
  return out;
}

}  // namespace

HygieneReport check_hygiene(const DataConfig& config) {
  HygieneReport report{.ratio = config.clean_ratio};
  const bool is_cut = is_cut_already(config);
  ProgressBar bar("pairs checked");
  // `overlap` is about data.valid and data.test alone.
  HeldOut held_out, further;
  const auto is_further = [](const std::string& key) { return key.starts_with("data.more_valid"); };
  std::vector<HeldOutSet> tests;
  for (const auto& [key, files] : corpora_of(config)) {
    if (key.starts_with("data.train")) continue;
    HeldOut& these = is_further(key) ? further : held_out;
    FlawFinder finder(all(), config.clean_ratio, nullptr);
    std::vector<PairFacts> pairs;
    auto set = read_set(key, *files, is_cut, finder, [&](const PairFacts& pair) {
      pairs.push_back(pair);
      these.add(pair);
      bar.add();
    });
    tests.push_back({std::move(set), std::move(pairs)});
  }
  FlawFinder finder(all(), config.clean_ratio, &held_out);
  for (std::size_t i = 0; i < config.train.size(); ++i)
    report.sets.push_back(
        read_set(train_key(config, i), config.train[i], is_cut, finder, [&](const PairFacts& pair) {
          further.note(pair);
          bar.add();
        }));
  for (HeldOutSet& test : tests) {
    test.finish(is_further(test.set.key) ? further : held_out);
    report.sets.push_back(std::move(test.set));
  }
  return report;
}

std::vector<HygieneReport::Line> HygieneReport::lines() const {
  std::vector<Line> lines;
  for (const Set& set : sets) {
    const std::size_t head = lines.size();
    const auto add = [&](std::string text) { lines.push_back({.text = std::move(text)}); };
    add(fmt::format("{}: {}, {}{}{}{} + {}", set.key, files_text(set.source, set.target), set.pairs,
                    set.pairs == 1 ? " pair, " : " pairs, ",
                    set.links > 0 ? std::to_string(set.links) + " links of words, " : "",
                    text::name_of(set.source_script), text::name_of(set.target_script)));
    if (set.copies.is_near())
      add(
          fmt::format("  {:.0f} % of the words of a target are words of its source: short pairs "
                      "with equal sides are no flaw",
                      100 * set.copies.usual));
    const auto say = [&](const std::string& what, const Notice& notice) {
      if (notice.count > 0) add(fmt::format("  {}: {}", what, notice.text()));
    };
    say("source also in data.train", set.source_in_training);
    say("target also in data.train", set.target_in_training);
    say("pair also in data.train", set.pair_in_training);
    for (std::size_t i = 0; i < kFlaws; ++i)
      say(describe(static_cast<Flaw>(i), ratio), set.found[i]);
    for (const std::string& trace : set.traces.text()) add("  " + trace);
    for (const std::string& one : set.damage) add("  " + one);
    if (const auto fault = set.slips.fault(set.source, set.target))
      lines.push_back({.text = "  " + fault->message, .is_warning = true});
    if (lines.size() == head + 1) lines[head].text += ": no flaws found";
  }
  return lines;
}

std::vector<std::string> HygieneReport::text() const {
  std::vector<std::string> out;
  for (const Line& line : lines()) out.push_back(line.text);
  return out;
}

std::string HygieneReport::to_json() const {
  json shown = json::object();
  for (const Set& set : sets) shown[set.key] = json_of(set);
  return json{{"clean_ratio", ratio}, {"sets", shown}}.dump(2, ' ', false,
                                                            json::error_handler_t::replace);
}

HygieneReport report_hygiene(const DataConfig& config, const ToldBefore& told) {
  HygieneReport report = check_hygiene(config);
  for (HygieneReport::Set& set : report.sets) {
    if (set.key == "data.test")
      for (const std::string& found : set.damage) log::warn(found);
    set.damage.clear();
    if (told.header) set.traces.forget_header();
    if (told.lines) set.slips = {};
  }
  for (const HygieneReport::Line& line : report.lines())
    if (line.is_warning)
      log::warn(line.text);
    else
      log::info(line.text);
  return report;
}

}  // namespace heed::data
