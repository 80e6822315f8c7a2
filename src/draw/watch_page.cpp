#include "draw/watch_page.h"

#include <nlohmann/json.hpp>

#include "draw/page/page.h"
#include "draw/palette.h"

namespace heed::draw {

std::string watch_page() {
  nlohmann::json colours = nlohmann::json::array(), inks = nlohmann::json::array();
  for (std::size_t i = 0; i < 8; ++i) colours.push_back(series_color(i));
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) inks.push_back(ink(share));
  const std::string script =
      fill(page_file("watch.js"), {{"@colours@", colours.dump()}, {"@ink@", inks.dump()}});
  return fill(page_file("watch.html"), {{"@style@", page_file("watch.css")},
                                        {"@charts@", page_file("watch_charts.js")},
                                        {"@script@", script}});
}

}  // namespace heed::draw
