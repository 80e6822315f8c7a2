// XML as a list of events, each with the bytes of the document it was read from. Expat reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/token.h"

namespace heed::document {

struct XmlEvent {
  enum class EventType {
    start,      // a start tag; also an empty-element tag, whose `end` has no bytes
    end,        // an end tag
    text,       // characters, with the line ends of the document
    character,  // a reference to a character, such as `&lt;` or `&#228;`
    cdata,      // a section of CDATA with its marks
    other,  // a comment, an instruction, a document type, a reference to an entity, whose text is
            // not looked up
  };

  EventType kind = EventType::other;
  ByteRange bytes;
  std::string name = {};                                             // of a tag, with its prefix
  std::vector<std::pair<std::string, std::string>> attributes = {};  // of a start tag
  std::string text = {};                                             // of a character
  std::size_t partner = 0;  // of a tag: the index of the other one of its element

  /// The name without its prefix.
  std::string_view local_name() const;
  /// The value of the attribute with this name; empty where there is none.
  std::string_view attribute(std::string_view name) const;
  bool has_attribute(std::string_view name) const;
};

/// Which entities a document may refer to: those that it declares, or any, as a part of a book that
/// another document has in it.
enum class XmlEntities { declared, any };

/// The events of a document, in order; together they have all of its bytes. External entities are
/// not read. Throws UserError, which names the line, where the document is not well-formed or not
/// in UTF-8.
std::vector<XmlEvent> xml_events(std::string_view bytes,
                                 XmlEntities entities = XmlEntities::declared);

/// The start tag or empty-element tag with this attribute, in place of the one it had. The value is
/// not yet escaped.
std::string with_attribute(std::string_view tag, std::string_view name, std::string_view value);
/// Where the value of an attribute stands in a tag, without its quotes; empty: there is none.
ByteRange value_in(std::string_view tag, std::string_view name);
/// The tag without this attribute.
std::string without_attribute(std::string_view tag, std::string_view name);
/// An empty-element tag as a start tag; a start tag as it is.
std::string as_start_tag(std::string_view tag);

/// The number of the line, from 1, that has this byte.
int64_t line_number(std::string_view bytes, std::size_t byte);

}  // namespace heed::document
