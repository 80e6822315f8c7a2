#include "document/xml_events.h"

#include <expat.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/strings.h"
#include "text/references.h"

namespace heed::document {
namespace {

constexpr std::string_view kXmlBlanks = " \t\n\r";

/// Takes what Expat finds. Bytes for which Expat has no event become events of the kind `other`.
class XmlReader {
 public:
  XmlReader(std::string_view bytes, XmlEntities entities)
      : bytes_(bytes), parser_(XML_ParserCreate("UTF-8")) {
    if (parser_ == nullptr) throw std::bad_alloc();
    // As if a document type, which is not read, might declare them.
    if (entities == XmlEntities::any) XML_UseForeignDTD(parser_.get(), XML_TRUE);
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &XmlReader::on_start, &XmlReader::on_end);
    XML_SetCharacterDataHandler(parser_.get(), &XmlReader::on_text);
    XML_SetCdataSectionHandler(parser_.get(), &XmlReader::on_cdata_start, &XmlReader::on_cdata_end);
    // With a handler of this kind Expat does not expand entities in text.
    XML_SetDefaultHandler(parser_.get(), &XmlReader::on_other);
    XML_SetParamEntityParsing(parser_.get(), XML_PARAM_ENTITY_PARSING_NEVER);
  }

  std::vector<XmlEvent> read() {
    constexpr std::size_t kChunk = std::size_t{1} << 30;  // Expat counts bytes as int
    for (std::size_t from = 0, size = 0; from <= bytes_.size(); from += size) {
      size = std::min(bytes_.size() - from, kChunk);
      const bool is_last = from + size == bytes_.size();
      const XML_Status status =
          XML_Parse(parser_.get(), bytes_.data() + from, static_cast<int>(size), is_last);
      if (status != XML_STATUS_OK)
        throw UserError(
            "line {}: it is not well-formed XML ({}); correct it there, or choose another format",
            XML_GetCurrentLineNumber(parser_.get()),
            XML_ErrorString(XML_GetErrorCode(parser_.get())));
      if (is_last) break;
    }
    fill_up_to(bytes_.size());
    return std::move(events_);
  }

 private:
  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  static XmlReader& self(void* data) { return *static_cast<XmlReader*>(data); }

  static void XMLCALL on_start(void* data, const XML_Char* name, const XML_Char** attributes) {
    XmlReader& reader = self(data);
    XmlEvent& event = reader.add(XmlEvent::EventType::start);
    event.name = name;
    for (; *attributes != nullptr; attributes += 2)
      event.attributes.emplace_back(attributes[0], attributes[1]);
    reader.open_.push_back(reader.events_.size() - 1);
  }

  static void XMLCALL on_end(void* data, const XML_Char* name) {
    XmlReader& reader = self(data);
    XmlEvent& event = reader.add(XmlEvent::EventType::end);
    event.name = name;
    event.partner = reader.open_.back();
    reader.open_.pop_back();
    reader.events_[event.partner].partner = reader.events_.size() - 1;
  }

  static void XMLCALL on_text(void* data, const XML_Char* text, int size) {
    XmlReader& reader = self(data);
    if (reader.in_cdata_) return;
    const ByteRange now = reader.now();
    const bool is_reference = now.from < now.to && reader.bytes_[now.from] == '&';
    if (!is_reference && !reader.events_.empty() &&
        reader.events_.back().kind == XmlEvent::EventType::text &&
        reader.events_.back().bytes.to == now.from) {
      reader.events_.back().bytes.to = now.to;
      return;
    }
    XmlEvent& event =
        reader.add(is_reference ? XmlEvent::EventType::character : XmlEvent::EventType::text);
    if (is_reference) event.text.assign(text, static_cast<std::size_t>(size));
  }

  static void XMLCALL on_cdata_start(void* data) {
    XmlReader& reader = self(data);
    reader.add(XmlEvent::EventType::cdata);
    reader.in_cdata_ = true;
  }

  static void XMLCALL on_cdata_end(void* data) {
    XmlReader& reader = self(data);
    reader.in_cdata_ = false;
    reader.events_.back().bytes.to = reader.now().to;
  }

  static void XMLCALL on_other(void* data, const XML_Char* /*text*/, int /*size*/) {
    XmlReader& reader = self(data);
    const ByteRange now = reader.now();
    if (!reader.in_cdata_ && now.from >= reader.end()) reader.add(XmlEvent::EventType::other);
  }

  /// The bytes of what Expat reports now.
  ByteRange now() const {
    const auto from = static_cast<std::size_t>(XML_GetCurrentByteIndex(parser_.get()));
    return {from, from + static_cast<std::size_t>(XML_GetCurrentByteCount(parser_.get()))};
  }

  std::size_t end() const { return events_.empty() ? 0 : events_.back().bytes.to; }

  /// Adds what stands before `byte` and was not reported.
  void fill_up_to(std::size_t byte) {
    if (byte > end()) events_.push_back({.bytes = {end(), byte}});
  }

  XmlEvent& add(XmlEvent::EventType kind) {
    const ByteRange bytes = now();
    fill_up_to(bytes.from);
    return events_.emplace_back(XmlEvent{.kind = kind, .bytes = bytes});
  }

  std::string_view bytes_;
  std::unique_ptr<XML_ParserStruct, Free> parser_;
  std::vector<XmlEvent> events_;
  std::vector<std::size_t> open_;  // indices of start tags
  bool in_cdata_ = false;
};

/// The encoding that the document's declaration names.
std::string declared_encoding(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  if (!bytes.starts_with("<?xml")) return "";
  const std::string_view declaration = bytes.substr(0, bytes.find("?>"));
  const std::size_t at = declaration.find("encoding");
  const std::size_t quote = declaration.find_first_of("'\"", std::min(at, declaration.size()));
  if (quote == std::string_view::npos) return "";
  const std::size_t end = declaration.find(declaration[quote], quote + 1);
  return std::string(declaration.substr(quote + 1, end - quote - 1));
}

struct AttributeBytes {
  ByteRange all;    // with the blanks before it
  ByteRange value;  // without quotes
};

/// Where the attribute stands in a well-formed tag.
AttributeBytes attribute_in(std::string_view tag, std::string_view name) {
  std::size_t at = tag.find_first_of(" \t\n\r/>");
  while (at < tag.size()) {
    const std::size_t from = tag.find_first_not_of(kXmlBlanks, at);
    if (from == std::string_view::npos || tag[from] == '/' || tag[from] == '>') break;
    const std::size_t end = tag.find_first_of(" \t\n\r=", from);
    const std::size_t quote = tag.find_first_of("'\"", end);
    const std::size_t close = tag.find(tag[quote], quote + 1);
    if (tag.substr(from, end - from) == name)
      return {.all = {at, close + 1}, .value = {quote + 1, close}};
    at = close + 1;
  }
  return {};
}

/// The value of an attribute as a tag has it, between double or single quotes.
std::string escaped_value(std::string_view value) {
  std::string out;
  for (const char c : text::with_references(value)) {
    if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&apos;";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string_view XmlEvent::local_name() const {
  const std::size_t colon = name.rfind(':');
  return std::string_view(name).substr(colon == std::string::npos ? 0 : colon + 1);
}

std::string_view XmlEvent::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(
      attributes, wanted, [](const auto& one) -> const auto& { return one.first; });
  return found == attributes.end() ? std::string_view() : found->second;
}

bool XmlEvent::has_attribute(std::string_view wanted) const {
  return std::ranges::any_of(attributes, [&](const auto& one) { return one.first == wanted; });
}

std::vector<XmlEvent> xml_events(std::string_view bytes, XmlEntities entities) {
  const std::string encoding = declared_encoding(bytes), lower = ascii_lower(encoding);
  const bool is_wide = bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");
  const bool is_utf8 = lower.empty() || lower == "utf-8" || lower == "utf8" ||
                       lower == "us-ascii" || lower == "ascii";
  // What begins with these bytes has been converted, and its declaration has not.
  if (!is_wide && (lower.starts_with("utf-16") || lower.starts_with("utf-32")))
    throw UserError(
        "line 1: it says that its encoding is {}, and it is UTF-8; mend the line: `sed '1s/ "
        "encoding=[^ ?]*//' OLD > NEW`",
        encoding);
  if (is_wide || !is_utf8)
    throw UserError(
        "line 1: its encoding is {}, and documents are read in UTF-8; convert it: `iconv -f {} -t "
        "UTF-8 OLD | sed '1s/ encoding=[^ ?]*//' > NEW`",
        is_wide ? "UTF-16" : encoding, is_wide ? "UTF-16" : encoding);
  return XmlReader(bytes, entities).read();
}

std::string with_attribute(std::string_view tag, std::string_view name, std::string_view value) {
  std::string out(tag);
  if (const AttributeBytes found = attribute_in(tag, name); !found.all.is_empty())
    return out.replace(found.value.from, found.value.to - found.value.from, escaped_value(value));
  const std::size_t close = out.size() - (tag.ends_with("/>") ? 2 : 1);
  const std::size_t end = out.find_last_not_of(kXmlBlanks, close - 1) + 1;
  return out.insert(end, " " + std::string(name) + "=\"" + escaped_value(value) + '"');
}

ByteRange value_in(std::string_view tag, std::string_view name) {
  return attribute_in(tag, name).value;
}

std::string without_attribute(std::string_view tag, std::string_view name) {
  const AttributeBytes found = attribute_in(tag, name);
  return std::string(tag).erase(found.all.from, found.all.to - found.all.from);
}

std::string as_start_tag(std::string_view tag) {
  if (!tag.ends_with("/>")) return std::string(tag);
  tag.remove_suffix(2);
  return std::string(tag.substr(0, tag.find_last_not_of(kXmlBlanks) + 1)) + '>';
}

int64_t line_number(std::string_view bytes, std::size_t byte) {
  return 1 + std::ranges::count(bytes.substr(0, byte), '\n');
}

}  // namespace heed::document
