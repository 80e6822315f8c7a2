// Takes the place of decode/search/glossary_file.cpp: `heed export` gives a page no glossary.
#include <string>

#include "decode/search/config.h"
#include "decode/search/glossary.h"

namespace heed::decode {

Glossary::Glossary(const DecodeConfig& config, const std::string& /*source_language*/,
                   const std::string& /*target_language*/)
    : exact_case_(config.glossary_exact_case),
      whole_words_(config.glossary_whole_words),
      inline_(config.glossary_inline) {}

}  // namespace heed::decode
