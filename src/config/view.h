// A config struct without its C++ type, as reading, writing and documenting it need it. view() is
// the one template; everything that walks a view is ordinary code in a .cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "config/schema.h"

namespace heed::config {

struct FieldView;

/// The fields of one struct, in the order of declaration. Points into that struct, which must live
/// on.
struct SectionView {
  std::vector<FieldView> fields;
};

/// An enumeration whose values are positions in its list of names.
struct EnumView {
  const std::vector<std::string>* names;
  std::function<std::size_t()> get;
  std::function<void(std::size_t)> set;
};

/// A list of structs. Views of elements are valid until the list changes.
struct ListView {
  std::function<std::size_t()> size;
  std::function<void()> clear;
  std::function<SectionView()> add;
  std::function<SectionView(std::size_t)> at;
  SectionView prototype;  // an element with its defaults, for names and documentation
  std::shared_ptr<const void> prototype_owner;
};

using ValueView =
    std::variant<int64_t*, double*, bool*, std::string*, EnumView, std::vector<int64_t>*,
                 std::vector<double>*, std::vector<std::string>*, SectionView, ListView>;

struct ValueHelp {
  std::string name, help;
};

struct FieldView {
  std::string key, help;
  std::string allowed;  // "in [1, 8]", or "" where any value is
  OnResume on_resume;   // also where a section above says it
  ValueView value;
  std::function<std::string()> wrong;  // a message about the present value, or ""
  std::vector<ValueHelp> values = {};  // the allowed values, where each has a sentence
};

/// A view of `config`. `above`: what the sections around it say about a resumed run.
template <Section C>
SectionView view(C& config, OnResume above = OnResume::by_keys);

namespace detail {

std::vector<ValueHelp> values_of(const std::vector<std::string>& names,
                                 const std::vector<std::string>& helps);

template <class T, class Check>
std::vector<ValueHelp> values_of(const Check& check) {
  if constexpr (Enumeration<T>) {
    return values_of(heed_enum_text(T{}).names, heed_enum_text(T{}).helps);
  } else if constexpr (requires { check.helps; }) {
    if (check.helps != nullptr) return values_of(check.names(), check.helps());
  } else if constexpr (requires { check.check; }) {
    return values_of<T>(check.check);
  }
  return {};
}

template <class T>
ValueView value_view(T& value, OnResume above) {
  if constexpr (Section<T>) {
    return view(value, above);
  } else if constexpr (Enumeration<T>) {
    return EnumView{&heed_enum_text(T{}).names,
                    [&value] { return static_cast<std::size_t>(value); },
                    [&value](std::size_t name) { value = static_cast<T>(name); }};
  } else {
    return &value;
  }
}

template <Section T>
ValueView value_view(std::vector<T>& list, OnResume above) {
  auto prototype = std::make_shared<T>();
  SectionView of_prototype = view(*prototype, above);
  return ListView{[&list] { return list.size(); },
                  [&list] { list.clear(); },
                  [&list, above] { return view(list.emplace_back(), above); },
                  [&list, above](std::size_t i) { return view(list.at(i), above); },
                  std::move(of_prototype),
                  std::move(prototype)};
}

}  // namespace detail

template <Section C>
SectionView view(C& config, OnResume above) {
  SectionView section;
  for_each_field<C>([&](const auto& field) {
    auto& value = config.*field.member;
    using Value = std::remove_reference_t<decltype(value)>;
    const OnResume on_resume = above == OnResume::by_keys ? field.on_resume : above;
    section.fields.push_back({std::string(field.key), std::string(field.help), field.check.text(),
                              on_resume, detail::value_view(value, on_resume),
                              [&value, check = field.check] { return check(value); },
                              detail::values_of<Value>(field.check)});
  });
  return section;
}

/// The path of a key: "model.heads", or "heads" where the section has no name.
std::string path_of(const std::string& section, const std::string& key);

/// The keys of one section.
std::vector<std::string> keys_of(const SectionView& section);

/// The paths of all fields at any depth, sections included.
std::vector<std::string> all_paths(const SectionView& root, const std::string& prefix = "");

/// The number of sections around the key of a path.
std::ptrdiff_t depth_of(const std::string& path);

/// "; did you mean 'x'?" for a key that `section` (at path `prefix` of `root`) does not have: a key
/// of this section, or the whole path where the key lives elsewhere, in as few sections as any of
/// the name; else the keys that there are. `whole`: always the whole path, as it is typed in a
/// setting; a file has a key in its section.
std::string suggest_key(const std::string& key, const SectionView& section,
                        const std::string& prefix, const SectionView& root, bool whole);

/// The path of the key that an option of another trainer (`--epochs`) means, by heed's name of the
/// key or another trainer's; "" where there is none, or it is a section. Of several keys of the
/// name it is the first that `allowed` holds for, in as few sections as any.
std::string key_named(const std::string& name, const SectionView& root,
                      const std::function<bool(const std::string& path)>& allowed);

/// The field with this key, by its present or a former name; nullptr where there is none.
const FieldView* field_in(const SectionView& section, const std::string& key);

/// The field at a dotted path; `prefix...` of a list goes into its elements' prototype. nullptr
/// where there is none.
const FieldView* find_field(const SectionView& root, const std::string& path);

}  // namespace heed::config
