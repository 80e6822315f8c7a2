// Promises of every config struct of heed, looked at as data.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "config/print.h"
#include "config/view.h"

namespace heed::config {

inline void expect_sound(const SectionView& section, const std::string& prefix) {
  std::set<std::string> keys;
  EXPECT_FALSE(section.fields.empty()) << prefix;
  for (const FieldView& field : section.fields) {
    const std::string path = path_of(prefix, field.key);
    EXPECT_TRUE(keys.insert(field.key).second) << path << " is declared twice";
    EXPECT_TRUE(field.help.ends_with('.')) << path << ": " << field.help;
    EXPECT_EQ(field.help.find('\n'), std::string::npos) << path;
    for (const ValueHelp& value : field.values)
      EXPECT_TRUE(value.help.ends_with('.')) << path << ": " << value.name << ": " << value.help;
    EXPECT_EQ(field.wrong(), "") << path << ": its default breaks its own rule";
    for (const char c : field.key)
      EXPECT_TRUE((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_') << path;
    if (const SectionView* below = section_in(field)) expect_sound(*below, path);
  }
}

/// Documented in sentences, no key twice, every default allowed.
template <Section C>
void expect_sound_schema(const std::string& name) {
  C defaults;
  expect_sound(view(defaults), name);
}

}  // namespace heed::config
