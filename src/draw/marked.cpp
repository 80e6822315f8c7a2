#include "draw/marked.h"

#include "draw/html.h"
#include "draw/svg.h"

namespace heed::draw {

std::string marked(const std::vector<study::TextPart>& parts) {
  std::string out;
  for (const study::TextPart& part : parts)
    out += (out.empty() ? "" : " ") +
           (part.common ? xml_escape(part.text) : text_element("mark", part.text));
  return out;
}

}  // namespace heed::draw
