#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "draw/page_data.h"
#include "draw/pages.h"
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
  PageData data = {{"attention", live_attention_page("Attention")},
                   {"steps", step_page({}, "Attention, step by step")},
                   {"examples", models.empty() ? std::vector<std::string>() : models[0].examples},
                   {"models", std::move(shown)}};
  if (!program.empty()) data["program"] = base64(compressed(program));
  return render_page("play",
                     {{"title", title}, {"served", program.empty()}, {"data", script_data(data)}});
}

}  // namespace heed::draw
