// Options declared once. A struct lists its fields with HEED_FIXED and HEED_FREE; reading YAML,
// `--set`, validation, suggestions, resumed runs, `heed config` and docs/config.md all walk the
// same list (config/io.h, config/differences.h, config/print.h).
//
//   struct ModelConfig {
//     HEED_CONFIG(ModelConfig);
//     HEED_FIXED(int64_t, hidden_size, 512, "Width of the state.", Between<int64_t>{1, 8192})
//   };
//
// HEED_FIXED: a resumed run keeps the value, because the weights or the content of a checkpoint
// depend on it. HEED_FREE: a resumed run may change it. A section that is declared with either
// decides for all of its keys; one that is declared with HEED_SECTION leaves it to them.
//
// A field is found by the line it stands on: standard C++, the same in every translation unit. Two
// fields may not share a line, and a default with a comma in it needs parentheses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace heed::config {

/// The error for a value that the configuration cannot take: `file:line: key.path: what; allowed;
/// nearest`.
class ConfigError : public UserError {
 public:
  using UserError::UserError;
};

inline constexpr std::size_t kMaxLines = 400;  // of one config struct

template <std::size_t I>
struct Index {};

/// Whether a resumed run may change an option.
enum class OnResume {
  fixed,    // keep it
  free,     // change it
  by_keys,  // a section, whose keys each say it
};

/// The check of an option that names none.
struct AnyValue {
  template <class T>
  std::string operator()(const T&) const {
    return "";
  }
  std::string text() const { return ""; }
};

/// One declared option of `Owner`. `check` is a function object: `std::string operator()(const T&)`
/// returns "" or a message ("got 0, expected in [1, 8192]"), and `std::string text()` names the
/// allowed values ("in [1, 8192]").
template <class Owner, class T, class Check>
struct Field {
  std::string_view key;
  T Owner::*member;
  OnResume on_resume;
  std::string_view help;
  Check check = {};
};
template <class Owner, class T, class Check = AnyValue>
Field(std::string_view, T Owner::*, OnResume, std::string_view, Check = {})
    -> Field<Owner, T, Check>;

/// A struct that declares options: it begins with HEED_CONFIG.
template <class T>
concept Section = requires {
  T::heed_first_line;
};

#define HEED_CONFIG(Type) \
  using HeedSelf = Type;  \
  static constexpr std::size_t heed_first_line = __LINE__

#define HEED_FIXED(Type, name, default_value, help, ...) \
  HEED_OPTION_(fixed, Type, name, default_value, help, __VA_ARGS__)
#define HEED_FREE(Type, name, default_value, help, ...) \
  HEED_OPTION_(free, Type, name, default_value, help, __VA_ARGS__)
#define HEED_SECTION(Type, name, help)          \
  static_assert(::heed::config::Section<Type>); \
  HEED_OPTION_(by_keys, Type, name, {}, help)

#define HEED_OPTION_(resume, Type, name, default_value, help, ...)                         \
  Type name = default_value;                                                               \
  static_assert(__LINE__ - heed_first_line < ::heed::config::kMaxLines);                   \
  static auto heed_field(::heed::config::Index<__LINE__ - heed_first_line>) {              \
    return ::heed::config::Field{#name, &HeedSelf::name, ::heed::config::OnResume::resume, \
                                 help __VA_OPT__(, ) __VA_ARGS__};                         \
  }

namespace detail {
template <class C, std::size_t I, class Fn>
void visit(Fn& fn) {
  if constexpr (requires { C::heed_field(Index<I>{}); }) fn(C::heed_field(Index<I>{}));
}
}  // namespace detail

/// Calls fn(field) for every field of C, in the order of declaration.
template <Section C, class Fn>
void for_each_field(Fn&& fn) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (detail::visit<C, I>(fn), ...);
  }
  (std::make_index_sequence<kMaxLines>{});
}

/// The values of an enumeration in their order, each with a sentence on it.
struct EnumText {
  /// Takes pairs of a name and its sentence. A trailing underscore is not part of the name: `auto_`
  /// is written `auto`.
  EnumText(std::initializer_list<std::pair<std::string_view, std::string_view>> values);
  std::vector<std::string> names, helps;
};

// Enumerated options: HEED_ENUM(Norm, (pre, "Before."), (post, "After.")) declares
// `enum class Norm { pre, post }` and its EnumText.
#define HEED_ENUM(Name, ...)                                                             \
  enum class Name { HEED_EACH_(HEED_ENUMERATOR_, __VA_ARGS__) };                         \
  inline const ::heed::config::EnumText& heed_enum_text(Name) {                          \
    static const ::heed::config::EnumText text{HEED_EACH_(HEED_ENUM_ROW_, __VA_ARGS__)}; \
    return text;                                                                         \
  }
#define HEED_ENUMERATOR_(name, help) name,
#define HEED_ENUM_ROW_(name, help) {#name, help},

// HEED_EACH_(m, (a, b), (c, d)) is m(a, b) m(c, d), for up to 16 pairs. The preprocessor expands
// one more pair in each scan of the text.
#define HEED_EACH_(macro, ...) HEED_SCAN_(HEED_NEXT_(macro, __VA_ARGS__))
#define HEED_NEXT_(macro, pair, ...) \
  macro pair __VA_OPT__(HEED_NEXT_AGAIN_ HEED_PARENTHESES_(macro, __VA_ARGS__))
#define HEED_NEXT_AGAIN_() HEED_NEXT_
#define HEED_PARENTHESES_ ()
#define HEED_SCAN_(...) HEED_SCAN_4_(HEED_SCAN_4_(HEED_SCAN_4_(HEED_SCAN_4_(__VA_ARGS__))))
#define HEED_SCAN_4_(...) HEED_SCAN_1_(HEED_SCAN_1_(HEED_SCAN_1_(HEED_SCAN_1_(__VA_ARGS__))))
#define HEED_SCAN_1_(...) __VA_ARGS__

template <class T>
concept Enumeration = std::is_enum_v<T> && requires(T value) {
  heed_enum_text(value);
};

template <Enumeration T>
const std::string& name_of(T value) {
  return heed_enum_text(value).names.at(static_cast<std::size_t>(value));
}

// Checks.

std::string number_text(double value);

/// The check that lowest <= value <= highest; not-a-number is outside.
template <class T>
struct Between {
  T lowest, highest;
  std::string operator()(const T& value) const {
    if (lowest <= value && value <= highest) return "";
    return "got " + number_text(static_cast<double>(value)) + ", expected " + text();
  }
  std::string text() const {
    return "in [" + number_text(static_cast<double>(lowest)) + ", " +
           number_text(static_cast<double>(highest)) + "]";
  }
};

/// The check that a string is in a list that is made elsewhere, such as a registry, which may have
/// a sentence on each name.
struct OneOf {
  const std::vector<std::string>& (*names)();
  const std::vector<std::string>& (*helps)() = nullptr;
  std::string operator()(const std::string& value) const;  // names the nearest
  std::string text() const;                                // "one of a, b, c"
};

/// The check that all elements of a list pass `check`.
template <class T, class Check>
struct Elements {
  Check check;
  std::string operator()(const std::vector<T>& values) const {
    for (const T& value : values)
      if (auto wrong = check(value); !wrong.empty()) return wrong;
    return "";
  }
  std::string text() const { return "each " + check.text(); }
};
template <class T>
using EachBetween = Elements<T, Between<T>>;
using EachOneOf = Elements<std::string, OneOf>;

}  // namespace heed::config
