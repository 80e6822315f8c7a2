#include "run/corpora.h"

#include <nlohmann/json.hpp>

#include "base/log.h"

namespace heed::run {

using nlohmann::json;

namespace {

json to_json(const data::Notice& notice) {
  return {{"count", notice.count}, {"lines", notice.lines}};
}

json to_json(const data::HygieneReport::Set& set) {
  json out = {{"source", set.source},
              {"target", set.target},
              {"pairs", set.pairs},
              {"source_script", text::name_of(set.source_script)},
              {"target_script", text::name_of(set.target_script)}};
  const bool training = set.key.starts_with("data.train");
  for (std::size_t i = 0; i < data::kFlaws; ++i)
    if (training || i != data::index_of(data::Flaw::overlap))
      out[data::flaw_names()[i]] = to_json(set.found[i]);
  for (const auto& [name, notice] : set.traces.by_name()) out["traces"][name] = to_json(notice);
  if (training) return out;
  out["overlap"] = {{"source", to_json(set.source_in_training)},
                    {"target", to_json(set.target_in_training)},
                    {"pair", to_json(set.pair_in_training)}};
  return out;
}

}  // namespace

data::HygieneReport report_corpora(const data::DataConfig& config) {
  data::HygieneReport report = data::check_hygiene(config);
  for (const std::string& line : report.text()) log::info(line);
  return report;
}

std::vector<std::string> first_targets(const data::CorpusFiles& files) {
  constexpr std::size_t kMost = 1000;
  std::vector<std::string> targets;
  data::PairReader reader(files);
  for (data::PairOfLines pair; targets.size() < kMost && reader.next(pair);)
    targets.push_back(std::move(pair.target));
  return targets;
}

std::string to_json(const data::HygieneReport& report) {
  json sets = json::object();
  for (const data::HygieneReport::Set& set : report.sets) sets[set.key] = to_json(set);
  return json{{"clean_ratio", report.ratio}, {"sets", sets}}.dump(2, ' ', false,
                                                                  json::error_handler_t::replace);
}

}  // namespace heed::run
