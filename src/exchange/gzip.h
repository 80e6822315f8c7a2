// Files that gzip compressed.
#pragma once

#include <string>
#include <string_view>

#include "exchange/package.h"

namespace heed::exchange {

/// The bytes of all members, one after the other. Throws UserError that begins with `name` where
/// `packed` is no gzip file, is damaged or cut off, or would unpack to far more than it holds.
Bytes gunzipped(std::string_view packed, const std::string& name);

}  // namespace heed::exchange
