#include "decode/search/glossary.h"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "data/terms.h"
#include "text/characters.h"
#include "text/invisible.h"
#include "text/normal_form.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

std::string capitalised(const std::string& text) {
  std::u32string points = text::decode_utf8(text);
  points[0] = text::to_upper(points[0]);
  return text::encode_utf8(points);
}

/// The text without what does not matter to terms: its letters and their marks are in NFC, and of
/// usual widths.
std::string tidy(const std::string& text) {
  return text::to_nfc(text::with_usual_forms(text::plain_text(text)));
}

constexpr std::string_view kTypedApostrophe = "'", kApostrophe = "\u2019";

std::string with_replaced(const std::string& text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, done)) {
    out += text.substr(done, at - done) + std::string(to);
    done = at + from.size();
  }
  return out + text.substr(done);
}

/// The target, and what it is where a vocabulary does not know its letters with marks in this form,
/// nor this apostrophe.
TextLines spellings_of(const std::string& target) {
  if (text::is_ascii(target) && target.find(kTypedApostrophe) == target.npos) return {target};
  const std::string composed = text::to_nfc(target);
  return {target, composed, with_replaced(composed, kApostrophe, kTypedApostrophe),
          with_replaced(composed, kTypedApostrophe, kApostrophe)};
}

}  // namespace

Glossary::Glossary(const DecodeConfig& config, const std::vector<TextLines>& terms)
    : exact_case_(config.glossary_exact_case),
      whole_words_(config.glossary_whole_words),
      inline_(config.glossary_inline),
      name_("glossary"),
      file_(name_) {
  for (const TextLines& term : terms)
    if (!add(term[0], {term.begin() + 1, term.end()}, 0))
      throw UserError("glossary: '{}' is there twice; put all its targets into one term",
                      one_line(term[0]));
  end_terms();
}

bool Glossary::add(const std::string& source, const TextLines& targets, int64_t line) {
  const auto [term, is_new] = by_source_.emplace(folded(source), targets_.size());
  if (is_new) {
    sources_.push_back(term->first);
    targets_.emplace_back();
    lines_.push_back(line);
  }
  for (const std::string& target : targets)
    if (std::string text = text::plain_text(target); known_.emplace(term->second, text).second)
      targets_[term->second].push_back(std::move(text));
  return is_new;
}

std::string Glossary::place_of(std::size_t term) const {
  return lines_[term] == 0 ? file_ : fmt::format("{}: line {}", file_, lines_[term]);
}

void Glossary::end_terms() {
  finder_ = TextFinder(sources_);
  sources_ = {};
  by_source_ = {};
  known_ = {};
}

std::u32string Glossary::folded(const std::string& text) const {
  const std::string plain = tidy(text);
  std::u32string points = text::decode_utf8(exact_case_ ? plain : text::lower_case(plain));
  // One apostrophe, however it was typed: U+02BC is that of Ukrainian.
  for (char32_t& c : points)
    if (c == U'\u2019' || c == U'\u02BC') c = U'\'';
  return points;
}

bool Glossary::is_boundary(std::u32string_view line, std::size_t position) const {
  return !whole_words_ || position == 0 || position == line.size() ||
         !text::is_in_word(line[position - 1]) || !text::is_in_word(line[position]);
}

std::vector<Glossary::Match> Glossary::matches_in(std::u32string_view line) const {
  std::vector<Match> all;  // the longest at each position, from the last position to the first
  finder_.find(line, [&](std::size_t begin, std::size_t end, std::size_t term) {
    if (!is_boundary(line, begin)) return false;
    if (!is_boundary(line, end)) return true;
    all.push_back({begin, end, term});
    return false;
  });
  std::vector<Match> out;
  for (const Match& match : std::views::reverse(all))
    if (out.empty() || match.begin >= out.back().end) out.push_back(match);
  return out;
}

std::vector<std::size_t> Glossary::terms_in(const std::string& line) const {
  std::vector<std::size_t> out;
  std::unordered_set<std::size_t> seen;
  for (const Match& match : matches_in(folded(line)))
    if (seen.insert(match.term).second) out.push_back(match.term);
  return out;
}

bool Glossary::is_in_any(const TextLines& lines) const {
  return targets_.empty() || std::ranges::any_of(lines, [&](const std::string& line) {
           return !terms_in(line).empty();
         });
}

std::string Glossary::marked(const std::string& line) const {
  const std::u32string points = text::decode_utf8(tidy(line));
  const std::u32string all = folded(line);
  // The small letter of some capitals is two characters: then positions in both texts differ.
  const std::u32string& shown = all.size() == points.size() ? points : all;
  std::string out;
  std::size_t done = 0;
  for (const Match& match : matches_in(all)) {
    out += text::encode_utf8(shown.substr(done, match.begin - done));
    out += data::with_term(text::encode_utf8(shown.substr(match.begin, match.end - match.begin)),
                           targets_[match.term].front());
    done = match.end;
  }
  return done == 0 ? line : out + text::encode_utf8(shown.substr(done));
}

score::Proportion Glossary::obeyed(const TextLines& sources, const TextLines& hypotheses,
                                   const std::vector<TextLines>& references) const {
  using Numbers = std::vector<std::size_t>;  // sorted
  std::vector<std::u32string> texts;         // all targets, each once
  std::vector<Numbers> targets(targets_.size());
  {
    std::unordered_map<std::u32string, std::size_t> known;
    for (std::size_t term = 0; term < targets_.size(); ++term) {
      for (const std::string& target : targets_[term]) {
        std::u32string text = folded(target);
        const auto [at, is_new] = known.emplace(text, texts.size());
        if (is_new) texts.push_back(std::move(text));
        targets[term].push_back(at->second);
      }
      std::ranges::sort(targets[term]);
    }
  }
  const TextFinder finder(texts);
  const auto targets_in = [&](const std::string& text) {
    const std::u32string line = folded(text);
    Numbers out;
    finder.find(line, [&](std::size_t begin, std::size_t end, std::size_t target) {
      if (!is_boundary(line, begin)) return false;
      if (is_boundary(line, end)) out.push_back(target);
      return true;
    });
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
  };
  const auto share_any = [](const Numbers& a, const Numbers& b) {
    const auto& [few, many] = a.size() < b.size() ? std::tie(a, b) : std::tie(b, a);
    return std::ranges::any_of(
        few, [&](std::size_t number) { return std::ranges::binary_search(many, number); });
  };
  score::Proportion out;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::vector<std::size_t> terms = terms_in(sources[i]);
    if (terms.empty()) continue;
    const Numbers translated = targets_in(hypotheses[i]);
    std::vector<Numbers> right;
    for (const TextLines& reference : references) right.push_back(targets_in(reference[i]));
    for (const std::size_t term : terms) {
      const auto obeys = [&](const Numbers& line) { return share_any(targets[term], line); };
      if (std::ranges::any_of(right, obeys)) out.add(obeys(translated));
    }
  }
  return out;
}

void Glossary::spell(const text::Vocabulary& vocabulary) {
  if (pieces_.size() == targets_.size()) return;
  if (!vocabulary.reads_words())
    throw UserError(
        "{}: terms are words, and this model's text is pieces that another program has cut; name "
        "data.vocabulary.codes when it is trained or --codes when it is imported",
        name_);
  for (std::size_t term = 0; term < targets_.size(); ++term) {
    TermPieces& all = pieces_.emplace_back();
    const auto add = [&](const std::string& target) {
      for (const std::string& spelling : spellings_of(target)) {
        const std::vector<int32_t> ids = vocabulary.encode(spelling);
        if (std::ranges::count(ids, text::kUnknown) > 0) continue;
        all.emplace_back(ids.begin() + vocabulary.symbols_before(ids), ids.end());
        return;
      }
    };
    for (const std::string& target : targets_[term]) {
      add(target);
      if (!exact_case_) add(capitalised(target));
    }
    if (all.empty())
      throw UserError("{}: the vocabulary has no pieces for '{}'; leave out its term",
                      place_of(term), one_line(targets_[term][0]));
  }
  for (int32_t id = 0; whole_words_ && id < vocabulary.size(); ++id) {
    const std::string piece = vocabulary.piece(id);
    // Where another program cuts the text, a piece says itself whether the next one continues it.
    inside_words_.push_back(!piece.empty() && !vocabulary.is_cut() &&
                            text::is_in_word(text::code_point_at(piece, 0).value));
    before_more_.push_back(vocabulary.is_cut() && !vocabulary.begins_word(id, id));
  }
}

std::vector<TermPieces> Glossary::terms_for(const std::string& line) const {
  std::vector<TermPieces> out;
  for (const std::size_t term : terms_in(line)) out.push_back(pieces_[term]);
  return out;
}

std::shared_ptr<const Glossary> for_search(Glossary glossary, const DecodeConfig& config,
                                           const text::Vocabulary& target) {
  check_terms(config);
  if (!glossary.is_inline()) glossary.spell(target);
  return std::make_shared<const Glossary>(std::move(glossary));
}

}  // namespace heed::decode
