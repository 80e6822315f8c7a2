// Languages as files of translations name them.
#pragma once

#include <string>
#include <string_view>

namespace heed::text {

/// The first part of a language's name in small letters: "pt" of "pt-BR", "deu" of "deu_Latn".
/// Empty where it is no language, as "src" after a corpus's name.
std::string main_language(std::string_view tag);

/// Whether the two are certainly not the same language: "de" and "fr". Not known of "de" and "deu",
/// nor where one of them is no language.
bool are_other_languages(std::string_view a, std::string_view b);

/// Whether they are the same language, with the same region or script where both have one.
bool is_same_language(std::string_view a, std::string_view b);

/// The tag as XML and TMX write it: "pt-BR" of "pt_BR".
std::string xml_language(std::string_view tag);

/// "German" for "de" (ISO 639-1); the code itself where it is not in the list of languages.
std::string language_name(std::string_view code);

/// "de" for "German", "German (Austria)", "German_Austria", and for "Deutsch", "Allemand" and
/// "deu", the names in common languages and in ISO 639-2; empty where it is not in the list.
std::string language_called(std::string_view name);

/// Whether the code is in the list.
bool is_known_language(std::string_view code);

}  // namespace heed::text
