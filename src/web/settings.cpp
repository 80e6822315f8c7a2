#include "web/settings.h"

#include <cstddef>
#include <variant>

#include "base/error.h"
#include "base/json.h"
#include "config/view.h"

namespace heed::serve {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ShownModel, name, kinds, softmax_kinds, layer, head)

}  // namespace heed::serve

namespace heed::web {
namespace {

using nlohmann::json;

/// The values of a section by their keys; the value of an enumeration is the position of its name.
json values_of(const config::SectionView& section);
void set_values(const config::SectionView& section, const json& values);

struct Writer {
  json operator()(const config::SectionView& section) const { return values_of(section); }
  json operator()(const config::EnumView& value) const { return value.get(); }
  json operator()(const config::ListView&) const { throw Bug("a list of sections has no place"); }
  template <class T>
  json operator()(const T* value) const {
    return *value;
  }
};

struct Reader {
  const json& value;

  void operator()(const config::SectionView& section) const { set_values(section, value); }
  void operator()(const config::EnumView& into) const { into.set(value.get<std::size_t>()); }
  void operator()(const config::ListView&) const { throw Bug("a list of sections has no place"); }
  template <class T>
  void operator()(T* into) const {
    *into = value.get<T>();
  }
};

json values_of(const config::SectionView& section) {
  json values;
  for (const config::FieldView& field : section.fields)
    values[field.key] = std::visit(Writer(), field.value);
  return values;
}

void set_values(const config::SectionView& section, const json& values) {
  for (const config::FieldView& field : section.fields)
    std::visit(Reader{values.at(field.key)}, field.value);
}

}  // namespace

std::string text_of(Settings settings) {
  const json text = {{"shown", settings.shown},
                     {"model", values_of(config::view(settings.model))},
                     {"decoding", values_of(config::view(settings.decoding))},
                     {"before_source", settings.before_source},
                     {"before_target", settings.before_target},
                     {"source_end", settings.source_end},
                     {"pieces", settings.pieces}};
  return text.dump();
}

Settings settings_from(std::string_view text) {
  const json all = json_of(text);
  Settings settings{.shown = all.at("shown")};
  settings.before_source = all.at("before_source");
  settings.before_target = all.at("before_target");
  settings.source_end = all.at("source_end");
  settings.pieces = all.at("pieces");
  set_values(config::view(settings.model), all.at("model"));
  set_values(config::view(settings.decoding), all.at("decoding"));
  return settings;
}

}  // namespace heed::web
