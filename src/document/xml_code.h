// Elements of XML that are code, or are translated by a rule of their vocabulary.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "document/xml_events.h"

namespace heed::document {

/// Whose elements a document has. One name may be code in one and text in another: `cmd` is a
/// command in Mallard, and a step of a task in DITA.
enum class XmlVocabulary {
  other,
  mallard,
  docbook,
  dita,
  appstream,
  android,  // strings.xml
  dotnet,   // resources of .NET: .resx, .resw
  xwiki,
};

/// The vocabulary of a document, by the namespace of its root, its document type, its schema, the
/// name of its root or the names of the elements in it.
XmlVocabulary xml_vocabulary(std::string_view bytes, const std::vector<XmlEvent>& events);

enum class XmlCode {
  none,
  in_line,  // a word of the sentence around it
  block,    // lines by themselves
};

/// What the element with this name is. Documents of other vocabularies, such as parts of a book
/// without a document type, have only names that are nothing else anywhere.
XmlCode xml_code(XmlVocabulary vocabulary, std::string_view local_name);

/// Whether what is in the element is translated, by a rule of the vocabulary; nothing where none is
/// about it. So many elements are around it: `depth`. AppStream's are those of its metainfo.its
/// (version 0.16.1).
std::optional<bool> is_translated_by_rule(XmlVocabulary vocabulary, const XmlEvent& start,
                                          std::size_t depth);

}  // namespace heed::document
