// What the languages' rules for the ends of sentences know.
#pragma once

#include <string_view>

#include "text/words.h"

namespace heed::text {

/// Words of a language, in small letters, and abbreviations without their last dot.
struct SentenceRules {
  WordSet never;     // abbreviations that never end a sentence
  WordSet numbered;  // abbreviations that end none where a number follows
  WordSet may;       // abbreviations that end one only before a word of `begin`
  WordSet begin;     // words that usually begin a sentence
  bool ordinals;     // "3." may mean "third"
};

/// The rules of the language whose code of ISO 639 stands before the first - or _ ("de",
/// "deu_Latn"). Of other languages no words are known.
const SentenceRules& sentence_rules(std::string_view language);

}  // namespace heed::text
