#include <string>
#include <vector>

#include "draw/page_data.h"
#include "draw/pages.h"
#include "study/decoding_steps.h"

namespace heed::draw {

std::string step_page(const std::vector<study::DecodingSteps>& sentences,
                      const std::string& title) {
  PageData data = PageData::array();
  for (const study::DecodingSteps& one : sentences) data.push_back(study::json_of(one));
  return render_page("step", {{"title", title}, {"data", script_data(data)}});
}

}  // namespace heed::draw
