#include "draw/watch_page.h"

#include "draw/page/page.h"
#include "draw/svg.h"

namespace heed::draw {

std::string watch_page() {
  PageData colours = PageData::array(), inks = PageData::array();
  for (std::size_t i = 0; i < 8; ++i) colours.push_back(series_color(i));
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) inks.push_back(ink(share));
  return render("watch.html", {{"title", "heed watch"},
                               {"served", true},
                               {"colours", colours.dump()},
                               {"ink", inks.dump()}});
}

}  // namespace heed::draw
