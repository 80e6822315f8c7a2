// How much memory this process may still take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heed {

/// Bytes that the system can give without swapping, or fewer where a control group (a container, a
/// job of a cluster) allows fewer; nothing where neither says. `root` stands before the paths of
/// /proc and /sys.
std::optional<int64_t> available_memory(const std::string& root = "");

}  // namespace heed
