#include "document/template_code.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "document/plain_lines.h"
#include "document/templates.h"
#include "document/token.h"

namespace heed::document {
namespace {

using Syntax = Token::Syntax;

/// Whether these bytes are a tag of a template.
bool is_template(std::string_view bytes) {
  return bytes.starts_with("<%") || bytes.starts_with("<?") ||
         (!bytes.empty() && !is_one_of(bytes[0], "<&"));
}

/// Whether a tag begins or ends a block, which another template fills.
bool is_of_block(std::string_view tag) {
  if (!tag.starts_with("{%") && !tag.starts_with("@")) return false;
  const std::string_view inside = tag.substr(after_run(tag, "{%@-+~ \t\r\n"));
  return inside.starts_with("block ") || inside.starts_with("endblock") ||
         inside.starts_with("section(") || inside.starts_with("endsection");
}

bool ends_statement(std::string_view line) {
  return is_one_of(line.back(), ";{}") || line.ends_with("});") || line.ends_with("})");
}

/// Whether the line is a member of an object, `'id': 'x',`, or a closing bracket.
bool is_member(std::string_view line) {
  if (is_one_of(line[0], "]})") && line.size() <= 3) return true;
  const bool is_quoted = is_one_of(line[0], "'\"");
  return is_one_of(line.back(), ",'\"[(") &&
         (is_quoted || line.find(": ") != line.npos || line.size() == 1);
}

bool is_comment(std::string_view line) {
  return line.starts_with("//") || line.starts_with("/*") || line.starts_with("* ") || line == "*/";
}

bool is_code(std::string_view text) {
  std::size_t lines = 0, code = 0;
  bool has_statement = false;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view line = trim(text.substr(from, end - from));
    from = end + 1;
    if (line.empty() || line == "X") continue;
    const bool is_said = is_comment(line);
    if (!is_said && is_line_of_prose(line)) return false;
    ++lines;
    code += is_said || is_line_of_code(line) || is_member(line) ? 1 : 0;
    has_statement |= ends_statement(line);
  }
  return has_statement && 2 * code >= lines;
}

/// Whether a text has nothing but attributes: `id="x" class="y"`.
bool is_attributes(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-:_";
  bool has_any = false;
  for (std::size_t at = after_run(text, kBlanks); at < text.size();
       at = after_run(text, kBlanks, at)) {
    const std::size_t name = after_run(text, kOfNames, at);
    if (name == at || !text.substr(name).starts_with("=\"")) return false;
    const std::size_t end = text.find('"', name + 2);
    if (end == text.npos) return false;
    at = end + 1;
    has_any = true;
  }
  return has_any;
}

/// Goes through the tokens of a passage.
class CodeKeeper {
 public:
  CodeKeeper(std::string_view bytes, Passage& passage) : bytes_(bytes), passage_(passage) {}

  void keep() {
    keep_parts([&](const Token& token) { return is_of_block(bytes_of(token)); },
               [](std::string_view text) { return is_code(text) || is_attributes(text); });
    keep_parts(
        [&](const Token& token) {
          return token.syntax == Syntax::block && is_statement(bytes_of(token));
        },
        is_attributes);
  }

 private:
  std::string_view bytes_of(const Token& token) const {
    return bytes_.substr(token.from, token.bytes());
  }

  /// Makes one token of each part between tokens for which `divides` is true, if its text is
  /// `kept`.
  template <class Divides, class IsKept>
  void keep_parts(const Divides& divides, const IsKept& is_kept) {
    std::vector<Token> out, part;
    const auto end_part = [&] {
      if (!part.empty() && is_kept(text_of(part)))
        out.push_back({.from = part.front().from, .to = part.back().to, .syntax = Syntax::block});
      else
        std::ranges::move(part, std::back_inserter(out));
      part.clear();
    };
    for (Token& token : passage_.tokens) {
      if (!divides(token)) {
        part.push_back(std::move(token));
        continue;
      }
      end_part();
      out.push_back(std::move(token));
    }
    end_part();
    passage_.tokens = std::move(out);
  }

  /// The text of tokens, with X for each tag of a template that writes something; empty where a tag
  /// of HTML is among them.
  std::string text_of(const std::vector<Token>& tokens) const {
    std::string out;
    for (const Token& token : tokens) {
      const std::string_view bytes = bytes_of(token);
      if (token.syntax == Syntax::text)
        out += token.text.empty() ? bytes : token.text;
      else if (token.syntax == Syntax::line_break)
        out += '\n';
      else if ((token.syntax != Syntax::whole && token.syntax != Syntax::block) ||
               !is_template(bytes))
        return "";
      else if (!is_statement(bytes))
        out += 'X';
    }
    return out;
  }

  std::string_view bytes_;
  Passage& passage_;
};

}  // namespace

void keep_template_code(std::string_view bytes, Passage& passage) {
  if (!passage.tokens.empty()) CodeKeeper(bytes, passage).keep();
}

}  // namespace heed::document
