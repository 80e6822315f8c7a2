#include "draw/play_page.h"

#include "draw/attention_page.h"
#include "draw/page_data.h"
#include "draw/png.h"

namespace heed::draw {

std::string play_page(std::span<const PlayedModel> models, const std::string& program) {
  PageData shown = PageData::array();
  std::string title;
  for (const PlayedModel& model : models) {
    PageData files = PageData::object();
    for (const auto& [name, bytes] : model.files) files[name] = base64(compressed(bytes));
    shown.push_back({{"name", model.name},
                     {"source", model.source},
                     {"target", model.target},
                     {"files", std::move(files)}});
    title += (title.empty() ? "" : " and ") + model.name;
  }
  PageData data = {{"attention", live_attention_page("Attention")}, {"models", std::move(shown)}};
  if (!program.empty()) data["program"] = base64(compressed(program));
  return render("play.html",
                {{"title", title}, {"served", program.empty()}, {"data", script_data(data)}});
}

}  // namespace heed::draw
