#include "draw/play_page.h"

#include <nlohmann/json.hpp>

#include "draw/html.h"
#include "draw/page/page.h"
#include "draw/svg.h"

namespace heed::draw {

std::string play_page(std::span<const PlayedModel> models) {
  nlohmann::ordered_json data = nlohmann::ordered_json::array();
  std::string title;
  for (const PlayedModel& model : models) {
    data.push_back({{"name", model.name}, {"source", model.source}, {"target", model.target}});
    title += (title.empty() ? "" : " and ") + model.name;
  }
  const std::string text =
      data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  const std::string style =
      std::string(page_file("attention.css")) + std::string(page_file("play.css"));
  return fill(page_file("play.html"), {{"@title@", xml_escape(title)},
                                       {"@style@", style},
                                       {"@script@", page_file("play.js")},
                                       {"@data@", script_data(text)}});
}

}  // namespace heed::draw
