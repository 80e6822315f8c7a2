// "did you mean": the nearest of the allowed names.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heed::config {

/// The name of `allowed` nearest to `word` (case and separators folded; a common prefix counts as
/// near, so that `luong` finds `luong_dot`), or "" where none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& allowed);

/// The distance from what was typed to a name: 0 where they differ in case and separators at most,
/// 1 where it is the name's beginning (hid, hidden_size), one is the first or last words of the
/// other (hidden, hidden_size) or its short form (src, source), 2 and more by spelling, kFar where
/// nobody would see a likeness.
std::size_t distance(std::string_view typed, std::string_view name);
inline constexpr std::size_t kFar = 1000;

/// The present name of a key, without its section; the same name if it was never renamed.
std::string present_key(const std::string& key);

/// The path of heed's key for a name that keys and options of other trainers have (`train_steps` is
/// `training.updates`), in lower case without separators; docs/training.md has those of
/// configurations.
const std::map<std::string, std::string>& names_of_other_trainers();

/// The name in lower case, without separators: Hidden-Size and hidden_size become the same.
std::string folded(std::string_view name);

/// "; did you mean 'x'?" for the nearest name, or "; allowed: a, b, c" where none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& allowed);

}  // namespace heed::config
