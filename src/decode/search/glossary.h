// Terms and their translations: which of them a line has, and the pieces that a search needs of
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decode/search/config.h"
#include "decode/search/constraints.h"
#include "decode/search/text_finder.h"
#include "score/bleu_statistics.h"

namespace heed::text {
class Vocabulary;  // text/vocabulary.h
}  // namespace heed::text

namespace heed::decode {

using TextLines = std::vector<std::string>;

class Glossary {
 public:
  /// Reads decoding.glossary (document::read_terms()) for a model of these languages, and logs its
  /// warnings; empty: the model names none. A term that the file has several times has all of its
  /// targets. Throws UserError that names the line of what is not understood, and as
  /// document::read_document() does.
  Glossary(const DecodeConfig& config, const std::string& source_language,
           const std::string& target_language);
  /// Makes the glossary of a request by the same rules: each of `terms` is a source and its
  /// targets, none of them blank. Throws UserError where a source is there twice.
  Glossary(const DecodeConfig& config, const std::vector<TextLines>& terms);

  /// Returns the numbers of the terms that a line has, counted from 0. They are found from left to
  /// right, the longest first, none within another, and each is returned once.
  std::vector<std::size_t> terms_in(const std::string& line) const;
  /// Whether a line has a term. True if the glossary has none, of which its reader has warned.
  bool is_in_any(const TextLines& lines) const;
  /// Returns how many terms the hypotheses obey, of all that a source has and one of its
  /// `references` obeys.
  score::Proportion obeyed(const TextLines& sources, const TextLines& hypotheses,
                           const std::vector<TextLines>& references) const;

  /// Encodes the targets in pieces, as they are spelled inside a sentence and, unless
  /// glossary_exact_case is set, also with a capital. It must be called before terms_for(); a
  /// second call does nothing. Throws UserError where no target of a term is known to the
  /// vocabulary.
  void spell(const text::Vocabulary& vocabulary);
  /// Whether terms are marked in the source, and the search is not constrained
  /// (decoding.glossary_inline).
  bool is_inline() const { return inline_; }
  /// Returns the line in which each term is followed by its first target (data/terms.h).
  std::string marked(const std::string& line) const;
  /// Returns the terms of a line as a search needs them.
  std::vector<TermPieces> terms_for(const std::string& line) const;
  /// Whether each piece continues a word, or the next piece continues its word, as
  /// TermAutomaton has them. Empty: terms may be parts of words.
  std::span<const char> inside_words() const { return inside_words_; }
  std::span<const char> before_more() const { return before_more_; }

 private:
  struct Match {
    std::size_t begin, end, term;  // code points of the line
  };
  /// Adds a term. Returns whether it is new; otherwise it gets the targets that it lacks.
  bool add(const std::string& source, const TextLines& targets, int64_t line);
  /// What messages call the term: its file and line.
  std::string place_of(std::size_t term) const;
  /// Makes what finds the sources, after the last term.
  void end_terms();
  std::vector<Match> matches_in(std::u32string_view folded_line) const;
  std::u32string folded(const std::string& text) const;
  bool is_boundary(std::u32string_view line, std::size_t position) const;

  bool exact_case_, whole_words_, inline_;
  const char* name_ = "decoding.glossary";        // in messages
  std::vector<TextLines> targets_;                // of each term
  std::string file_;                              // of the terms, in messages
  std::vector<int64_t> lines_;                    // of each term, from 1; 0: it has none
  std::vector<TermPieces> pieces_;                // of each term
  std::vector<char> inside_words_, before_more_;  // of each piece
  TextFinder finder_;                             // of the sources
  // Until end_terms(): the sources, folded, the term of each, and the targets of each.
  std::vector<std::u32string> sources_;
  std::unordered_map<std::u32string, std::size_t> by_source_;
  std::set<std::pair<std::size_t, std::string>> known_;
};

/// Returns the glossary, ready for a search. Throws UserError as check_terms() and, unless it is
/// inline, Glossary::spell() do.
std::shared_ptr<const Glossary> for_search(Glossary glossary, const DecodeConfig& config,
                                           const text::Vocabulary& target);

}  // namespace heed::decode
