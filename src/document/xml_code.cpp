#include "document/xml_code.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/strings.h"
#include "text/words.h"

namespace heed::document {
namespace {

struct CodeNames {
  text::WordSet in_line, blocks;
};

const CodeNames& code_names(XmlVocabulary vocabulary) {
  // https://projectmallard.org/1.1/mal_inline.html
  static const CodeNames mallard{text::word_set("cmd code file input output sys var"),
                                 text::word_set("screen synopsis")};
  // https://tdg.docbook.org/tdg/5.2/ch02#ch02-inlines, technical markup
  static const CodeNames docbook{
      text::word_set(
          "arg citerefentry classname code command computeroutput constant envar exceptionname "
          "firstname "
          "filename function initializer inlineequation interfacename keycode keysym literal "
          "macroname markup methodname ooclass ooexception oointerface option othername package "
          "parameter "
          "prompt property returnvalue sgmltag structfield structname surname symbol systemitem "
          "tag token "
          "type uri userinput varname"),
      text::word_set("classsynopsis cmdsynopsis constructorsynopsis destructorsynopsis equation "
                     "fieldsynopsis funcsynopsis informalequation methodsynopsis productionset "
                     "programlisting programlistingco screen screenco synopsis")};
  // DITA 1.3, part 3: the domains of programming, software, XML mention and user interfaces.
  static const CodeNames dita{
      text::word_set("apiname cmdname codeph delim filepath kwd markupname msgnum "
                     "numcharref oper option parameterentity parmname repsep sep synph "
                     "systemoutput textentity tt userinput varname xmlatt xmlelement xmlnsname "
                     "xmlpi"),
      text::word_set("codeblock msgblock pre screen syntaxdiagram")};
  static const CodeNames other{
      text::word_set("apiname cmdname codeph computeroutput envar filepath parmname systemitem "
                     "systemoutput userinput varname xmlatt xmlelement"),
      text::word_set("codeblock funcsynopsis programlisting")};
  static const CodeNames appstream{text::word_set("code"), {}};
  static const CodeNames android{text::word_set("g"), {}};  // of XLIFF, around what stays
  switch (vocabulary) {
    case XmlVocabulary::mallard:
      return mallard;
    case XmlVocabulary::docbook:
      return docbook;
    case XmlVocabulary::dita:
      return dita;
    case XmlVocabulary::appstream:
      return appstream;
    case XmlVocabulary::android:
      return android;
    case XmlVocabulary::dotnet:
    case XmlVocabulary::xwiki:
    case XmlVocabulary::other:
      break;
  }
  return other;
}

/// The value of the root's declaration of its namespace.
std::string_view namespace_of(const XmlEvent& root) {
  const std::size_t colon = root.name.find(':');
  return root.attribute(colon == std::string::npos ? "xmlns"
                                                   : "xmlns:" + root.name.substr(0, colon));
}

/// Whether such an element is directly in the root, which is the event `first`.
template <class IsSuch>
bool has_child(const std::vector<XmlEvent>& events, std::size_t first, const IsSuch& is_such) {
  for (std::size_t i = first + 1; i < events[first].partner; ++i) {
    if (events[i].kind != XmlEvent::EventType::start) continue;
    if (is_such(events[i])) return true;
    i = events[i].partner;
  }
  return false;
}

}  // namespace

XmlVocabulary xml_vocabulary(std::string_view bytes, const std::vector<XmlEvent>& events) {
  const auto root = std::ranges::find(events, XmlEvent::EventType::start, &XmlEvent::kind);
  if (root == events.end()) return XmlVocabulary::other;
  const std::string_view name_space = namespace_of(*root);
  if (name_space.starts_with("http://projectmallard.org/")) return XmlVocabulary::mallard;
  if (name_space == "http://docbook.org/ns/docbook") return XmlVocabulary::docbook;
  if (!name_space.empty()) return XmlVocabulary::other;
  if (root->name == "component" || root->name == "components") return XmlVocabulary::appstream;
  if (root->name == "xwikidoc") return XmlVocabulary::xwiki;
  const auto first = static_cast<std::size_t>(root - events.begin());
  static const text::WordSet strings = text::word_set("plurals string string-array");
  if (root->name == "resources" && has_child(events, first, [](const XmlEvent& child) {
        return strings.contains(child.name) && child.has_attribute("name");
      }))
    return XmlVocabulary::android;
  if (root->name == "root" && has_child(events, first, [](const XmlEvent& child) {
        return child.name == "resheader" && child.attribute("name") == "resmimetype";
      }))
    return XmlVocabulary::dotnet;
  for (const auto& [name, value] : root->attributes)
    if (name == "xmlns:ditaarch" || value.find(":names:tc:dita:") != std::string::npos)
      return XmlVocabulary::dita;
  const std::string_view before = bytes.substr(0, root->bytes.from);
  const std::size_t type = before.find("<!DOCTYPE");
  if (type != before.npos) {
    const std::string declared(before.substr(type, before.find('[', type) - type));
    if (declared.find(" DITA ") != declared.npos) return XmlVocabulary::dita;
    if (ascii_lower(declared).find("docbook") != declared.npos) return XmlVocabulary::docbook;
  }
  // Roots of DocBook's parts, which are often without a document type.
  static const text::WordSet roots =
      text::word_set("appendix article book chapter refentry refsect1 sect1");
  return roots.contains(root->name) ? XmlVocabulary::docbook : XmlVocabulary::other;
}

std::optional<bool> is_translated_by_rule(XmlVocabulary vocabulary, const XmlEvent& start,
                                          std::size_t depth) {
  std::string_view name = start.local_name();
  static const text::WordSet of_appstream =
      text::word_set("caption description developer_name keyword name name_variant_suffix summary");
  static const text::WordSet of_android = text::word_set("plurals string string-array");
  static const text::WordSet of_xwiki = text::word_set("content title");
  bool is_text = false;
  switch (vocabulary) {
    case XmlVocabulary::appstream:
      if (name == "component") return false;
      if (name.starts_with('_')) name.remove_prefix(1);  // intltool's mark of what is translated
      is_text = of_appstream.contains(name);
      break;
    case XmlVocabulary::android:
      is_text = depth == 1 && of_android.contains(name);
      break;
    case XmlVocabulary::xwiki:
      is_text = depth == 1 && of_xwiki.contains(name);
      break;
    case XmlVocabulary::dotnet:
      if (name == "comment") return false;
      // What has a type is no string; names with `>>` are of the designer of forms.
      is_text = depth == 1 && name == "data" && !start.has_attribute("type") &&
                !start.has_attribute("mimetype") && !start.attribute("name").starts_with(">>");
      break;
    default:
      return {};
  }
  // Nothing is translated but what is named.
  return is_text                                                ? std::optional(true)
         : depth == 0 && vocabulary != XmlVocabulary::appstream ? std::optional(false)
                                                                : std::nullopt;
}

XmlCode xml_code(XmlVocabulary vocabulary, std::string_view local_name) {
  const CodeNames& names = code_names(vocabulary);
  return names.blocks.contains(local_name)    ? XmlCode::block
         : names.in_line.contains(local_name) ? XmlCode::in_line
                                              : XmlCode::none;
}

}  // namespace heed::document
