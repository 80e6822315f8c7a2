#include "apps/bench/scale_out_rows.h"

#include "base/strings.h"
#include "run/measuring.h"

namespace heed {
namespace {

template <class Number>
double over_rounds(const std::vector<CostRound>& rounds, const Number& number) {
  std::vector<double> numbers;
  for (const CostRound& round : rounds) numbers.push_back(number(round));
  return run::median(std::move(numbers));
}

}  // namespace

text::Table empty_cost_table() {
  return {{"system", "what", "unit", "one_core", "all_cores"}, {}};
}

void add_costs(text::Table& table, const std::string& system, const std::vector<CostRound>& rounds,
               const std::map<int64_t, study::Connection>& exchanges) {
  const auto add = [&](const std::string& what, const std::string& unit, double one,
                       const std::string& all) {
    table.rows.push_back({system, what, unit, fixed(one, 3), all});
  };
  const auto shared = [&](const std::string& what, double one, double all) {
    add(what, "ms", 1e3 * one, fixed(1e3 * all, 3));
  };
  const auto of = [&](const auto& number) { return over_rounds(rounds, number); };
  const study::UpdateCosts& costs = rounds[0].costs;
  const double slowdown = of([](const CostRound& round) { return round.costs.slowdown; });
  const double forward = of([](const CostRound& round) { return round.forward; });
  const double backward = of([](const CostRound& round) { return round.backward; });
  shared("part, forward", forward, forward * slowdown);
  shared("part, backward", backward, backward * slowdown);
  shared("copy of a gradient", costs.copy.alone, costs.copy.together);
  shared("optimizer", costs.optimizer.alone, costs.optimizer.together);
  add("sum of two gradients", "ms", 1e3 * costs.add, "");
  add("part, made from the corpus", "ms",
      of([](const CostRound& round) { return 1e3 * round.costs.making_batches; }), "");
  add("part", "tokens", of([](const CostRound& round) {
        return round.tokens / static_cast<double>(round.costs.parts.size());
      }),
      "");
  add("gradients, and weights", "MB", costs.bytes / 1e6, "");
  for (const auto& [ranks, connection] : exchanges) {
    const std::string name = "exchange, " + std::to_string(ranks) + " ranks";
    add(name, "GB/s", connection.bytes_per_second / 1e9, "");
    add(name, "us", 1e6 * connection.latency, "");
  }
}

text::Table ScaleOutRows::empty_table() {
  return {{"system", "row", "where", "batch", "cores", "ranks", "parts", "tokens", "update_s",
           "tokens_per_s", "speedup", "efficiency_%", "compute_%", "exchange_%", "optimizer_%",
           "batches_%", "error_%"},
          {}};
}

void ScaleOutRows::add(const std::string& kind, const Place& place, double tokens, double seconds,
                       double rate, Unit& unit, std::vector<std::string> rest) {
  if (unit.cores == 0) unit = {place.cores, rate};
  const double speedup = rate / unit.rate;
  const double more = static_cast<double>(place.cores) / static_cast<double>(unit.cores);
  std::vector<std::string> row = {system_,
                                  kind,
                                  place.where,
                                  place.parts == config_parts_ ? "same" : "larger",
                                  std::to_string(place.cores),
                                  std::to_string(place.ranks),
                                  std::to_string(place.parts),
                                  fixed(tokens, 0),
                                  fixed(seconds, 3),
                                  fixed(rate, 0),
                                  fixed(speedup, 2),
                                  fixed(100 * speedup / more, 1)};
  row.insert(row.end(), rest.begin(), rest.end());
  table_.rows.push_back(std::move(row));
}

void ScaleOutRows::add_measured(int64_t cores, double CostRound::*seconds) {
  const auto of = [&](const auto& number) { return over_rounds(rounds_, number); };
  const double rate = of([&](const CostRound& round) { return round.tokens / (round.*seconds); });
  const Place place{"here", cores, 1, rounds_[0].costs.parts_per_update};
  measured_[{cores, place.parts}] = rate;
  add("measured", place, of([](const CostRound& round) { return round.tokens / round.updates; }),
      of([&](const CostRound& round) { return round.*seconds / round.updates; }), rate,
      measured_unit_, {"", "", "", "", ""});
}

void ScaleOutRows::add_predicted(const Place& place, const Prediction& predict) {
  using Time = study::UpdateTime;
  const auto of = [&](const auto& number) {
    return over_rounds(rounds_,
                       [&](const CostRound& round) { return number(predict(round.costs)); });
  };
  const auto share = [&](const auto& number) {
    return fixed(100 * of([&](const Time& time) { return number(time) / time.seconds(); }), 1);
  };
  const double rate = of([](const Time& time) { return time.tokens_per_second(); });
  const auto found = measured_.find({place.cores, place.parts});
  const bool comparable = place.where == "here" && place.ranks == 1 && found != measured_.end();
  add("predicted", place, of([](const Time& time) { return time.tokens; }),
      of([](const Time& time) { return time.seconds(); }), rate,
      place.where == "GPUs" ? gpu_unit_ : predicted_unit_,
      {share([](const Time& time) { return time.compute + time.tree; }),
       share([](const Time& time) { return time.exchange; }),
       share([](const Time& time) { return time.optimizer; }),
       share([](const Time& time) { return time.making + time.waiting; }),
       comparable ? fixed(100 * (rate / found->second - 1), 1) : ""});
}

}  // namespace heed
