#include "draw/play_page.h"

#include "draw/page_data.h"

namespace heed::draw {

std::string play_page(std::span<const PlayedModel> models) {
  PageData data = PageData::array();
  std::string title;
  for (const PlayedModel& model : models) {
    data.push_back({{"name", model.name}, {"source", model.source}, {"target", model.target}});
    title += (title.empty() ? "" : " and ") + model.name;
  }
  return render("play.html", {{"title", title}, {"served", true}, {"data", script_data(data)}});
}

}  // namespace heed::draw
