#include "inspect/ablate.h"

#include <map>

#include "base/progress_bar.h"
#include "base/strings.h"

namespace heed::inspect {
namespace {

/// "encoder.0" -> its heads, where there are several.
std::map<std::string, HeadTrial::Heads> by_layer(const HeadTrial::Heads& heads) {
  std::map<std::string, HeadTrial::Heads> layers;
  for (const model::HeadPlace& place : heads) {
    const std::string name = model::name_of(place);
    layers[name.substr(0, name.rfind('.'))].push_back(place);
  }
  std::erase_if(layers, [](const auto& layer) { return layer.second.size() < 2; });
  return layers;
}

}  // namespace

AblatedHeads ablated_heads(HeadTrial& trial, bool translate) {
  std::vector<std::pair<std::string, HeadTrial::Heads>> wanted;
  for (const model::HeadPlace& place : trial.heads())
    wanted.emplace_back(model::name_of(place), HeadTrial::Heads{place});
  for (auto& [name, heads] : by_layer(trial.heads())) wanted.emplace_back(name + ", all", heads);
  ProgressBar bar("heads and layers silenced", std::ssize(wanted));
  const study::Trial whole = trial.trial("nothing", {}, translate);
  std::vector<study::Trial> silenced;
  for (const auto& [name, heads] : wanted) {
    silenced.push_back(trial.trial(name, heads, translate));
    bar.add();
  }
  const auto rows = study::compare_trials(whole, silenced, trial.pieces());
  return {study::ablation_table(whole, rows, trial.pieces()), study::ablation_csv(rows)};
}

}  // namespace heed::inspect
