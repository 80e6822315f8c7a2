// Names of languages by their codes.
#pragma once

#include <string>

namespace heed::serve {

/// "German" for "de" (ISO 639-1); the code itself where it is not in the list.
std::string language_name(const std::string& code);

/// How well a language is the wished one. 2: the same code ("EN" and "en"); 1: another form of the
/// same language, by the part before the first - or _ ("de-DE" and "de", "pt-BR" and "pt-PT"); 0:
/// another language.
int fit_of(const std::string& code, const std::string& wished);

/// The code that a corpus file's name ends in: "de" of "data/train.de.gz". "" where it has none.
std::string language_of_file(const std::string& path);

}  // namespace heed::serve
