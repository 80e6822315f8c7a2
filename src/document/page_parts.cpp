#include "document/page_parts.h"

#include <gumbo.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "document/gumbo_page.h"
#include "document/html_elements.h"
#include "document/markup_tokens.h"
#include "text/language_tags.h"

namespace heed::document {
namespace {

bool is_element(const GumboNode& node) {
  return node.type == GUMBO_NODE_ELEMENT || node.type == GUMBO_NODE_TEMPLATE;
}

std::string_view attribute(const GumboElement& element, const char* name) {
  const GumboAttribute* const found = gumbo_get_attribute(&element.attributes, name);
  return found == nullptr ? std::string_view() : found->value;
}

/// Goes through the tree of a page.
class PartsOfPage {
 public:
  PartsOfPage(std::string_view page, const ReadOptions& options)
      : page_(page),
        also_(options.also),
        source_(options.source_language),
        language_(source_),
        gumbo_(page) {
    const GumboVector& children = gumbo_.document().v.document.children;
    for (unsigned i = 0; i < children.length; ++i)
      add(*static_cast<const GumboNode*>(children.data[i]), {});
    std::ranges::stable_sort(parts_, {}, &HtmlPart::from);
  }

  std::vector<HtmlPart> parts() && { return std::move(parts_); }

 private:
  struct Open {
    const GumboNode* node;
    HtmlReading reading;
    unsigned next = 0;  // child
  };

  bool is_asked(std::string_view name) const {
    return std::ranges::find(also_, name) != also_.end();
  }

  /// Adds the parts of a node and of all nodes in it.
  void add(const GumboNode& root, const HtmlReading& reading) {
    std::vector<Open> open;
    const auto enter = [&](const GumboNode& node, const HtmlReading& around) {
      if (is_element(node))
        open.push_back({&node, begin(node, around)});
      else
        add_leaf(node, around);
    };
    enter(root, reading);
    while (!open.empty()) {
      Open& last = open.back();
      const GumboVector& children = last.node->v.element.children;
      if (last.next < children.length) {
        const auto* const child = static_cast<const GumboNode*>(children.data[last.next++]);
        enter(*child, HtmlReading(last.reading));
        continue;
      }
      const HtmlReading around = open.size() > 1 ? open[open.size() - 2].reading : reading;
      end(last.node->v.element, last.reading, around);
      open.pop_back();
    }
  }

  void add_leaf(const GumboNode& node, const HtmlReading& around) {
    const ByteRange bytes = gumbo_.bytes_of(node.v.text.original_text);
    if (bytes.is_empty()) return;
    const auto kind =
        node.type == GUMBO_NODE_COMMENT ? HtmlPart::PartKind::comment : HtmlPart::PartKind::text;
    parts_.push_back({bytes.from, bytes.to, kind, around, around});
  }

  /// Adds the start tag of an element; returns how what is in it is read.
  HtmlReading begin(const GumboNode& node, const HtmlReading& around) {
    const GumboElement& element = node.v.element;
    const ByteRange bytes = gumbo_.bytes_of(element.original_tag);
    const bool has_tag = !bytes.is_empty() && page_[bytes.from] == '<' &&
                         bytes.to > bytes.from + 1 && page_[bytes.from + 1] != '/';
    const std::string name =
        has_tag ? tag_at(page_.substr(0, bytes.to), bytes.from, MarkupKind::html).name
                : gumbo_normalized_tagname(element.tag);
    HtmlReading inside = around;
    inside.is_foreign = element.tag_namespace != GUMBO_NAMESPACE_HTML;
    const GumboAttribute* const translate = gumbo_get_attribute(&element.attributes, "translate");
    const std::string wish = translate == nullptr ? "" : ascii_lower(translate->value);
    const bool asks = translate != nullptr && (wish == "yes" || wish.empty());
    if (asks) inside.stays = false;
    read_language(element, name, inside);
    if (wish == "no" || has_untranslated_class(attribute(element, "class")) || inside.is_foreign ||
        (is_untranslated_element(name) && !asks))
      inside.stays = true;
    if (!inside.is_foreign && (has_only_characters(name) || name == "plaintext"))
      inside.has_tags = false;
    if (!inside.is_foreign && name == "title" && !is_asked("title")) inside.stays = true;
    if (!inside.is_foreign && name == "pre") {
      inside.keeps_lines = true;
      if (!asks) inside.stays = true;
    }
    if (!has_tag) return inside;
    // A tag of an element that gumbo has copied comes once.
    constexpr unsigned kCopied =
        GUMBO_INSERTION_RECONSTRUCTED_FORMATTING_ELEMENT | GUMBO_INSERTION_ADOPTION_AGENCY_CLONED;
    if ((static_cast<unsigned>(node.parse_flags) & kCopied) != 0) return inside;
    HtmlPart& part = parts_.emplace_back(HtmlPart{bytes.from, bytes.to, HtmlPart::PartKind::tag,
                                                  inside, is_void_element(name) ? around : inside});
    if (!inside.stays) part.also = asked_of(element);
    return inside;
  }

  void read_language(const GumboElement& element, std::string_view name, HtmlReading& inside) {
    std::string_view language = attribute(element, "lang");
    if (language.empty()) language = attribute(element, "xml:lang");
    if (text::main_language(language).empty()) return;
    if (name == "html") language_ = language;
    const bool is_other = text::are_other_languages(language, language_) &&
                          (source_.empty() || text::are_other_languages(language, source_));
    if (is_other || inside.is_other_language) inside.stays = is_other;
    inside.is_other_language = is_other;
  }

  /// Adds the end tag of an element. Where there is none, gumbo gives that of another element.
  void end(const GumboElement& element, const HtmlReading& inside, const HtmlReading& around) {
    const ByteRange bytes = gumbo_.bytes_of(element.original_end_tag),
                    start = gumbo_.bytes_of(element.original_tag);
    if (bytes.is_empty() || start.is_empty() || !page_.substr(bytes.from).starts_with("</")) return;
    const auto name_at = [&](ByteRange tag) {
      return tag_at(page_.substr(0, tag.to), tag.from, MarkupKind::html).name;
    };
    if (name_at(bytes) == name_at(start))
      parts_.push_back({bytes.from, bytes.to, HtmlPart::PartKind::tag, inside, around});
  }

  /// The values, without quotes, of the attributes of an element that are translated, too.
  std::vector<ByteRange> asked_of(const GumboElement& element) const {
    std::vector<ByteRange> out;
    const GumboVector& attributes = element.attributes;
    for (unsigned i = 0; i < attributes.length && !also_.empty(); ++i) {
      const auto& one = *static_cast<const GumboAttribute*>(attributes.data[i]);
      const std::string_view name = one.name;
      const bool is_meta = element.tag == GUMBO_TAG_META && name == "content" &&
                           is_asked(ascii_lower(attribute(element, "name")));
      const bool is_text = name == "alt" || name == "placeholder" || name == "title";
      if (!is_meta && !(is_text && is_asked(name))) continue;
      // Without a value gumbo gives the name.
      ByteRange value = gumbo_.bytes_of(one.original_value);
      if (value.is_empty() || std::string_view(one.value).empty()) continue;
      if (const char c = page_[value.from]; c == '"' || c == '\'') {
        ++value.from;
        if (value.to > value.from && page_[value.to - 1] == c) --value.to;
      }
      if (!value.is_empty()) out.push_back(value);
    }
    return out;
  }

  std::string_view page_;
  const std::vector<std::string>& also_;
  std::string_view source_;  // language
  std::string language_;     // of the page
  GumboPage gumbo_;
  std::vector<HtmlPart> parts_;
};

}  // namespace

std::vector<HtmlPart> parts_of_page(std::string_view page, const ReadOptions& options) {
  return PartsOfPage(page, options).parts();
}

}  // namespace heed::document
