// The elements of a document of XML, by the indexes of their start tags among its events.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "document/token.h"
#include "document/xml_events.h"

namespace heed::document {

class XmlTree {
 public:
  /// Throws as xml_events(). `bytes` live as long as it.
  explicit XmlTree(std::string_view bytes) : bytes_(bytes), events_(xml_events(bytes)) {}

  const std::vector<XmlEvent>& events() const { return events_; }
  std::string_view text_of(ByteRange range) const {
    return bytes_.substr(range.from, range.to - range.from);
  }

  /// The bytes from the start tag to the end tag.
  ByteRange bytes_of(std::size_t element) const;
  /// The bytes between the two tags; none of an empty-element tag.
  std::string_view content_of(std::size_t element) const;
  bool is_blank(std::size_t element) const;
  /// The elements with this name, without its prefix, that are directly inside.
  std::vector<std::size_t> children_of(std::size_t parent, std::string_view name) const;

 private:
  std::string_view bytes_;
  std::vector<XmlEvent> events_;
};

}  // namespace heed::document
