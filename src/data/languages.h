// The languages of multilingual models, as symbols of their vocabularies.
#pragma once

#include <string>
#include <vector>

#include "data/config.h"

namespace heed::text {
class Vocabulary;  // text/vocabulary.h
}  // namespace heed::text

namespace heed::data {

/// The languages that user-defined symbols of a vocabulary may stand for, in the order of ids. A
/// symbol for CODE is CODE itself, __CODE__, <CODE>, <2CODE> or >>CODE<<.
std::vector<std::string> languages_of(const text::Vocabulary& vocabulary);

/// Whether a vocabulary has a symbol that stands for a language before text in it: CODE, __CODE__
/// or <CODE>, and not one that stands for the target's language before a source.
bool has_symbol_of(const std::string& language, const text::Vocabulary& vocabulary);

/// source_symbols() for a vocabulary that is yet to be trained, with <CODE> for source_language and
/// <2CODE> for target_language, where vocabulary.symbols has no symbol for them.
std::vector<std::string> symbols_of_fresh(const DataConfig& config);

/// Makes lines begin with the symbols of source_language and target_language, sources end as
/// source_end says, and lines of pieces stay so where `pieces` says it. <2CODE> and >>CODE<< name
/// the target, and stand before the source (Johnson et al. 2017; OPUS-MT). In vocabularies without
/// symbols the languages are names alone. Throws UserError naming the key, with the nearest
/// languages, where there are symbols, but none of the language.
void begin_with_languages(const DataConfig& config, text::Vocabulary& source,
                          text::Vocabulary& target);

/// The code that a corpus file's name ends in: "de" of "data/train.de.gz". "" where it has none.
std::string language_of_file(const std::string& path);

struct LanguagePair {
  std::string source, target;
};

/// The languages of a configuration: source_language and target_language, or else those that the
/// names of its first training corpus end in; "" where nothing says it.
LanguagePair language_pair(const DataConfig& config);

}  // namespace heed::data
