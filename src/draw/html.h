// HTML by hand: elements around escaped text.
#pragma once

#include <string>

namespace heed::draw {

/// `tag` may have attributes behind its name: "div class=\"wide\"". `content` is HTML.
std::string element(const std::string& tag, const std::string& content,
                    const std::string& attributes = "");

/// The same around text, which is escaped.
std::string text_element(const std::string& tag, const std::string& text,
                         const std::string& attributes = "");

/// `head`: th elements; `body`: tr elements. It scrolls where the page is narrow.
std::string table(const std::string& head, const std::string& body);

}  // namespace heed::draw
