// XML of any kind: the text of elements.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "document/format.h"
#include "document/passage.h"
#include "document/token.h"
#include "document/xml_content.h"
#include "document/xml_events.h"
#include "text/references.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// Whether the element says that it is not to be translated: by `translate` of HTML, DITA and
/// others, or `its:translate` of W3C's Internationalization Tag Set.
bool keeps_language(const XmlEvent& start) {
  for (const char* name : {"translate", "its:translate"})
    if (ascii_lower(start.attribute(name)) == "no") return true;
  return false;
}

class Xml {
 public:
  explicit Xml(std::string_view bytes) : bytes_(bytes), events_(xml_events(bytes)) {}

  Passages read() {
    find_texts();
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const XmlEvent& event = events_[i];
      if (event.kind != XmlEvent::EventType::start) continue;
      if (keeps_language(event)) {
        i = event.partner;
        continue;
      }
      if (!has_text_[i]) continue;
      std::vector<Token> tokens =
          tokens_of_xml(bytes_, events_, i + 1, event.partner,
                        [&](const XmlEvent& start) { return role_of(start); });
      if (!tokens.empty())
        passages_.push_back({.tokens = std::move(tokens),
                             .writing = {.escaped = text::with_references, .is_document = true}});
      i = event.partner;
    }
    return std::move(passages_);
  }

 private:
  /// Finds which elements have text directly in them, and which may stand in a sentence: an element
  /// with text, one without content, and one with nothing but such an element in it. Several
  /// elements without text around them are a list, and stand by themselves.
  void find_texts() {
    has_text_.assign(events_.size(), false);
    is_span_.assign(events_.size(), false);
    std::vector<std::size_t> children(events_.size()), spans(events_.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const XmlEvent& event = events_[i];
      if (event.kind == XmlEvent::EventType::start) {
        open.push_back(i);
      } else if (event.kind == XmlEvent::EventType::end) {
        open.pop_back();
        const std::size_t start = event.partner;
        is_span_[start] =
            has_text_[start] || children[start] == 0 || (children[start] == 1 && spans[start] == 1);
        if (open.empty()) continue;
        ++children[open.back()];
        if (is_span_[start]) ++spans[open.back()];
      } else if (!open.empty() && is_text(event)) {
        has_text_[open.back()] = true;
      }
    }
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].kind == XmlEvent::EventType::end) open.pop_back();
      if (events_[i].kind != XmlEvent::EventType::start) continue;
      if (!open.empty() && !is_span_[open.back()] && !has_text_[open.back()]) is_span_[i] = false;
      open.push_back(i);
    }
  }

  bool is_text(const XmlEvent& event) const {
    return event.kind == XmlEvent::EventType::character ||
           (event.kind == XmlEvent::EventType::text &&
            !text::is_blank(bytes_.substr(event.bytes.from, event.bytes.to - event.bytes.from)));
  }

  XmlRole role_of(const XmlEvent& start) const {
    if (keeps_language(start)) return {XmlRole::RoleKind::whole};
    const std::size_t i = events_[start.partner].partner;
    return {is_span_[i] ? XmlRole::RoleKind::span : XmlRole::RoleKind::cut};
  }

  std::string_view bytes_;
  std::vector<XmlEvent> events_;
  std::vector<bool> has_text_, is_span_;  // by index of a start tag
  Passages passages_;
};

}  // namespace

Passages read_xml(std::string_view bytes, const ReadOptions& /*options*/) {
  return Xml(bytes).read();
}

}  // namespace heed::document
