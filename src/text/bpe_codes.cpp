#include "text/bpe_codes.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "base/error.h"
#include "base/strings.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

constexpr std::string_view kEndOfWord = "</w>", kVersion = "#version:";

uint64_t pair_key(int32_t left, int32_t right) {
  return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
}

std::string_view without_blanks_around(std::string_view line) {
  constexpr const char* kBlanks = "\r\n ";  // those that subword-nmt takes off
  const std::size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
}

/// Whether codes of this header have the end of a word as a piece by itself. Throws UserError for a
/// version that is neither 0.1 nor 0.2.
bool has_end_piece(std::string_view header, const std::string& name) {
  const std::vector<std::string> words = split_words(header);
  std::string version = words.back();
  while (version.ends_with(".0")) version.resize(version.size() - 2);
  if (version == "0.2") return false;
  if (version == "0.1") return true;
  throw UserError("{}:1: codes of version '{}'; heed applies those of 0.1 and 0.2", name,
                  one_line(words.back()));
}

}  // namespace

int32_t BpeCodes::symbol_of(std::string_view text) {
  const auto [at, is_new] =
      symbols_.try_emplace(std::string(text), static_cast<int32_t>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return at->second;
}

int32_t BpeCodes::find(std::string_view text) const {
  const auto found = symbols_.find(text);
  return found == symbols_.end() ? -1 : found->second;
}

BpeCodes::BpeCodes(std::string_view codes, const std::string& name) {
  while (codes.ends_with('\n')) codes.remove_suffix(1);
  if (codes.empty()) throw UserError(name + ": is empty; a file of codes has a merge on each line");
  if (!is_utf8(codes)) throw UserError(name + ": codes that are no UTF-8");
  std::vector<std::string> lines = split(codes, '\n');
  const bool has_header = lines.front().starts_with(kVersion);
  const bool is_counted =
      !has_header && split(without_blanks_around(lines.front()), ' ').size() == 3;
  has_end_symbol_ = has_header ? has_end_piece(lines.front(), name) : !is_counted;
  std::unordered_map<int32_t, std::size_t> last_lines;  // of the merges of reverse_
  std::unordered_map<uint64_t, std::size_t> last_of;    // the last line of each merge
  for (std::size_t i = has_header; i < lines.size(); ++i) {
    const std::vector<std::string> parts = split(without_blanks_around(lines[i]), ' ');
    if (parts.size() != (is_counted ? 3U : 2U) || parts[0].empty() || parts[1].empty())
      throw UserError("{}:{}: '{}' is no merge, which is two pieces{} with a blank between", name,
                      i + 1, one_line(lines[i]), is_counted ? " and a count" : "");
    const int32_t left = symbol_of(parts[0]), right = symbol_of(parts[1]),
                  merged = symbol_of(parts[0] + parts[1]);
    const uint64_t key = pair_key(left, right);
    merges_.try_emplace(key, Merge{static_cast<int32_t>(merges_.size()), merged});
    last_of[key] = i;
  }
  for (const auto& [key, line] : last_of) {
    const int32_t merged = merges_.at(key).merged;
    const auto [at, is_new] = last_lines.try_emplace(merged, line);
    if (!is_new && at->second < line) continue;
    at->second = line;
    reverse_[merged] = {static_cast<int32_t>(key >> 32), static_cast<int32_t>(key & 0xFFFFFFFF)};
  }
}

std::vector<std::string> BpeCodes::merged(std::string_view word) const {
  struct WordSymbol {
    std::size_t begin = 0, end = 0;  // bytes of the word
    int32_t id = -1;
    int32_t previous = -1, next = -1;
  };
  std::vector<WordSymbol> symbols;
  each_code_point(word, [&](const CodePoint& point, std::string_view letter) {
    const std::size_t begin = symbols.empty() ? 0 : symbols.back().end;
    symbols.push_back({.begin = begin, .end = begin + point.bytes, .id = find(letter)});
  });
  if (has_end_symbol_) {
    symbols.push_back({.begin = word.size(), .end = word.size(), .id = find(kEndOfWord)});
  } else {
    WordSymbol& last = symbols.back();
    last.id = find(std::string(word.substr(last.begin)) += kEndOfWord);
  }
  const auto count = static_cast<int32_t>(symbols.size());
  for (int32_t i = 0; i < count; ++i) {
    symbols[i].previous = i - 1;
    symbols[i].next = i + 1 < count ? i + 1 : -1;
  }

  /// A merge that is possible at a symbol and the next one, as long as both stay.
  struct MergeOffer {
    int32_t rank, at, left, right, merged;
    bool operator>(const MergeOffer& other) const {
      return std::tie(rank, at) > std::tie(other.rank, other.at);
    }
  };
  std::priority_queue<MergeOffer, std::vector<MergeOffer>, std::greater<>> offers;
  const auto offer = [&](int32_t at) {
    if (at < 0 || symbols[at].next < 0) return;
    const int32_t left = symbols[at].id, right = symbols[symbols[at].next].id;
    if (left < 0 || right < 0) return;
    if (const auto merge = merges_.find(pair_key(left, right)); merge != merges_.end())
      offers.push({merge->second.rank, at, left, right, merge->second.merged});
  };
  for (int32_t i = 0; i < count; ++i) offer(i);
  while (!offers.empty()) {
    // A merge is done everywhere in the word, from its beginning, before another is looked for.
    const int32_t rank = offers.top().rank;
    std::vector<int32_t> changed;
    while (!offers.empty() && offers.top().rank == rank) {
      const MergeOffer best = offers.top();
      offers.pop();
      WordSymbol& left = symbols[best.at];
      if (left.id != best.left || left.next < 0 || symbols[left.next].id != best.right) continue;
      WordSymbol& right = symbols[left.next];
      left.end = right.end;
      left.id = best.merged;
      left.next = right.next;
      if (right.next >= 0) symbols[right.next].previous = best.at;
      right.id = -1;
      right.next = -1;
      changed.push_back(best.at);
    }
    for (const int32_t at : changed) {
      offer(symbols[at].previous);
      offer(at);
    }
  }
  std::vector<std::string> pieces;
  for (int32_t i = 0; i >= 0; i = symbols[i].next)
    if (symbols[i].end > symbols[i].begin)  // not the end of a word alone
      pieces.emplace_back(word.substr(symbols[i].begin, symbols[i].end - symbols[i].begin));
  return pieces;
}

void BpeCodes::take_apart(std::string_view piece, bool is_last, const Knows& knows,
                          std::vector<std::string>& out) const {
  // Merges may be nested as deeply as a piece is long.
  struct ApartPiece {
    std::string text;
    bool is_last;
  };
  std::vector<ApartPiece> rest = {{std::string(piece), is_last}};
  while (!rest.empty()) {
    const ApartPiece part = std::move(rest.back());
    rest.pop_back();
    const auto found =
        knows(part.text, part.is_last)
            ? reverse_.end()
            : reverse_.find(find(part.is_last ? part.text + std::string(kEndOfWord) : part.text));
    if (found == reverse_.end()) {
      out.push_back(part.text);
      continue;
    }
    std::string right = texts_[found->second.second];
    if (part.is_last && right.ends_with(kEndOfWord)) right.resize(right.size() - kEndOfWord.size());
    const bool is_end = right.empty();
    if (!is_end) rest.push_back({std::move(right), part.is_last});
    rest.push_back({texts_[found->second.first], is_end && part.is_last});
  }
}

std::vector<std::string> BpeCodes::cut(std::string_view word, const Knows& knows) const {
  if (word.empty()) return {};
  // subword-nmt leaves a single letter as it is, whatever the codes say.
  if (code_point_at(word, 0).bytes == word.size()) return {std::string(word)};
  std::vector<std::string> pieces = merged(word);
  if (!knows) return pieces;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    take_apart(pieces[i], i + 1 == pieces.size(), knows, known);
  return known;
}

}  // namespace heed::text
