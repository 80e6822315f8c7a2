#include "base/new_name.h"

#include "base/strings.h"

namespace heed {

std::string new_name(std::string_view old, std::string_view ending) {
  constexpr std::string_view kNew = "NEW";
  old = old.substr(old.find_last_of('/') + 1);
  old = old.substr(0, old.find('.'));
  std::string made(kNew);
  if (old == kNew)
    made += '2';
  else if (old.starts_with(kNew))
    if (const auto number = exact_number<int>(old.substr(kNew.size())))
      made += std::to_string(*number + 1);
  return made + std::string(ending);
}

}  // namespace heed
