#include "document/html_components.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/strings.h"
#include "document/gumbo_page.h"
#include "document/templates.h"
#include "document/token.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

class ComponentsOfPassage {
 public:
  ComponentsOfPassage(std::string_view bytes, Passage& passage)
      : bytes_(bytes), tokens_(passage.tokens) {}

  void set_apart() {
    for (const Token& token : tokens_) kinds_.push_back(kind_of(token));
    if (std::ranges::find(kinds_, Kind::component) == kinds_.end()) return;
    std::vector<bool> is_apart_before, is_apart_after(tokens_.size());  // no words are beside it
    bool is_apart = true;
    for (const Kind kind : kinds_) {
      is_apart_before.push_back(is_apart);
      if (kind != Kind::nothing) is_apart = kind == Kind::component;
    }
    is_apart = true;
    for (std::size_t i = tokens_.size(); i-- > 0;) {
      is_apart_after[i] = is_apart;
      if (kinds_[i] != Kind::nothing) is_apart = kinds_[i] == Kind::component;
    }
    std::map<std::string, std::vector<std::size_t>> open;  // by name
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (kinds_[i] != Kind::component) continue;
      std::vector<std::size_t>& first = open[tokens_[i].name];
      if (tokens_[i].syntax == Token::Syntax::opening) {
        first.push_back(i);
      } else if (!first.empty()) {
        if (is_apart_before[first.back()] && is_apart_after[i])
          tokens_[first.back()].syntax = tokens_[i].syntax = Token::Syntax::block;
        first.pop_back();
      }
    }
  }

 private:
  enum class Kind { nothing, words, component };

  Kind kind_of(const Token& token) const {
    using enum Token::Syntax;
    const std::string_view bytes = bytes_.substr(token.from, token.bytes());
    switch (token.syntax) {
      case text:
        return text::is_blank(token.text.empty() ? bytes : token.text) ? Kind::nothing
                                                                       : Kind::words;
      case opening:
      case closing:
        return is_component(token, bytes) ? Kind::component : Kind::words;
      case whole:
        return bytes.starts_with("<!--") ||
                       (!bytes.starts_with('<') && !bytes.starts_with('&') && is_statement(bytes))
                   ? Kind::nothing
                   : Kind::words;
      case line_break:
      case block:
        return Kind::nothing;
    }
    return Kind::words;
  }

  static bool is_component(const Token& token, std::string_view tag) {
    const std::size_t at = tag.starts_with("</") ? 2 : 1;
    return !token.name.empty() && tag.size() > at && !is_element_of_html(token.name) &&
           (is_one_of('-', token.name) || (tag[at] >= 'A' && tag[at] <= 'Z'));
  }

  std::string_view bytes_;
  std::vector<Token>& tokens_;
  std::vector<Kind> kinds_;  // by token
};

}  // namespace

void set_components_apart(std::string_view bytes, Passage& passage) {
  ComponentsOfPassage(bytes, passage).set_apart();
}

}  // namespace heed::document
