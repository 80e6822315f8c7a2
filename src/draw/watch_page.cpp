#include <cstddef>
#include <string>

#include "draw/page_data.h"
#include "draw/pages.h"
#include "draw/svg.h"
#include "score/metrics.h"

namespace heed::draw {
namespace {

/// The rows of score/metrics.def as watch.js reads them. There are no decimals where the scale is
/// unknown.
PageData metrics_data() {
  PageData all = PageData::array();
  for (const score::MetricInfo& each : score::kMetrics) {
    const bool any_scale = each.source == score::MetricSource::command;
    all.push_back({{"key", each.key},
                   {"label", each.label},
                   {"axis", each.axis},
                   {"decimals", any_scale ? PageData() : PageData(each.brief)}});
  }
  return all;
}

}  // namespace

std::string watch_page() {
  PageData colours = PageData::array(), inks = PageData::array();
  for (std::size_t i = 0; i < 8; ++i) colours.push_back(series_color(i));
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) inks.push_back(ink(share));
  return render_page("watch", {{"title", "heed watch"},
                               {"served", true},
                               {"colours", colours.dump()},
                               {"ink", inks.dump()},
                               {"metrics", metrics_data().dump()}});
}

}  // namespace heed::draw
