// Files of strings of Android (strings.xml): escapes, quotes and references, as aapt2 reads them.
// https://developer.android.com/guide/topics/resources/string-resource
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/xml_events.h"

namespace heed::document {

/// The events with a character (XmlEvent::EventType::character) for each escape: `\'`, `\n`,
/// `\u00e9`. A quote mark without an escape is no character: it keeps the blanks up to the next
/// one, or to the next tag. Two around a whole value are kept, as `other`; elsewhere the mark
/// belongs to the character beside it.
std::vector<XmlEvent> with_android_escapes(std::string_view bytes, std::vector<XmlEvent> events);

/// A text with Android's escapes and XML's references.
std::string android_text(std::string_view text);

/// A written value that aapt2 does not take for a reference: `@` and `?` at its beginning get an
/// escape.
std::string android_value(std::string_view written);

/// Whether a value is a reference to another: `@string/app_name`, `?attr/x`, `@+id/x`, `@null`.
bool is_android_reference(std::string_view value);

}  // namespace heed::document
