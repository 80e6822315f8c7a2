// Names of languages by their codes.
#pragma once

#include <string>

namespace heed::serve {

/// "German" for "de" (ISO 639-1); the code itself where it is not in the list.
std::string language_name(const std::string& code);

/// The code that a corpus file's name ends in: "de" of "data/train.de.gz". "" where it has none.
std::string language_of_file(const std::string& path);

}  // namespace heed::serve
