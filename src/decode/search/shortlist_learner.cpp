#include "decode/search/shortlist_learner.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "decode/search/batches.h"
#include "decode/search/config.h"
#include "decode/search/line_translator.h"
#include "decode/search/pieces.h"
#include "decode/search/search.h"
#include "study/lexicon.h"
#include "text/characters.h"
#include "text/digits.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::decode {
namespace {

/// Returns how often each piece occurs.
std::vector<int64_t> counts_of(const std::vector<PieceList>& lines, int64_t size) {
  std::vector<int64_t> counts(size);
  for (const PieceList& line : lines)
    for (const int32_t piece : line) ++counts[piece];
  return counts;
}

/// Returns the most frequent pieces, best first, of equal ones the lower id.
PieceList frequent_pieces(const std::vector<int64_t>& counts, int64_t count) {
  PieceList pieces(counts.size());
  std::iota(pieces.begin(), pieces.end(), 0);
  std::ranges::stable_sort(pieces, std::greater<>(), [&](int32_t piece) { return counts[piece]; });
  pieces.resize(std::min(count, std::ssize(pieces)));
  return pieces;
}

/// Whether a translation may have the piece whatever its source is: a piece of a byte, or a single
/// digit or sign.
bool is_sign(const text::Vocabulary& target, int32_t piece, bool occurs) {
  const std::string name = target.piece(piece);
  if (name.size() == 6 && name.starts_with("<0x") && target.has_bytes()) return true;
  const std::u32string letters = text::decode_utf8(target.decode({piece}));
  if (letters.size() != 1) return false;
  const char32_t letter = letters.front();
  return (occurs || letter < 0x80) && (text::is_punctuation(letter) || text::digit_value(letter));
}

/// Adds the pieces with which the target's vocabulary spells a piece of the source.
void add_copies(const text::Vocabulary& source, const text::Vocabulary& target, int32_t piece,
                PieceList& list) {
  const std::string name = source.piece(piece);
  if (const auto same = target.id_of(name)) return list.push_back(*same);
  const std::vector<int32_t> spelled = target.encode(source.decode({piece}));
  list.insert(list.end(), spelled.begin(), spelled.end());
}

/// Returns the scripts of a piece's letters.
std::set<text::Script> scripts_of(const std::string& piece) {
  std::set<text::Script> scripts;
  for (const char32_t letter : text::decode_utf8(piece)) scripts.insert(text::script_of(letter));
  scripts.erase(text::Script::none);
  return scripts;
}

/// Returns a line that is cut into this piece, perhaps with a word start before it; empty if there
/// is none.
std::string line_of(const text::Vocabulary& vocabulary, int32_t piece) {
  for (const std::string& line : {vocabulary.decode({piece}), vocabulary.piece(piece)}) {
    const std::vector<int32_t> ids = vocabulary.encode(line);
    if (!text::is_blank(line) && std::ranges::find(ids, piece) != ids.end()) return line;
    if (!vocabulary.is_cut()) break;
  }
  return "";
}

}  // namespace

PiecePairs pieces_of(const text::Pairs& pairs, int64_t most, const text::Vocabulary& source,
                     const text::Vocabulary& target) {
  PiecePairs out;
  for (const std::string& line : pairs.source)
    out.source.push_back(first_pieces(source, line, most));
  for (const std::string& line : pairs.target)
    out.target.push_back(first_pieces(target, line, most));
  return out;
}

std::vector<std::string> add_translations(const LineTranslator& translator, LinesRequest request,
                                          const SearchHooks& hooks, PiecePairs& pairs) {
  DecodeConfig config = request.search ? *request.search : translator.config();
  if (!samples(config.sampling) && config.mbr == 0)
    request.search = with_n_best(config, width_of(config));
  LinesResult result = translator.translate(request, hooks);
  const text::Vocabulary& source = translator.first_text().source;
  for (std::size_t i = 0; i < request.lines.size(); ++i) {
    const PieceList pieces = first_pieces(source, request.lines[i], translator.source_limit());
    for (Hypothesis& hypothesis : result.translations[i].hypotheses) {
      pairs.source.push_back(pieces);
      pairs.target.push_back(std::move(hypothesis.ids));
    }
  }
  return std::move(result.warnings);
}

std::vector<std::string> unseen_pieces(const PiecePairs& pairs, const text::Vocabulary& source,
                                       int64_t most) {
  const std::vector<int64_t> counts = counts_of(pairs.source, source.size());
  std::set<text::Script> known;
  for (int32_t piece = text::kEnd + 1; piece < source.size(); ++piece)
    if (counts[piece] > 0) known.merge(scripts_of(source.piece(piece)));
  std::vector<std::string> lines;
  for (int32_t piece = text::kEnd + 1; piece < source.size() && std::ssize(lines) < most; ++piece) {
    const std::string name = source.piece(piece);
    if (counts[piece] > 0 || source.has_symbol(name)) continue;
    if (!std::ranges::includes(known, scripts_of(name))) continue;
    if (std::string line = line_of(source, piece); !line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::string learn_shortlist(PiecePairs pairs, const ShortlistSize& size,
                            const text::Vocabulary& source, const text::Vocabulary& target) {
  // Its list gets the translations of words that have no source.
  for (PieceList& line : pairs.source) line.push_back(text::kEnd);
  std::vector<PieceList> lists =
      study::Lexicon(pairs.source, pairs.target, source.size()).likeliest(size.best);
  const bool joint = source.fingerprint() == target.fingerprint();
  for (int32_t piece = 0; piece < std::ssize(lists); ++piece)
    if (lists[piece].empty())
      lists[piece] = kUnknownTranslations;
    else if (!joint && piece > text::kEnd)
      add_copies(source, target, piece, lists[piece]);
  const std::vector<int64_t> counts = counts_of(pairs.target, target.size());
  PieceList every = frequent_pieces(counts, size.frequent);
  for (int32_t piece = text::kEnd + 1; piece < target.size(); ++piece)
    if (is_sign(target, piece, counts[piece] > 0)) every.push_back(piece);
  for (const PieceList& more : {target.beginning(), lists[text::kEnd]})
    every.insert(every.end(), more.begin(), more.end());
  lists[text::kEnd] = std::move(every);
  for (PieceList& list : lists) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return shortlist_bytes(std::move(lists), size.best, source, target);
}

}  // namespace heed::decode
