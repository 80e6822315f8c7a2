#include "web/settings.h"

#include <type_traits>
#include <variant>

#include "base/error.h"

namespace heed::web {
namespace {

using nlohmann::json;

struct Writer {
  json operator()(const config::SectionView& section) const { return settings_of(section); }
  json operator()(const config::EnumView& value) const { return value.get(); }
  json operator()(const config::ListView&) const { throw Bug("a list of sections has no place"); }
  template <class T>
  json operator()(const T* value) const {
    return *value;
  }
};

struct Reader {
  const json& value;

  void operator()(const config::SectionView& section) const { take_settings(value, section); }
  void operator()(const config::EnumView& into) const { into.set(value.get<std::size_t>()); }
  void operator()(const config::ListView&) const { throw Bug("a list of sections has no place"); }
  template <class T>
  void operator()(T* into) const {
    *into = value.get<T>();
  }
};

}  // namespace

json settings_of(const config::SectionView& section) {
  json settings;
  for (const config::FieldView& field : section.fields)
    settings[field.key] = std::visit(Writer(), field.value);
  return settings;
}

void take_settings(const json& settings, const config::SectionView& section) {
  for (const config::FieldView& field : section.fields)
    std::visit(Reader{settings.at(field.key)}, field.value);
}

}  // namespace heed::web
