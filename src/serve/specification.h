// What the server's interface is, for programs that read a description of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/answers/answers.h"

namespace heed::serve {

/// The paths of the interface with their parameters, in the form of Swagger 2.0
/// (https://swagger.io/specification/v2/), which LibreTranslate's /spec has, too. docs/serving.md
/// says more about each.
Json specification();

/// The names of all parameters that requests of this path may have; none for another path.
std::vector<std::string> parameter_names(std::string_view path);

}  // namespace heed::serve
