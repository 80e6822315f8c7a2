// Forms of the type multipart/form-data (RFC 7578), as browsers and programs write them.
#pragma once

#include <string>
#include <string_view>

#include "http/message.h"

namespace heed::http {

struct MultipartForm {
  Fields fields = {};
  Fields files = {};  // for fields that are files: their names
};

/// The fields of a body in their order. `type` is the whole value of Content-Type, which names the
/// boundary. Names may be quoted or not, and have the codes that browsers write in them (%22, %0D
/// and %0A) or backslashes before quotes and backslashes; a filename* (RFC 8187) is preferred to a
/// filename. Lines before and between values may end in a line feed alone. (libmicrohttpd takes
/// only quoted names, and no filename*.) Throws UserError where the body is no such form or does
/// not come to its last boundary, and for a part that has no name, is in base64 or
/// quoted-printable, or has a filename* in another encoding than UTF-8.
MultipartForm read_multipart(std::string_view body, std::string_view type);

}  // namespace heed::http
