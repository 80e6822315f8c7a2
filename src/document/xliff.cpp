// XLIFF 1.2 and 2: targets that are missing or empty get the translations of their sources.
// The specifications are https://docs.oasis-open.org/xliff/v1.2/os/xliff-core.html and
// https://docs.oasis-open.org/xliff/xliff-core/v2.1/xliff-core-v2.1.html.
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "document/escaped_text.h"
#include "document/format.h"
#include "document/message_format.h"
#include "document/message_markup.h"
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

constexpr std::size_t kNoEvent = -1;

/// The role of an empty element that says what it stands for. Angular names what opens and closes:
/// `<x id="START_LINK"/>`, `<ph equiv="INTERPOLATION" disp="{{ name }}"/>`.
XmlRole role_of_named(std::string_view name, std::string_view shown) {
  using enum XmlRole::RoleKind;
  for (const auto& [prefix, kind] : {std::pair("START_", opens), std::pair("CLOSE_", closes)}) {
    if (!name.starts_with(prefix)) continue;
    std::string_view rest = name.substr(std::string_view(prefix).size());
    // The second link of a text is START_LINK_1, and both end with CLOSE_LINK.
    const std::size_t end = rest.find_last_not_of("0123456789");
    if (end != rest.npos && end + 1 < rest.size() && rest[end] == '_') rest = rest.substr(0, end);
    return {kind, "tag " + std::string(rest)};
  }
  if (name.starts_with("LINE_BREAK")) return {cut};
  const bool is_word = shown.empty() ? name.starts_with("INTERPOLATION") || name.starts_with("ICU")
                                     : !shown.starts_with('<') && !shown.starts_with("&lt;");
  return {.kind = whole, .is_word = is_word};
}

/// The elements of XLIFF 1.2 and 2 inside a text.
XmlRole xliff_role(const XmlEvent& start) {
  using enum XmlRole::RoleKind;
  const std::string_view name = start.local_name();
  const auto pair = [&](XmlRole::RoleKind kind, std::string_view first,
                        std::string_view second = "") {
    const std::string_view id =
        start.has_attribute(first) ? start.attribute(first) : start.attribute(second);
    return id.empty() ? XmlRole{} : XmlRole{kind, "pair " + std::string(id)};
  };
  if (name == "mrk") {
    if (start.attribute("mtype") == "seg") return {cut};
    const bool stays =
        start.attribute("mtype") == "protected" || start.attribute("translate") == "no";
    return {stays ? whole : span};
  }
  if (name == "g" || name == "pc") return {span};
  if (name == "bpt" || name == "bx") return pair(opens, "rid", "id");
  if (name == "ept" || name == "ex") return pair(closes, "rid", "id");
  if (name == "x" && start.attribute("ctype") == "lb") return {cut};
  if (name == "x") return role_of_named(start.attribute("id"), start.attribute("equiv-text"));
  if (name == "ph" && start.has_attribute("equiv"))
    return role_of_named(start.attribute("equiv"), start.attribute("disp"));
  if (start.attribute("isolated") == "yes") return {};
  if (name == "sc" || name == "sm") return pair(opens, "id");
  if (name == "ec" || name == "em") return pair(closes, "startRef");
  return {};
}

class Xliff {
 public:
  Xliff(std::string_view bytes, const ReadOptions& options)
      : bytes_(bytes), options_(options), xml_(bytes) {}

  Passages read() {
    std::size_t i = 0;
    while (events_[i].kind != XmlEvent::EventType::start) ++i;
    const std::string_view version = events_[i].attribute("version");
    if (events_[i].local_name() == "xliff" && version.empty())
      throw UserError("line {}: <{}> has no version; add version=\"1.2\", or 2.0",
                      line_number(bytes_, events_[i].bytes.from), events_[i].name);
    if (events_[i].local_name() != "xliff" ||
        !(version.starts_with('1') || version.starts_with('2')))
      throw UserError(
          "line {}: it begins with <{}{}>, not with <xliff version=\"1.2\"> or 2; name its format, "
          "such as xml",
          line_number(bytes_, events_[i].bytes.from), events_[i].name,
          version.empty() ? "" : " version=\"" + one_line(version) + '"');
    is_2_ = version.starts_with('2');
    if (is_2_) begin_file(i, "srcLang", "trgLang");
    for (; i < events_.size(); ++i) {
      while (!ends_.empty() && ends_.back().first <= i) ends_.pop_back();
      const XmlEvent& event = events_[i];
      if (event.kind != XmlEvent::EventType::start) continue;
      const std::string_view name = event.local_name(), translate = event.attribute("translate");
      if (!translate.empty()) ends_.emplace_back(event.partner, translate != "no");
      if (name == "file" && !is_2_) begin_file(i, "source-language", "target-language");
      const bool is_translated = ends_.empty() || ends_.back().second;
      if (name != (is_2_ ? "segment" : "trans-unit")) continue;
      if (is_translated && !is_2_) add_unit(i);
      if (is_translated && is_2_) add_segment(i);
      i = event.partner - 1;
    }
    return std::move(passages_);
  }

 private:
  struct Parts {
    std::size_t source = kNoEvent, segments = kNoEvent, target = kNoEvent;  // their start tags
  };

  /// Checks the languages of a file, whose start tag this is, against the model's.
  void begin_file(std::size_t i, const char* source, const char* target) {
    const XmlEvent& event = events_[i];
    const auto check = [&](const char* name, const std::string& language, const char* key) {
      if (text::are_other_languages(event.attribute(name), language))
        throw UserError(
            "line {}: {} is {}, and the language of the model is {}; take a model of that "
            "language, or tell the model's: --{}-language {}",
            line_number(bytes_, event.bytes.from), name, event.attribute(name), language, key,
            event.attribute(name));
    };
    check(source, options_.source_language, "source");
    check(target, options_.target_language, "target");
    file_ = i;
    target_name_ = target;
    is_filled_ = false;
    item_ = is_2_ ? likely_placeholder : placeholders_of(i);
    has_forms_ = shows_forms_in(i);
  }

  /// Whether a source of the file shows forms with `|` between them.
  bool shows_forms_in(std::size_t file) const {
    for (std::size_t i = file + 1; i < events_[file].partner; ++i)
      if (events_[i].kind == XmlEvent::EventType::start && events_[i].local_name() == "source" &&
          shows_forms(xml_.content_of(i)))
        return true;
    return false;
  }

  /// The placeholders of a file of XLIFF 1.2, by the name of the file that it was made from and by
  /// the tool that made it.
  EscapedText::FindItem placeholders_of(std::size_t file) const {
    const std::string_view original = events_[file].attribute("original");
    const auto is_made_from = [&](auto... endings) { return (original.ends_with(endings) || ...); };
    if (is_made_from(".strings", ".stringsdict", ".xcstrings", ".storyboard", ".xib", ".plist",
                     "strings.xml"))
      return mobile_placeholder;
    for (std::size_t i = file + 1; i < events_[file].partner; ++i) {
      const XmlEvent& event = events_[i];
      if (event.kind != XmlEvent::EventType::start) continue;
      if (event.local_name() == "body") break;
      if (event.local_name() != "tool") continue;
      const std::string tool =
          ascii_lower(event.attribute("tool-id")) + ' ' + ascii_lower(event.attribute("tool-name"));
      if (tool.find("drupal") != tool.npos) return drupal_placeholder;
      if (tool.find("apple") != tool.npos) return mobile_placeholder;
    }
    return likely_placeholder;
  }

  Parts parts_of(std::size_t unit) const {
    Parts parts;
    for (std::size_t i = unit + 1; i < events_[unit].partner; ++i) {
      if (events_[i].kind != XmlEvent::EventType::start) continue;
      const std::string_view name = events_[i].local_name();
      if (name == "source") parts.source = i;
      if (name == "seg-source") parts.segments = i;
      if (name == "target") parts.target = i;
      i = events_[i].partner;
    }
    return parts;
  }

  /// Whether a target has to be filled: it is missing or blank, or the source again, as the state
  /// of an untranslated text.
  bool is_missing(const Parts& parts, std::string_view state) const {
    if (parts.target == kNoEvent || xml_.is_blank(parts.target)) return true;
    const bool is_untranslated =
        state == "new" || state == "needs-translation" || state == "initial";
    return is_untranslated && xml_.content_of(parts.target) == xml_.content_of(parts.source);
  }

  /// A unit of XLIFF 1.2.
  void add_unit(std::size_t unit) {
    const Parts parts = parts_of(unit);
    if (parts.source == kNoEvent || xml_.is_blank(parts.source)) return;
    const std::size_t from = parts.segments == kNoEvent ? parts.source : parts.segments;
    if (parts.target == kNoEvent) return fill_new(from, std::string(" ") + kState + '"');
    const std::string_view state = events_[parts.target].attribute("state");
    if (events_[unit].attribute("approved") == "yes" || state == "final" || state == "signed-off")
      return;
    const std::string tag = with_state(parts.target);
    if (is_missing(parts, state)) return fill(from, parts.target, tag);
    if (parts.segments != kNoEvent) fill_marks(parts, tag);
  }

  /// A segment of XLIFF 2.
  void add_segment(std::size_t segment) {
    const Parts parts = parts_of(segment);
    if (parts.source == kNoEvent || xml_.is_blank(parts.source)) return;
    const std::string_view state = events_[segment].attribute("state");
    if (state == "final" || state == "reviewed" || !is_missing(parts, state)) return;
    // A new state needs another subState, which other tools know.
    const std::string tag = with_attribute(
        without_attribute(xml_.text_of(events_[segment].bytes), "subState"), "state", "translated");
    begin_fill();
    if (state != "translated") change(events_[segment].bytes, tag);
    if (parts.target == kNoEvent)
      fill_new(parts.source, "");
    else
      fill(parts.source, parts.target, std::string(xml_.text_of(events_[parts.target].bytes)));
  }

  static constexpr const char* kState =
      "state=\"needs-review-translation\" state-qualifier=\"leveraged-mt";

  /// The start tag of a target of XLIFF 1.2 that a machine fills.
  std::string with_state(std::size_t target) const {
    return with_attribute(
        with_attribute(xml_.text_of(events_[target].bytes), "state", "needs-review-translation"),
        "state-qualifier", "leveraged-mt");
  }

  /// Fills the segments of a target that are blank, from those of the source with the same number.
  void fill_marks(const Parts& parts, const std::string& tag) {
    std::map<std::string_view, std::size_t> sources;
    for (std::size_t i = parts.segments; i < events_[parts.segments].partner; ++i)
      if (is_mark(i)) sources.emplace(events_[i].attribute("mid"), i);
    bool is_first = true;
    for (std::size_t i = parts.target; i < events_[parts.target].partner; ++i) {
      if (!is_mark(i) || !xml_.is_blank(i)) continue;
      const auto source = sources.find(events_[i].attribute("mid"));
      if (source == sources.end() || xml_.is_blank(source->second)) continue;
      begin_fill();
      if (std::exchange(is_first, false)) change(events_[parts.target].bytes, tag);
      fill(source->second, i, std::string(xml_.text_of(events_[i].bytes)));
    }
  }

  bool is_mark(std::size_t i) const {
    return events_[i].kind == XmlEvent::EventType::start && events_[i].local_name() == "mrk" &&
           events_[i].attribute("mtype") == "seg";
  }

  /// Writes the language of the translations into the file's tag, once.
  void begin_fill() {
    if (std::exchange(is_filled_, true) || !events_[file_].attribute(target_name_).empty()) return;
    const std::string& language = options_.target_language;
    if (text::main_language(language).empty()) {
      if (!is_2_) return;
      throw UserError(
          "line {}: it has no {}, which a file with translations needs, and the model does not say "
          "its language; tell it, as --target-language de",
          line_number(bytes_, events_[file_].bytes.from), target_name_);
    }
    change(events_[file_].bytes, with_attribute(xml_.text_of(events_[file_].bytes), target_name_,
                                                text::xml_language(language)));
  }

  /// Adds a change of these bytes. It comes before what was added for bytes after them.
  void change(ByteRange bytes, std::string to) {
    passages_.push_back({.tokens = {}, .place = Passage::Place{bytes, std::move(to), {}}});
  }

  /// Adds a target after an element, from whose text it is translated.
  void fill_new(std::size_t source, const std::string& attributes) {
    begin_fill();
    const std::string& source_name = events_[source].name;
    const std::string name = source_name.substr(0, source_name.find(':') + 1) + "target";
    const std::size_t after = xml_.bytes_of(source).to;
    add_text(source,
             {.bytes = {after, after},
              .before = std::string(indentation_before(bytes_, events_[source].bytes.from)) + '<' +
                        name + attributes + '>',
              .after = "</" + name + '>'});
  }

  /// Fills an element, which gets this start tag, with the translation of another one.
  void fill(std::size_t source, std::size_t target, const std::string& tag) {
    begin_fill();
    add_text(source, {.bytes = xml_.bytes_of(target),
                      .before = as_start_tag(tag),
                      .after = "</" + events_[target].name + '>'});
  }

  void add_text(std::size_t source, Passage::Place place) {
    constexpr std::size_t kBegin = 9, kEnd = 3;  // <![CDATA[ and ]]>
    const std::size_t first = source + 1, last = events_[source].partner;
    const ByteRange all = events_[first].bytes;
    Passage passage;
    bool is_cdata = false;
    if (last == first + 1 && events_[first].kind == XmlEvent::EventType::cdata &&
        all.to - all.from > kBegin + kEnd) {
      is_cdata = true;
      EscapedText text(bytes_, LineFeeds::layout, item_, message_markup);
      text.add(ByteRange{all.from + kBegin, all.to - kEnd});
      text.move_to(passage.tokens);
      place.before += "<![CDATA[";
      place.after = "]]>" + place.after;
    } else {
      passage.tokens =
          tokens_of_xml(bytes_, events_, first, last, xliff_role, item_, message_markup);
    }
    ReferenceWriting references =
        reference_writing(bytes_, passage.tokens, is_cdata ? "&" : "&amp;");
    passage.writing.escaped =
        is_cdata ? escaped_in<in_cdata>(references) : escaped_in<text::with_references>(references);
    passage.enclosed = std::move(references.enclosed);
    for (Token& token : passage.tokens)  // "\n" of a program ends a line
      if (token.is_placeholder && bytes_[token.from] == '\\') token.syntax = Token::Syntax::block;
    keep_order(bytes_, passage.tokens);
    divide_message(bytes_, passage);
    if (has_forms_) divide_forms(bytes_, passage);
    place.copied = without_ids(xml_.content_of(source));
    passage.place = std::move(place);
    passages_.push_back(std::move(passage));
  }

  std::string_view bytes_;
  const ReadOptions& options_;
  const XmlTree xml_;
  const std::vector<XmlEvent>& events_ = xml_.events();
  bool is_2_ = false;
  std::vector<std::pair<std::size_t, bool>> ends_;  // of elements that say if they are translated
  std::size_t file_ = 0;                            // the tag that names the languages
  EscapedText::FindItem item_ = likely_placeholder;
  bool has_forms_ = false;        // texts of this file have forms with `|` between them
  const char* target_name_ = "";  // of the attribute there
  bool is_filled_ = true;         // a target of this file, or there is no file
  Passages passages_;
};

}  // namespace

Passages read_xliff(std::string_view bytes, const ReadOptions& options) {
  return Xliff(bytes, options).read();
}

}  // namespace heed::document
