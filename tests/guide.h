// Examples of docs/extending.md, which are files of tests/ that are compiled and tested.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/files.h"
#include "paths.h"

namespace heed {

/// Tests that the guide shows the file, of which `path` is that in the repository, as code of
/// `language`. Lines of a table are those after what it has of heed.
inline void expect_in_guide(const std::string& path, const std::string& language = "cpp") {
  std::string text = read_file(std::string(paths::kSource) + "/" + path);
  if (path.ends_with(".def")) text.erase(0, text.find("\nHEED_") + 1);
  EXPECT_THAT(read_file(std::string(paths::kSource) + "/docs/extending.md"),
              ::testing::HasSubstr("```" + language + "\n" + text + "```"))
      << path;
}

}  // namespace heed
