// A small XML checker: tags nest, attributes are quoted, entities are known, no stray < or &.
#pragma once

#include <regex>
#include <string>
#include <vector>

namespace heed::draw {

/// "" where `text` is one well-formed XML element, else what is wrong and where.
inline std::string xml_fault(const std::string& text) {
  static const std::regex tag(
      R"re(^<(/?)([A-Za-z][\w:-]*)((\s+[\w:-]+\s*=\s*("[^"<]*"|'[^'<]*'))*)\s*(/?)>)re",
      std::regex::optimize);
  static const std::regex entity(R"(^&(amp|lt|gt|quot|apos|#\d+|#x[0-9A-Fa-f]+);)");
  std::vector<std::string> open;
  bool seen = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string here = text.substr(at, 4000);
    std::smatch found;
    if (text[at] == '&') {
      if (!std::regex_search(here, found, entity)) return "entity at: " + here.substr(0, 40);
      at += found.length(0);
    } else if (text[at] == '<') {
      if (!std::regex_search(here, found, tag)) return "tag at: " + here.substr(0, 80);
      if (open.empty() && seen) return "a second root: " + here.substr(0, 40);
      seen = true;
      if (found.length(1)) {
        if (open.empty() || open.back() != found[2]) return "closing " + found[2].str();
        open.pop_back();
      } else if (!found.length(6)) {
        open.push_back(found[2]);
      }
      const std::string attributes = found[3];
      for (std::size_t i = attributes.find('&'); i != std::string::npos;
           i = attributes.find('&', i + 1)) {
        if (!std::regex_search(attributes.substr(i), entity)) return "entity in: " + attributes;
      }
      at += found.length(0);
    } else {
      if (static_cast<unsigned char>(text[at]) < 0x20 && text[at] != '\n' && text[at] != '\t') {
        return "control character at " + std::to_string(at);
      }
      ++at;
    }
  }
  if (!open.empty()) return "left open: " + open.back();
  return seen ? "" : "no element";
}

inline std::size_t occurrences(const std::string& text, const std::string& wanted) {
  std::size_t count = 0;
  for (std::size_t at = text.find(wanted); at != std::string::npos;
       at = text.find(wanted, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace heed::draw
