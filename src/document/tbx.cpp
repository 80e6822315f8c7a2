// TBX (ISO 30042), versions 2 and 3 in both styles: entries with terms in several languages.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "document/term_columns.h"
#include "document/term_list.h"
#include "document/xml_events.h"
#include "text/invisible.h"

namespace heed::document {
namespace {

using Tags = std::vector<std::string>;

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

struct TbxTerm {
  std::string language, text;
  bool is_forbidden = false;
};

struct TbxEntry {
  std::vector<TbxTerm> terms;
  int64_t line = 0;
};

class Tbx {
 public:
  explicit Tbx(std::string_view bytes) : bytes_(bytes), events_(xml_events(bytes)) {}

  std::vector<TbxEntry> entries() {
    std::vector<TbxEntry> out;
    bool is_root = true;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const XmlEvent& event = events_[i];
      if (event.kind != XmlEvent::EventType::start) continue;
      const std::string_view name = event.local_name();
      if (is_root && !is_any(name, {"martif", "tbx"}))
        throw UserError(
            "line {}: it begins with <{}>; a glossary in XML is TBX, which begins with <martif> or "
            "<tbx>",
            line_of(event), event.name);
      is_root = false;
      if (!is_any(name, {"termEntry", "conceptEntry"})) continue;
      out.push_back({.terms = terms_of(i), .line = line_of(event)});
      i = event.partner;
    }
    return out;
  }

 private:
  /// The line of an event; each is asked about after the ones before it.
  int64_t line_of(const XmlEvent& event) {
    line_ += std::count(bytes_.begin() + static_cast<std::ptrdiff_t>(counted_),
                        bytes_.begin() + static_cast<std::ptrdiff_t>(event.bytes.from), '\n');
    counted_ = event.bytes.from;
    return line_;
  }

  bool is_start(std::size_t i) const { return events_[i].kind == XmlEvent::EventType::start; }

  std::string text_in(std::size_t element) const {
    using Type = XmlEvent::EventType;
    constexpr std::string_view kCdata = "<![CDATA[", kCdataEnd = "]]>";
    std::string all;
    for (std::size_t i = element + 1; i < events_[element].partner; ++i) {
      const XmlEvent& event = events_[i];
      std::string_view bytes = bytes_.substr(event.bytes.from, event.bytes.to - event.bytes.from);
      if (event.kind == Type::cdata && bytes.size() >= kCdata.size() + kCdataEnd.size())
        bytes = bytes.substr(kCdata.size(), bytes.size() - kCdata.size() - kCdataEnd.size());
      if (event.kind == Type::character)
        all += event.text;
      else if (event.kind == Type::text || event.kind == Type::cdata)
        all += bytes;
    }
    return text::plain_text(all);
  }

  std::vector<TbxTerm> terms_of(std::size_t entry) const {
    std::vector<TbxTerm> out;
    for (std::size_t i = entry + 1; i < events_[entry].partner; ++i) {
      if (!is_start(i) || !is_any(events_[i].local_name(), {"langSet", "langSec", "langGroup"}))
        continue;
      const std::string_view own = events_[i].attribute("xml:lang");
      add_terms(i, std::string(own.empty() ? events_[i].attribute("lang") : own), out);
      i = events_[i].partner;
    }
    return out;
  }

  /// Adds the terms of a language. What says that a term is not to be used stands beside it, in the
  /// same element.
  void add_terms(std::size_t section, const std::string& language,
                 std::vector<TbxTerm>& out) const {
    std::size_t first = out.size();  // of the terms of one element
    for (std::size_t i = section + 1; i < events_[section].partner; ++i) {
      if (!is_start(i)) continue;
      const std::string_view name = events_[i].local_name(), type = events_[i].attribute("type");
      if (is_any(name, {"tig", "ntig", "termSec", "termGroup"})) first = out.size();
      const bool is_status =
          is_any(name, {"administrativeStatus", "normativeAuthorization"}) ||
          (name == "termNote" && is_any(type, {"administrativeStatus", "normativeAuthorization"}));
      if (name == "term")
        out.push_back({.language = language, .text = text_in(i)});
      else if (is_status && is_forbidden(text_in(i)))
        for (std::size_t term = first; term < out.size(); ++term) out[term].is_forbidden = true;
    }
  }

  std::string_view bytes_;
  std::vector<XmlEvent> events_;
  std::size_t counted_ = 0;
  int64_t line_ = 1;
};

bool has(const Tags& tags, const std::string& tag) {
  return std::ranges::find(tags, tag) != tags.end();
}

}  // namespace

TermList read_tbx(std::string_view bytes, const TermLanguages& languages) {
  const std::vector<TbxEntry> entries = Tbx(bytes).entries();
  Tags there;
  for (const TbxEntry& entry : entries)
    for (const TbxTerm& term : entry.terms)
      if (!has(there, term.language)) there.push_back(term.language);
  TermList list;
  if (there.empty()) return list;
  const TermSides sides = sides_of(there, languages, list.warnings);
  LeftOut halves, forbidden;
  for (const TbxEntry& entry : entries) {
    Term term{.sources = {}, .targets = {}, .line = entry.line};
    bool had_target = false;
    for (const TbxTerm& one : entry.terms) {
      if (one.text.empty()) continue;
      if (has(sides.source, one.language)) term.sources.push_back(one.text);
      if (!has(sides.target, one.language)) continue;
      had_target = true;
      if (one.is_forbidden)
        forbidden.add(entry.line);
      else
        term.targets.push_back(one.text);
    }
    if (!term.sources.empty() && !term.targets.empty())
      list.terms.push_back(std::move(term));
    else if (term.sources.empty() || !had_target)
      halves.add(entry.line);
  }
  halves.warn("concept", "no term in both languages", list.warnings);
  forbidden.warn("term", "its status says that it is not to be used", list.warnings);
  return list;
}

}  // namespace heed::document
