// "did you mean": the nearest of the allowed names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::config {

/// The name of `allowed` nearest to `word` (case and separators folded; a common prefix counts as near, so that
/// `luong` finds `luong_dot`), or "" where nothing is.
std::string nearest(std::string_view word, const std::vector<std::string>& allowed);

/// "; did you mean 'x'?" for the nearest name, or "; allowed: a, b, c" where none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& allowed);

}  // namespace heed::config
