// XML of any kind: the text of elements.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "document/android_strings.h"
#include "document/escaped_text.h"
#include "document/format.h"
#include "document/its_rules.h"
#include "document/passage.h"
#include "document/placeholders.h"
#include "document/token.h"
#include "document/xml_code.h"
#include "document/xml_content.h"
#include "document/xml_events.h"
#include "text/language_tags.h"
#include "text/references.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// Whether the element says that it is translated, or not: by `translate` of DocBook, DITA and
/// others, `its:translate` of W3C's Internationalization Tag Set, or `translatable` of Android and
/// AppStream. Nothing: it does not say.
std::optional<bool> says_translated(const XmlEvent& start) {
  std::optional<bool> says;
  for (const char* name : {"translate", "its:translate", "translatable"}) {
    const std::string value = ascii_lower(start.attribute(name));
    if (value == "no" || value == "false") return false;
    if (value == "yes" || value == "true") says = true;
  }
  return says;
}

/// The language of a tag in two letters, where it has such a code: "en" for "eng_Latn".
std::string language_code(std::string_view tag) {
  const std::string main = text::main_language(tag.substr(0, tag.find_first_of("@.")));
  const std::string code = text::language_called(main);
  return code.empty() ? main : code;
}

/// Whether `xml:lang` says that a text is not in this language. Languages that have a code of two
/// letters are called by it there.
bool is_foreign(std::string_view tag, const std::string& own) {
  const std::string code = language_code(tag);
  if (code.empty()) return tag.starts_with("x-");  // a language of tests
  const bool is_unknown = code == "und" || code == "mul" || (code.size() == 2 && own.size() == 3);
  return !own.empty() && !is_unknown && code != own;
}

class Xml {
 public:
  Xml(std::string_view bytes, const ReadOptions& options)
      : bytes_(bytes),
        events_(xml_events(bytes, XmlEntities::any)),
        vocabulary_(xml_vocabulary(bytes, events_)) {
    refuse_catalogue();
    if (is_android()) events_ = with_android_escapes(bytes, std::move(events_));
    rules_ = its_rules(bytes, events_, options.warn);
    find_texts();
    find_language(language_code(options.source_language));
    find_staying();
  }

  Passages read() && {
    Passages passages;
    add_passages(0, events_.size(), Nesting::outside, passages);
    return passages;
  }

 private:
  enum class Nesting { outside, inside };  // of an element that stays in another passage

  /// Adds the passages of events [first, last). What is translated inside of an element that stays
  /// in a passage is in Passage::inside; inside of that, such elements stay with all they have.
  void add_passages(std::size_t first, std::size_t last, Nesting nesting, Passages& out) const {
    for (std::size_t i = first; i < last; ++i) {
      const XmlEvent& event = events_[i];
      if (event.kind != XmlEvent::EventType::start) continue;
      add_attributes(i, out);
      if (stays_[i]) {
        if (!has_translated_[i] && rules_.attributes.empty()) i = event.partner;
        continue;
      }
      if (!has_text_[i]) continue;
      Passage passage = passage_of(i);
      for (std::size_t k = i + 1; k < event.partner && nesting == Nesting::outside; ++k) {
        if (events_[k].kind != XmlEvent::EventType::start) continue;
        add_attributes(k, passage.inside);
        if (!stays_[k]) continue;
        if (has_translated_[k] || !rules_.attributes.empty())
          add_passages(k + 1, events_[k].partner, Nesting::inside, passage.inside);
        k = events_[k].partner;
      }
      if (!passage.tokens.empty()) out.push_back(std::move(passage));
      i = event.partner;
    }
  }

  /// A catalogue of Qt has the translations beside its texts.
  void refuse_catalogue() const {
    const auto root = std::ranges::find(events_, XmlEvent::EventType::start, &XmlEvent::kind);
    if (root != events_.end() && root->name == "TS" && root->has_attribute("version"))
      throw UserError(
          "line {}: it is a catalogue of Qt, whose translations stand beside the texts; make PO of "
          "it with Qt's program, `lconvert -i OLD.ts -o NEW.po`, and after the translation TS "
          "again, `lconvert -i NEW.po -o NEW.ts`",
          line_number(bytes_, root->bytes.from));
  }

  bool is_android() const { return vocabulary_ == XmlVocabulary::android; }

  /// The passage of the element with this start tag, without those inside of it.
  Passage passage_of(std::size_t start) const {
    const bool is_of_program = is_android() || vocabulary_ == XmlVocabulary::dotnet;
    Passage passage{.tokens = tokens_of_xml(
                        bytes_, events_, start + 1, events_[start].partner,
                        [&](const XmlEvent& inside) { return role_of(inside); },
                        is_of_program ? likely_placeholder : nullptr),
                    .writing = {.escaped = is_android() ? android_text : text::with_references,
                                .is_document = true}};
    if (is_of_program) keep_order(bytes_, passage.tokens);
    if (is_android()) passage.enclosed = android_value;
    return passage;
  }

  /// Adds the attributes of a start tag that are translated.
  void add_attributes(std::size_t start, Passages& out) const {
    auto next =
        std::ranges::lower_bound(rules_.attributes, start, {}, &ItsRules::Attribute::element);
    const std::size_t size = out.size();
    for (; next != rules_.attributes.end() && next->element == start; ++next) {
      const ByteRange tag = events_[start].bytes;
      const ByteRange value = value_in(bytes_.substr(tag.from, tag.to - tag.from), next->name);
      if (!value.is_empty())
        out.push_back(passage_of_value({tag.from + value.from, tag.from + value.to}));
    }
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(size), out.end(),
              [](const Passage& a, const Passage& b) {
                return a.tokens.front().from < b.tokens.front().from;
              });
  }

  Passage passage_of_value(ByteRange value) const {
    EscapedText text(bytes_, LineFeeds::layout);
    for (std::size_t at = value.from; at < value.to;) {
      const auto reference = text::reference_at(bytes_.substr(0, value.to), at);
      const std::size_t bytes = reference && reference->character ? reference->bytes : 1;
      if (bytes > 1)
        text.add(reference->text(), {at, at + bytes});
      else
        text.add({at, at + 1});
      at += bytes;
    }
    Passage passage{.writing = {.escaped = text::with_references_in_quotes, .is_document = true}};
    text.move_to(passage.tokens);
    return passage;
  }

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

  /// The language that the element says it has; DocBook 4 has an attribute of its own for it.
  std::optional<std::string_view> said_language(const XmlEvent& start) const {
    if (start.has_attribute("xml:lang")) return start.attribute("xml:lang");
    if (vocabulary_ == XmlVocabulary::docbook && start.has_attribute("lang"))
      return start.attribute("lang");
    return std::nullopt;
  }

  /// Sets the language of the text that is translated: the one that is asked for, or else that of
  /// the root. A document whose root has another one, and which has nothing in the one asked for,
  /// is taken to be wrong about itself.
  void find_language(const std::string& asked) {
    std::string of_root;
    bool is_first = true, has_asked = false;
    for (const XmlEvent& event : events_) {
      if (event.kind != XmlEvent::EventType::start) continue;
      const std::string code = language_code(said_language(event).value_or(""));
      if (is_first) of_root = code;
      is_first = false;
      has_asked |= !code.empty() && code == asked;
    }
    language_ = asked.empty() || (!of_root.empty() && !has_asked) ? of_root : asked;
  }

  /// Which elements say a language and come after one of the same name, in the same element, whose
  /// language nobody says, as in AppStream: they are translations of it. Where the language of the
  /// text is known, that decides.
  std::vector<bool> find_translations() const {
    std::vector<bool> out(events_.size(), false);
    if (!language_.empty()) return out;
    std::vector<std::set<std::string_view>> unsaid;  // the names of such ones in each open element
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const XmlEvent& event = events_[i];
      if (event.kind == XmlEvent::EventType::start) {
        const bool says = said_language(event).has_value();
        if (!unsaid.empty()) {
          out[i] = says && unsaid.back().contains(event.name);
          if (!says) unsaid.back().insert(event.name);
        }
        unsaid.emplace_back();
      } else if (event.kind == XmlEvent::EventType::end) {
        unsaid.pop_back();
      }
    }
    return out;
  }

  /// Finds which elements stay: those that say so, or are code, or are in one that does, unless
  /// they say that they are translated; and those in another language.
  void find_staying() {
    struct State {
      bool is_kept = false, is_foreign = false;
    };
    stays_.assign(events_.size(), false);
    has_translated_.assign(events_.size(), false);
    const std::vector<bool> translations = find_translations();
    std::vector<State> states = {{}};
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const XmlEvent& event = events_[i];
      if (event.kind == XmlEvent::EventType::start) {
        State state = states.back();
        auto rule = is_translated_by_rule(vocabulary_, event, open.size());
        if (!rules_.elements.empty() && rules_.elements[i]) rule = rules_.elements[i];
        if (const auto says = says_translated(event))
          state.is_kept = !*says;
        else if (rule)
          state.is_kept = !*rule;
        else
          state.is_kept |= xml_code(vocabulary_, event.local_name()) != XmlCode::none;
        if (is_android()) state.is_kept |= is_android_reference(content_of(event));
        if (const auto said = said_language(event)) state.is_foreign = is_foreign(*said, language_);
        state.is_foreign |= translations[i];
        stays_[i] = state.is_kept || state.is_foreign;
        states.push_back(state);
        open.push_back(i);
      } else if (event.kind == XmlEvent::EventType::end) {
        states.pop_back();
        open.pop_back();
        const std::size_t start = event.partner;
        if (!open.empty() && (has_translated_[start] || (!stays_[start] && has_text_[start])))
          has_translated_[open.back()] = true;
      }
    }
  }

  /// What is between the tags of an element.
  std::string_view content_of(const XmlEvent& start) const {
    const std::size_t to = events_[start.partner].bytes.from;
    return bytes_.substr(start.bytes.to, std::max(to, start.bytes.to) - start.bytes.to);
  }

  XmlRole role_of(const XmlEvent& start) const {
    const std::size_t i = events_[start.partner].partner;
    if (stays_[i])
      return {xml_code(vocabulary_, start.local_name()) == XmlCode::block
                  ? XmlRole::RoleKind::apart
                  : XmlRole::RoleKind::whole};
    return {is_span_[i] ? XmlRole::RoleKind::span : XmlRole::RoleKind::cut};
  }

  std::string_view bytes_;
  std::vector<XmlEvent> events_;
  XmlVocabulary vocabulary_;
  ItsRules rules_;
  std::string language_;  // of the text that is translated; empty where that is not known
  // By index of a start tag.
  std::vector<bool> has_text_, is_span_;
  std::vector<bool> stays_, has_translated_;  // it has an element in it that is translated
};

}  // namespace

Passages read_xml(std::string_view bytes, const ReadOptions& options) {
  return Xml(bytes, options).read();
}

}  // namespace heed::document
