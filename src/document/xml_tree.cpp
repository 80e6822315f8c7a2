#include "document/xml_tree.h"

#include <algorithm>

#include "document/xml_content.h"

namespace heed::document {

ByteRange XmlTree::bytes_of(std::size_t element) const {
  const XmlEvent& start = events_[element];
  return {start.bytes.from, std::max(start.bytes.to, events_[start.partner].bytes.to)};
}

std::string_view XmlTree::content_of(std::size_t element) const {
  const ByteRange end = events_[events_[element].partner].bytes;
  return end.is_empty() ? "" : text_of({events_[element].bytes.to, end.from});
}

bool XmlTree::is_blank(std::size_t element) const {
  return is_blank_xml(bytes_, events_, element + 1, events_[element].partner);
}

std::vector<std::size_t> XmlTree::children_of(std::size_t parent, std::string_view name) const {
  std::vector<std::size_t> out;
  for (std::size_t i = parent + 1; i < events_[parent].partner; ++i) {
    if (events_[i].kind != XmlEvent::EventType::start) continue;
    if (events_[i].local_name() == name) out.push_back(i);
    i = events_[i].partner;
  }
  return out;
}

}  // namespace heed::document
