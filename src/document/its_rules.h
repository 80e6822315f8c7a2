// Rules in a document of XML that say which of its elements and attributes are translated, of W3C's
// Internationalization Tag Set 2.0: https://www.w3.org/TR/its20/#trans-datacat
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/xml_events.h"

namespace heed::document {

/// What the rules of a document say.
struct ItsRules {
  /// By index of a start tag; empty: there is no rule. Nothing: no rule selects the element. What
  /// has the rules stays, for notes may be in it.
  std::vector<std::optional<bool>> elements = {};

  struct Attribute {
    std::size_t element = 0;  // index of its start tag
    std::string name;
  };
  std::vector<Attribute> attributes = {};  // that are translated, in order
};

/// The rules `its:translateRule` of a document. Of several that select the same the last one
/// counts. Selectors are `//name`, `//prefix:name`, `//*`, each also with `/@attribute`, and
/// several with
/// `|` between them. Others, and rules in other files, are told to `warn` with their line, if it is
/// not empty, and not followed.
ItsRules its_rules(std::string_view bytes, const std::vector<XmlEvent>& events,
                   const std::function<void(const std::string& warning)>& warn);

}  // namespace heed::document
