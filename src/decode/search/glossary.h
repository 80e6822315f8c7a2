// Terms and their translations: which of them a line has, and in which pieces a search has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/search/config.h"
#include "decode/search/constraints.h"
#include "score/bleu_statistics.h"

namespace heed::text {
class Vocabulary;  // text/vocabulary.h
}  // namespace heed::text

namespace heed::decode {

using TextLines = std::vector<std::string>;

class Glossary {
 public:
  /// Reads decoding.glossary. Throws UserError that names the line which has no target, an empty
  /// column or the term of an earlier line, and as text::LineReader.
  explicit Glossary(const DecodeConfig& config);
  /// Of a request, by the same rules: each term is a source and its targets, none of them blank.
  /// Throws UserError where a source is there twice.
  Glossary(const DecodeConfig& config, const std::vector<TextLines>& terms);

  /// Which terms a line has, counted from 0: from left to right, the longest first, none within
  /// another, each once.
  std::vector<std::size_t> terms_in(const std::string& line) const;
  /// How many the hypotheses obey of the terms that a source has and one of its `references` obeys.
  score::Proportion obeyed(const TextLines& sources, const TextLines& hypotheses,
                           const std::vector<TextLines>& references) const;

  /// Before terms_for(); does nothing the second time. Spells targets as inside a sentence and,
  /// unless glossary_exact_case is set, also with a capital. Throws UserError where a term has no
  /// target that is known.
  void spell(const text::Vocabulary& vocabulary);
  /// Whether terms are marked in the source, and the search is not constrained
  /// (decoding.glossary_inline).
  bool is_inline() const { return inline_; }
  /// The line with the first target of each term after it (data/terms.h).
  std::string marked(const std::string& line) const;
  /// What a search needs: the terms of a line, and what goes on with words (TermAutomaton).
  std::vector<TermPieces> terms_for(const std::string& line) const;
  std::span<const char> inside_words() const { return inside_words_; }

 private:
  struct Match {
    std::size_t begin, end, term;  // code points of the line
  };
  /// A source and its targets. Returns whether the source is new.
  bool add(const TextLines& term);
  std::vector<Match> matches_in(std::u32string_view folded_line) const;
  std::u32string folded(const std::string& text) const;
  bool has_target(const std::string& line, std::size_t term) const;
  bool is_boundary(std::u32string_view line, std::size_t position) const;

  bool exact_case_, whole_words_, inline_;
  const char* name_ = "decoding.glossary";  // in messages
  std::size_t longest_ = 0;                 // source, folded
  std::vector<TextLines> targets_;          // of each term
  std::vector<TermPieces> pieces_;          // of each term
  std::vector<char> inside_words_;          // empty: terms may be parts of words
  std::map<std::u32string, std::size_t, std::less<>> by_source_;  // folded
};

/// The glossary as searches use it. Throws UserError as check_terms() and, unless it is inline,
/// Glossary::spell().
std::shared_ptr<const Glossary> for_search(Glossary glossary, const DecodeConfig& config,
                                           const text::Vocabulary& target);

}  // namespace heed::decode
