#include "document/its_rules.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/strings.h"

namespace heed::document {
namespace {

constexpr std::string_view kIts = "http://www.w3.org/2005/11/its";

/// The namespaces that are declared where an element stands.
class Namespaces {
 public:
  void open(const XmlEvent& start) {
    std::vector<std::string>& declared = declared_.emplace_back();
    for (const auto& [name, value] : start.attributes) {
      if (name != "xmlns" && !name.starts_with("xmlns:")) continue;
      declared.push_back(name == "xmlns" ? "" : name.substr(6));
      names_[declared.back()].push_back(value);
    }
  }
  void close() {
    for (const std::string& prefix : declared_.back()) names_[prefix].pop_back();
    declared_.pop_back();
  }
  /// That of a prefix; of the empty one: that of names without a prefix.
  std::string_view of(std::string_view prefix) const {
    const auto found = names_.find(prefix);
    return found == names_.end() || found->second.empty() ? std::string_view()
                                                          : found->second.back();
  }
  std::string_view of_name(std::string_view name) const {
    const std::size_t colon = name.find(':');
    return of(colon == name.npos ? std::string_view() : name.substr(0, colon));
  }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> names_;  // by prefix
  std::vector<std::vector<std::string>> declared_;                      // by open element
};

/// What a rule selects, and says of it.
struct Selector {
  std::string name_space, name;  // of an element; the name `*` is any
  std::string attribute = {};    // empty: the element is selected
  bool is_translated = false;
};

class RuleReader {
 public:
  RuleReader(std::string_view bytes, const std::vector<XmlEvent>& events,
             const std::function<void(const std::string& warning)>& warn)
      : bytes_(bytes), events_(events), warn_(warn) {}

  ItsRules read() && {
    std::vector<std::size_t> rules;  // elements that have rules, and notes about them
    each_element([&](std::size_t i) {
      read_rule(events_[i]);
      if (events_[i].local_name() == "rules" && is_of_its(events_[i])) rules.push_back(i);
    });
    ItsRules out;
    if (rules.empty()) return out;
    out.elements.resize(events_.size());
    each_element([&](std::size_t i) { apply(i, out); });
    for (const std::size_t i : rules) out.elements[i] = false;
    return out;
  }

 private:
  /// Calls `see` with the index of each start tag, where namespaces_ has those that are declared
  /// there.
  template <class See>
  void each_element(const See& see) {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].kind == XmlEvent::EventType::start) {
        namespaces_.open(events_[i]);
        see(i);
      } else if (events_[i].kind == XmlEvent::EventType::end) {
        namespaces_.close();
      }
    }
  }

  bool is_of_its(const XmlEvent& event) const { return namespaces_.of_name(event.name) == kIts; }

  void tell(const XmlEvent& event, const std::string& what) const {
    if (warn_) warn_(fmt::format("line {}: {}", line_number(bytes_, event.bytes.from), what));
  }

  void read_rule(const XmlEvent& event) {
    const std::string_view name = event.local_name();
    if ((name != "rules" && name != "translateRule") || !is_of_its(event)) return;
    if (name == "rules") {
      const auto link = std::ranges::find_if(
          event.attributes, [](const auto& one) { return one.first.ends_with(":href"); });
      if (link != event.attributes.end())
        tell(event, fmt::format("the rules in {} are not read; write those of what is translated "
                                "into the document",
                                one_line(link->second)));
      return;
    }
    const std::string_view selector = event.attribute("selector");
    const bool is_translated = event.attribute("translate") == "yes";
    std::vector<Selector> found;
    for (std::size_t from = 0; from <= selector.size();) {
      const std::size_t end = std::min(selector.find('|', from), selector.size());
      auto one = selector_of(trim(selector.substr(from, end - from)));
      if (!one)
        return tell(event,
                    fmt::format("the rule for '{}' is not followed; heed knows selectors such as "
                                "//name, //name/@attribute, and several with | between them",
                                one_line(selector)));
      one->is_translated = is_translated;
      found.push_back(*std::move(one));
      from = end + 1;
    }
    std::ranges::move(found, std::back_inserter(selectors_));
  }

  std::optional<Selector> selector_of(std::string_view path) const {
    if (!path.starts_with("//")) return std::nullopt;
    path.remove_prefix(2);
    Selector out;
    if (const std::size_t at = path.find("/@"); at != path.npos) {
      out.attribute = path.substr(at + 2);
      path = path.substr(0, at);
      if (!is_name(out.attribute)) return std::nullopt;
    }
    if (path == "*") {
      out.name = path;
      return out;
    }
    if (!is_name(path)) return std::nullopt;
    const std::size_t colon = path.find(':');
    out.name = colon == path.npos ? path : path.substr(colon + 1);
    // In XPath a name without a prefix is in no namespace.
    if (colon != path.npos) out.name_space = namespaces_.of(path.substr(0, colon));
    return colon != path.npos && out.name_space.empty() ? std::nullopt : std::optional(out);
  }

  static bool is_name(std::string_view text) {
    return !text.empty() && text.find_first_of(" \t\r\n/[]()@*,='\"<>$!+") == text.npos &&
           std::ranges::count(text, ':') <= 1;
  }

  void apply(std::size_t i, ItsRules& out) const {
    const XmlEvent& event = events_[i];
    std::map<std::string_view, bool> attributes;
    for (const Selector& one : selectors_) {
      if (one.name != "*" &&
          (one.name != event.local_name() || one.name_space != namespaces_.of_name(event.name)))
        continue;
      if (one.attribute.empty())
        out.elements[i] = one.is_translated;
      else if (event.has_attribute(one.attribute))
        attributes[one.attribute] = one.is_translated;
    }
    for (const auto& [name, value] : event.attributes)
      if (const auto found = attributes.find(name); found != attributes.end() && found->second)
        out.attributes.push_back({i, name});
  }

  std::string_view bytes_;
  const std::vector<XmlEvent>& events_;
  const std::function<void(const std::string& warning)>& warn_;
  Namespaces namespaces_;
  std::vector<Selector> selectors_;
};

}  // namespace

ItsRules its_rules(std::string_view bytes, const std::vector<XmlEvent>& events,
                   const std::function<void(const std::string& warning)>& warn) {
  return RuleReader(bytes, events, warn).read();
}

}  // namespace heed::document
