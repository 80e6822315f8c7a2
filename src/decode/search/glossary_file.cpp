// Reads the file of a glossary. It is apart from glossary.cpp because a page that translates by
// itself has no files.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"
#include "decode/search/config.h"
#include "decode/search/glossary.h"
#include "document/document.h"
#include "document/term_list.h"
#include "text/no_text.h"

namespace heed::decode {

Glossary::Glossary(const DecodeConfig& config, const std::string& source_language,
                   const std::string& target_language)
    : exact_case_(config.glossary_exact_case),
      whole_words_(config.glossary_whole_words),
      inline_(config.glossary_inline) {
  const std::string& file = config.glossary;
  if (file != "-") require_file(file, "decoding.glossary");
  const std::string name = file == "-" ? "stdin" : file, bytes = document::read_document(file);
  if (const auto no_text = text::no_text(bytes); no_text && no_text->is_pointer)
    throw UserError("{}: {}", name, no_text->what);
  const document::TermLanguages languages{source_language, target_language};
  const document::TermList list = [&] {
    try {
      return document::read_terms(bytes, file, languages);
    } catch (const UserError& error) {
      throw UserError("{}: {}", name, error.what());
    }
  }();
  for (const std::string& warning : list.warnings) log::warn("{}: {}", name, warning);
  if (list.terms.empty()) log::warn("{}: it has no terms", name);
  file_ = name;
  std::size_t again = 0;
  for (const document::Term& term : list.terms)
    for (const std::string& source : term.sources) again += !add(source, term.targets, term.line);
  if (again > 0)
    log::info("{}: {} more than once; a translation may have any of its targets", name,
              counted(static_cast<int64_t>(again), "term"));
  end_terms();
}

}  // namespace heed::decode
