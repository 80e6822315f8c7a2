// The text of an HTML form as application/x-www-form-urlencoded.
#pragma once

#include <string_view>

#include "http/message.h"

namespace heed::http {

/// The fields of "a=b+c&d=%C3%A9", in their order, as the WHATWG's URL standard reads them: a line
/// feed, a second = or a % without two digits behind it is text and stays. (libmicrohttpd ends a
/// value there, and says nothing.) Bytes that are no UTF-8 stay, too.
Fields urlencoded_fields(std::string_view text);

}  // namespace heed::http
