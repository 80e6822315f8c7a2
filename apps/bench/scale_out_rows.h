// The two tables of `heed bench scale-out`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apps/bench/update_costs.h"
#include "study/scale_out.h"
#include "text/table.h"

namespace heed {

/// What the parts of an update cost, as it was measured; `exchanges` here by number of ranks.
text::Table empty_cost_table();
void add_costs(text::Table& table, const std::string& system, const std::vector<CostRound>& rounds,
               const std::map<int64_t, study::Connection>& exchanges);

/// Speeds of one system, measured and predicted: medians over the rounds.
class ScaleOutRows {
 public:
  static text::Table empty_table();
  /// Adds to `table`; all must outlive this object. `parts` are the configuration's.
  ScaleOutRows(const std::string& system, const std::vector<CostRound>& rounds, int64_t parts,
               text::Table& table)
      : system_(system), rounds_(rounds), config_parts_(parts), table_(table) {}

  /// Whole updates here: CostRound::alone_seconds or together_seconds.
  void add_measured(int64_t cores, double CostRound::*seconds);

  struct Place {
    std::string where;  // "here", "GPUs" or other machines
    int64_t cores = 1, ranks = 1, parts = 1;
  };
  using Prediction = std::function<study::UpdateTime(const study::UpdateCosts&)>;
  /// Beside the error where the same was measured.
  void add_predicted(const Place& place, const Prediction& predict);

 private:
  struct Unit {
    int64_t cores = 0;
    double rate = 0;
  };
  void add(const std::string& kind, const Place& place, double tokens, double seconds, double rate,
           Unit& unit, std::vector<std::string> rest);

  const std::string& system_;
  const std::vector<CostRound>& rounds_;
  const int64_t config_parts_;
  text::Table& table_;
  std::map<std::pair<int64_t, int64_t>, double> measured_;  // tokens/s by cores and parts
  Unit measured_unit_, predicted_unit_, gpu_unit_;          // the first row of each: speedup 1
};

}  // namespace heed
