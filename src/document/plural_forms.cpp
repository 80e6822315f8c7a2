#include "document/plural_forms.h"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "base/strings.h"
#include "text/language_tags.h"
#include "text/words.h"

namespace heed::document {
namespace {

/// Computes an expression of C with this n in numbers without a sign, as gettext does.
class PluralExpression {
 public:
  PluralExpression(std::string_view text, uint64_t n) : text_(text), n_(n) {}

  /// The value; none where it is no such expression.
  std::optional<uint64_t> value() {
    const uint64_t value = conditional();
    skip_blanks();
    return is_wrong_ || is_undefined_ || at_ < text_.size() ? std::nullopt : std::optional(value);
  }

 private:
  static constexpr int kDeepest = 64;

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }

  uint64_t conditional() {
    if (++depth_ > kDeepest) {
      is_wrong_ = true;
      return 0;
    }
    uint64_t value = binary(0);
    if (take("?")) {
      const bool is_undefined = is_undefined_;
      const uint64_t yes = conditional();
      const bool is_yes_undefined = std::exchange(is_undefined_, is_undefined);
      if (!take(":")) is_wrong_ = true;
      const uint64_t no = conditional();
      if (value != 0) is_undefined_ = is_yes_undefined;
      value = value != 0 ? yes : no;
    }
    --depth_;
    return value;
  }

  uint64_t binary(std::size_t level) {
    static constexpr std::array<std::array<std::string_view, 4>, 6> kSigns = {
        {{"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}};
    if (level == kSigns.size()) return unary();
    uint64_t left = binary(level + 1);
    for (bool found = true; found && !is_wrong_;) {
      found = false;
      for (const std::string_view sign : kSigns.at(level)) {
        if (sign.empty() || !take(sign)) continue;
        const bool is_undefined = is_undefined_;
        const uint64_t right = binary(level + 1);
        // The right side of a side that decides is not computed.
        if ((sign == "||" && left != 0) || (sign == "&&" && left == 0))
          is_undefined_ = is_undefined;
        left = computed(left, sign, right);
        found = true;
        break;
      }
    }
    return left;
  }

  uint64_t computed(uint64_t a, std::string_view sign, uint64_t b) {
    if (sign == "||") return static_cast<uint64_t>(a != 0 || b != 0);
    if (sign == "&&") return static_cast<uint64_t>(a != 0 && b != 0);
    if (sign == "==") return static_cast<uint64_t>(a == b);
    if (sign == "!=") return static_cast<uint64_t>(a != b);
    if (sign == "<=") return static_cast<uint64_t>(a <= b);
    if (sign == ">=") return static_cast<uint64_t>(a >= b);
    if (sign == "<") return static_cast<uint64_t>(a < b);
    if (sign == ">") return static_cast<uint64_t>(a > b);
    if (sign == "+") return a + b;
    if (sign == "-") return a - b;
    if (sign == "*") return a * b;
    if (b == 0) {
      is_undefined_ = true;
      return 0;
    }
    return sign == "/" ? a / b : a % b;
  }

  uint64_t unary() {
    bool is_not = false, is_negated = false;
    while (take("!")) {
      is_negated = true;
      is_not = !is_not;
    }
    const uint64_t value = primary();
    if (!is_negated) return value;
    return static_cast<uint64_t>((value != 0) != is_not);
  }

  uint64_t primary() {
    if (take("n")) return n_;
    if (take("(")) {
      const uint64_t value = conditional();
      if (!take(")")) is_wrong_ = true;
      return value;
    }
    skip_blanks();
    std::size_t end = at_;
    while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
    const auto number = exact_number<uint64_t>(text_.substr(at_, end - at_));
    if (!number) is_wrong_ = true;
    at_ = end;
    return number.value_or(0);
  }

  std::string_view text_;
  uint64_t n_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool is_wrong_ = false;
  bool is_undefined_ = false;  // a division by zero
};

struct PluralRow {
  const char* languages;
  const char* header;
};

// GNU gettext's table (its manual, "Plural forms"), and Unicode CLDR for the languages that it
// lacks.
constexpr PluralRow kPluralRows[] = {
    {"ay bo dz id ig ii ja jv ka km ko lo ms my sah su th to tt ug vi wo yo zh yue",
     "nplurals=1; plural=0;"},
    {"af an as ast az bg bn brx ca da de doi el en eo es et eu fi fo fur fy gl gu ha he hu ia it "
     "kk "
     "kl kn ku ky lb mai ml mn mr nah nb ne nl nn no nso or pa pap pms ps pt rm rw sat sco se si "
     "so "
     "son sq sv sw ta te tk ur uz yi xh zu",
     "nplurals=2; plural=(n != 1);"},
    {"ach ak am arn br fa fil fr gun hi hy ln mfe mg mi oc tg ti tl tr wa",
     "nplurals=2; plural=(n > 1);"},
    {"be bs hr ru sr uk",
     "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) "
     "? 1 : 2);"},
    {"cs sk", "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;"},
    {"pl",
     "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"},
    {"lt",
     "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);"},
    {"lv", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);"},
    {"ro mo", "nplurals=3; plural=(n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2);"},
    {"sl", "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);"},
    {"ar",
     "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? "
     "4 : 5);"},
    {"ga", "nplurals=5; plural=n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4;"},
    {"gd",
     "nplurals=4; plural=(n==1 || n==11) ? 0 : (n==2 || n==12) ? 1 : (n > 2 && n < 20) ? 2 : 3;"},
    {"cy", "nplurals=4; plural=(n==1) ? 0 : (n==2) ? 1 : (n != 8 && n != 11) ? 2 : 3;"},
    {"is mk", "nplurals=2; plural=(n%10!=1 || n%100==11);"},
    {"mt",
     "nplurals=4; plural=(n==1 ? 0 : n==0 || ( n%100>1 && n%100<11) ? 1 : (n%100>10 && n%100<20 ) "
     "? "
     "2 : 3);"},
};

}  // namespace

std::optional<PluralForms> plural_forms(std::string_view header) {
  const auto value_of = [&](std::string_view key) -> std::string_view {
    const std::size_t at = header.find(key);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = header.substr(at + key.size());
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos || !trim(rest.substr(0, equals)).empty()) return {};
    return trim(rest.substr(equals + 1, rest.find(';') - equals - 1));
  };
  const auto count = exact_number<uint64_t>(value_of("nplurals"));
  const std::size_t second = header.find(';');
  constexpr uint64_t kMostForms = 100;
  if (!count || *count < 1 || *count > kMostForms || second == std::string_view::npos)
    return std::nullopt;
  header.remove_prefix(second + 1);
  const std::string_view expression = value_of("plural");
  constexpr std::size_t kLongest = 2000;
  if (expression.size() > kLongest) return std::nullopt;
  const auto of_one = PluralExpression(expression, 1).value();
  // As msgfmt does: each of these numbers has a form. One that few numbers have may say them in
  // words, as "no file, one file".
  constexpr uint64_t kNumbers = 1000, kOften = 5;
  uint64_t times = 0;
  for (uint64_t n = 0; n <= kNumbers; ++n) {
    const auto form = PluralExpression(expression, n).value();
    if (!form || *form >= *count) return std::nullopt;
    if (form == of_one) ++times;
  }
  return PluralForms{static_cast<int64_t>(*count), static_cast<int64_t>(*of_one), times >= kOften};
}

std::string_view plural_header(std::string_view language) {
  const std::string main = text::main_language(language);
  if (ascii_lower(language).starts_with("pt_br") || ascii_lower(language).starts_with("pt-br"))
    return "nplurals=2; plural=(n > 1);";
  for (const PluralRow& row : kPluralRows)
    if (!main.empty() && text::word_set(row.languages).contains(main)) return row.header;
  return "";
}

}  // namespace heed::document
