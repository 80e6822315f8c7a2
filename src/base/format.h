// {fmt}, for messages: fmt::format("{}: {} lines", path, count). It is the one that spdlog is built
// with: the system's, or spdlog's own copy.
#pragma once

#include <spdlog/fmt/fmt.h>
