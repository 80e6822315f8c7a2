// The content of an element of XML as tokens.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/escaped_text.h"
#include "document/segment.h"
#include "document/token.h"
#include "document/xml_events.h"

namespace heed::document {

/// What an element inside a text is.
struct XmlRole {
  enum class RoleKind {
    span,    // it has text of the sentence around it
    whole,   // all of it stays
    opens,   // all of it stays, and is the beginning of what the one that `closes` ends
    closes,  // with the same name
    cut,     // a sentence ends at each of its tags
    apart,   // all of it stays, and a sentence ends there
  };
  RoleKind kind = RoleKind::whole;
  std::string name = {};  // of what `opens` and `closes`
  bool is_word = false;   // what is whole stands for a word: a number, a name
};

/// The role of the element with this start tag.
using FindXmlRole = std::function<XmlRole(const XmlEvent& start)>;

/// The tokens of events [first, last). Sections of CDATA, comments and the like are whole, and so
/// is what `item` finds in the text. `markup`: what else of the text is none.
std::vector<Token> tokens_of_xml(std::string_view bytes, const std::vector<XmlEvent>& events,
                                 std::size_t first, std::size_t last, const FindXmlRole& role_of,
                                 EscapedText::FindItem item = nullptr,
                                 EscapedText::FindMarkup markup = nullptr);

/// Whether there is nothing but blanks in events [first, last), which are the content of an
/// element.
bool is_blank_xml(std::string_view bytes, const std::vector<XmlEvent>& events, std::size_t first,
                  std::size_t last);

/// The line end and the indentation before `byte`; nothing where something else stands on its line.
std::string_view indentation_before(std::string_view bytes, std::size_t byte);

/// Takes the IDs (xml:id) out of a copy of these bytes: each is once in a document. None: there are
/// none.
Enclose without_ids(std::string_view bytes);

/// The characters of a translation in a section of CDATA.
std::string in_cdata(std::string_view text);

}  // namespace heed::document
