// "did you mean": the nearest of the allowed names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed::config {

/// The name of `allowed` nearest to `word` (case and separators folded; a common prefix counts as
/// near, so that `luong` finds `luong_dot`), or "" where none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& allowed);

/// The distance between two names: 0 where they differ in case and separators at most, 1 where one
/// is a whole part of the other (hidden, hidden_size) or its short form (src, source), 2 and more
/// by spelling, kFar where nobody would see a likeness.
std::size_t distance(std::string_view a, std::string_view b);
inline constexpr std::size_t kFar = 1000;

/// The present name of a key, without its section; the same name if it was never renamed.
std::string present_key(const std::string& key);

/// "; did you mean 'x'?" for the nearest name, or "; allowed: a, b, c" where none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& allowed);

}  // namespace heed::config
