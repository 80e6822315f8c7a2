#include "draw/html.h"

#include "draw/svg.h"

namespace heed::draw {

std::string element(const std::string& tag, const std::string& content,
                    const std::string& attributes) {
  const std::string name = tag.substr(0, tag.find(' '));
  return '<' + tag + (attributes.empty() ? "" : ' ' + attributes) + '>' + content + "</" + name +
         '>';
}

std::string text_element(const std::string& tag, const std::string& text,
                         const std::string& attributes) {
  return element(tag, xml_escape(text), attributes);
}

std::string table(const std::string& head, const std::string& body) {
  return element("div class=\"wide\"",
                 element("table", element("thead", element("tr", head)) + element("tbody", body))) +
         '\n';
}

}  // namespace heed::draw
