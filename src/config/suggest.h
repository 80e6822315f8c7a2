// "did you mean": the nearest of the allowed names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed::config {

/// The name of `allowed` nearest to `word` (case and separators folded; a common prefix counts as
/// near, so that `luong` finds `luong_dot`), or "" where nothing is.
std::string nearest(std::string_view word, const std::vector<std::string>& allowed);

/// How far two names are from each other: 0 the same but for case and separators, 1 one a whole
/// part of the other (hidden, hidden_size), 2 and more by spelling, kFar where nobody would see a
/// likeness.
std::size_t distance(std::string_view a, std::string_view b);
inline constexpr std::size_t kFar = 1000;

/// What a key, without its section, is called now; a key that was never renamed is itself.
std::string present_key(const std::string& key);

/// "; did you mean 'x'?" for the nearest name, or "; allowed: a, b, c" where none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& allowed);

}  // namespace heed::config
