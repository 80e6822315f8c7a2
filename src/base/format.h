// {fmt}, for messages: fmt::format("{}: {} lines", path, count). It is the one that spdlog is built
// with: the system's, or spdlog's own copy. base/error.h and base/log.h, which take formats,
// include it.
#pragma once

#include <spdlog/fmt/fmt.h>
