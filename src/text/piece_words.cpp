#include "text/piece_words.h"

#include "text/vocabulary.h"

namespace heed::text {
namespace {

constexpr std::size_t kNoWordYet = -1;

}  // namespace

std::string surface_of(const std::string& piece) {
  std::string out;
  for (std::size_t i = 0; i < piece.size();) {
    const bool blank = std::string_view(piece).substr(i).starts_with(kWordStart);
    out += blank ? ' ' : piece[i];
    i += blank ? kWordStart.size() : 1;
  }
  return out;
}

std::size_t WordCounter::next(std::string_view surface) {
  std::size_t word = kNoWordYet;
  for (const char c : surface) {
    if (c == ' ') {
      inside_ = false;
      continue;
    }
    if (!inside_) words_.emplace_back();
    inside_ = true;
    words_.back() += c;
    if (word == kNoWordYet) word = words_.size() - 1;
  }
  if (word != kNoWordYet) return word;
  return words_.size() - (inside_ ? 1 : 0);  // an empty surface inside a word is part of it
}

WordsOfPieces words_of(const Vocabulary& vocabulary, const std::vector<int32_t>& ids) {
  WordCounter counter;
  WordsOfPieces out;
  out.word_of.reserve(ids.size());
  for (const int32_t id : ids)
    out.word_of.push_back(static_cast<int32_t>(
        counter.next(id == kUnknown ? "?" : surface_of(vocabulary.piece(id)))));
  out.words = std::ssize(counter.words());
  return out;
}

}  // namespace heed::text
