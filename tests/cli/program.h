// Runs the built program as a user does.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/strings.h"
#include "base/subprocess.h"
#include "paths.h"

namespace heed::cli {

using subprocess::Result;

/// A program and its arguments. It will see no GPU: these tests hold bits, and the CPU's are the
/// same everywhere.
inline std::vector<std::string> command_of(const std::string& program,
                                           const std::vector<std::string>& arguments) {
  ::setenv("CUDA_VISIBLE_DEVICES", "", /*replace=*/1);
  std::vector<std::string> out{program};
  out.insert(out.end(), arguments.begin(), arguments.end());
  return out;
}

/// The program itself, for tests that look at its process or at how it is started.
inline std::vector<std::string> command(const std::vector<std::string>& arguments) {
  return command_of(paths::kHeed, arguments);
}

/// `heed ARGUMENTS` with `input` on its stdin.
inline Result start_heed(const std::vector<std::string>& arguments, std::string_view input = "") {
  return subprocess::run(command(arguments), input);
}

/// The same in a process that ctest's fork server (tests/fork_server) forks, where there is one:
/// 0.25 s less, for LibTorch is loaded.
inline Result run_heed(const std::vector<std::string>& arguments, std::string_view input = "") {
  return subprocess::run(command_of(paths::kServed, arguments), input);
}

/// start_heed through env(1): variables ("NAME=value") or its options first.
inline Result run_heed_in(std::vector<std::string> environment,
                          const std::vector<std::string>& arguments) {
  environment.insert(environment.begin(), "env");
  const auto heed = command(arguments);
  environment.insert(environment.end(), heed.begin(), heed.end());
  return subprocess::run(environment);
}

/// Lines of a text that ends in a line feed or is empty; a rest without one is a line, too.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

/// stdout of a run that must succeed.
inline std::string product(const Result& result) {
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

/// Nothing on stdout, and on stderr one line that has all `parts` in it.
inline void expect_one_line_error(const Result& result, int status,
                                  const std::vector<std::string>& parts) {
  EXPECT_EQ(result.status, status) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("heed: ")) << result.err;
  EXPECT_FALSE(result.err.starts_with("heed: heed ")) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const std::string& part : parts) EXPECT_THAT(result.err, ::testing::HasSubstr(part));
}

/// The user's mistake.
inline void expect_mistake(const Result& result, const std::vector<std::string>& parts) {
  expect_one_line_error(result, 2, parts);
}

}  // namespace heed::cli
