// TMX 1.4: units without a translation into the target language get one.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "document/format.h"
#include "document/message_format.h"
#include "document/passage.h"
#include "document/placeholders.h"
#include "document/token.h"
#include "document/xml_content.h"
#include "document/xml_events.h"
#include "document/xml_tree.h"
#include "text/language_tags.h"
#include "text/references.h"

namespace heed::document {
namespace {

XmlRole tmx_role(const XmlEvent& start) {
  using enum XmlRole::RoleKind;
  const std::string_view name = start.local_name(), pair = start.attribute("i");
  if (name == "hi") return {span};
  if (pair.empty()) return {};
  if (name == "bpt") return {opens, std::string(pair)};
  if (name == "ept") return {closes, std::string(pair)};
  return {};
}

class Tmx {
 public:
  Tmx(std::string_view bytes, const ReadOptions& options)
      : bytes_(bytes), options_(options), xml_(bytes) {}

  Passages read() {
    bool is_tmx = false;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const XmlEvent& event = events_[i];
      if (event.kind != XmlEvent::EventType::start) continue;
      if (!std::exchange(is_tmx, true) && event.name != "tmx")
        throw UserError(
            "line {}: it begins with <{}>, not with <tmx>; name its format, such as xml",
            line_number(bytes_, event.bytes.from), event.name);
      if (event.name == "header") source_ = event.attribute("srclang");
      if (event.name != "tu") continue;
      units_.push_back(i);
      i = event.partner;
    }
    set_target();
    for (const std::size_t unit : units_) add_unit(unit);
    if (!units_.empty() && !has_source_)
      throw UserError(
          "line {}: no <tuv> is in {}, the language of the source; take a model of another "
          "language, or tell the model's: --source-language {}",
          line_number(bytes_, events_[units_[0]].bytes.from), source_of(units_[0]),
          source_.empty() ? "en" : source_);
    return std::move(passages_);
  }

 private:
  static std::string_view language_of(const XmlEvent& event) {
    const std::string_view language = event.attribute("xml:lang");
    return language.empty() ? event.attribute("lang") : language;
  }

  /// The variants of a unit, by their start tags.
  std::vector<std::size_t> variants_of(std::size_t unit) const {
    return xml_.children_of(unit, "tuv");
  }

  /// Sets the language that is filled, as the document writes it.
  void set_target() {
    target_ = text::xml_language(options_.target_language);
    if (text::main_language(target_).empty())
      throw UserError(
          "the model does not say the language of its translations, which a <tuv> needs; tell it, "
          "as --target-language de");
    for (const std::size_t unit : units_)
      for (const std::size_t i : variants_of(unit))
        if (text::is_same_language(language_of(events_[i]), target_)) {
          target_ = language_of(events_[i]);
          return;
        }
  }

  /// The language that a unit is translated from: the model's; where it does not say it, the one
  /// that the unit names.
  std::string_view source_of(std::size_t unit) const {
    if (!text::main_language(options_.source_language).empty()) return options_.source_language;
    const std::string_view own = events_[unit].attribute("srclang");
    return own.empty() ? source_ : own;
  }

  void add_unit(std::size_t unit) {
    const std::string_view source_language = source_of(unit);
    constexpr std::size_t kNone = -1;
    std::size_t source = kNone, target = kNone, last = kNone;
    for (const std::size_t i : variants_of(unit)) {
      const std::string_view language = language_of(events_[i]);
      last = i;
      // One of several translations is enough.
      if (text::is_same_language(language, target_) && (target == kNone || is_blank(target)))
        target = i;
      if (source == kNone && text::is_same_language(language, source_language)) source = i;
    }
    has_source_ = has_source_ || source != kNone;
    if (source == kNone || source == target || is_blank(source) ||
        (target != kNone && !is_blank(target)))
      return;
    const std::size_t from = segment_of(source);
    if (target != kNone && segment_of(target) != 0) {
      const std::size_t to = segment_of(target);
      add_text(from, {.bytes = xml_.bytes_of(to),
                      .before = as_start_tag(xml_.text_of(events_[to].bytes)),
                      .after = "</seg>"});
    } else if (target == kNone) {
      const std::size_t after = xml_.bytes_of(last).to;
      const std::string_view indentation = indentation_before(bytes_, events_[from].bytes.from),
                             outer = indentation_before(bytes_, events_[source].bytes.from),
                             closing = indentation_before(
                                 bytes_, events_[events_[source].partner].bytes.from);
      add_text(from, {.bytes = {after, after},
                      .before = std::string(outer) + with_attribute("<tuv>", "xml:lang", target_) +
                                std::string(indentation) + "<seg>",
                      .after = "</seg>" + std::string(closing) + "</tuv>"});
    }
  }

  /// The segment of a variant, by its start tag; 0: it has none.
  std::size_t segment_of(std::size_t variant) const {
    const std::vector<std::size_t> segments = xml_.children_of(variant, "seg");
    return segments.empty() ? 0 : segments.front();
  }
  bool is_blank(std::size_t variant) const {
    const std::size_t segment = segment_of(variant);
    return segment == 0 || xml_.is_blank(segment);
  }
  void add_text(std::size_t segment, Passage::Place place) {
    Passage passage;
    passage.tokens = tokens_of_xml(bytes_, events_, segment + 1, events_[segment].partner, tmx_role,
                                   likely_placeholder);
    passage.writing.escaped = text::with_references;
    place.copied = without_ids(xml_.content_of(segment));
    passage.place = std::move(place);
    keep_order(bytes_, passage.tokens);
    divide_message(bytes_, passage);
    passages_.push_back(std::move(passage));
  }

  std::string_view bytes_;
  const ReadOptions& options_;
  const XmlTree xml_;
  const std::vector<XmlEvent>& events_ = xml_.events();
  std::string source_, target_;
  std::vector<std::size_t> units_;  // their start tags
  bool has_source_ = false;         // any unit
  Passages passages_;
};

}  // namespace

Passages read_tmx(std::string_view bytes, const ReadOptions& options) {
  return Tmx(bytes, options).read();
}

}  // namespace heed::document
