#include "data/noise.h"

#include <algorithm>
#include <cstddef>

#include "base/random.h"
#include "base/strings.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace heed::data {
namespace {

using Spelling = std::u32string;

// Rows of keyboards: a typing mistake replaces a letter by one that stands left or right of it
// here.
constexpr std::u32string_view kKeys =
    U"qwertyuiop asdfghjkl zxcvbnm йцукенгшщзхъ фывапролджэ ячсмитьбю";
constexpr std::u32string_view kAlike =
    U"0oö l1i äaá èeé vuü ñnm çc 5s 6b 9gq 2z аa еe оo рp сc хx уy";
constexpr std::u32string_view kFinal = U".!?…。！？؟।";

/// Kinds of typing mistakes. In "a word" they are, in order: wrod, wrd, worrd, wotrd, wotd, w0rd,
/// worddd, aword, wo rd.
enum TypoKind {
  kSwapped,
  kMissing,
  kDoubled,
  kInserted,  // also types the key beside that of the letter
  kOtherKey,
  kAlikeLetter,
  kStretched,
  kMissingBlank,
  kAddedBlank,
  kTypoKinds
};

/// A word of the noisy line.
struct NoisyWord {
  Spelling letters;
  bool symbol = false;
};

/// A letter that stands beside `c` in `rows`, in the same case; 0 where there is none.
char32_t beside(std::u32string_view rows, char32_t c, Random& random) {
  const char32_t low = text::to_lower(c);
  const std::size_t at = rows.find(low);
  if (at == std::u32string_view::npos || c == ' ') return 0;
  const bool left = at > 0 && rows[at - 1] != ' ';
  const bool right = at + 1 < rows.size() && rows[at + 1] != ' ';
  const bool takes_left = left && (!right || random.below(2) == 0);
  const char32_t other = rows[takes_left ? at - 1 : at + 1];
  return low == c ? other : text::to_upper(other);
}

/// Makes the mistake in the last word, at one of its letters, which are at the indices `letters`;
/// false where the word gives no chance for it.
bool make(TypoKind kind, const std::vector<std::size_t>& letters, std::vector<NoisyWord>& words,
          Random& random) {
  Spelling& word = words.back().letters;
  const std::size_t at = letters[random.below(letters.size())];
  char32_t other = 0;
  switch (kind) {
    case kSwapped:
      if (at + 1 == word.size() || word[at] == word[at + 1]) return false;
      std::swap(word[at], word[at + 1]);
      return true;
    case kMissing:
      if (letters.size() < 3) return false;
      word.erase(at, 1);
      return true;
    case kDoubled:
      word.insert(at, 1, word[at]);
      return true;
    case kInserted:
      if ((other = beside(kKeys, word[at], random)) != 0) word.insert(at + 1, 1, other);
      return other != 0;
    case kOtherKey:
    case kAlikeLetter:
      other = beside(kind == kOtherKey ? kKeys : kAlike, word[at], random);
      if (other != 0) word[at] = other;
      return other != 0;
    case kStretched:
      word.append(1 + random.below(3), word.back());
      return true;
    case kMissingBlank:
      if (words.size() == 1 || words[words.size() - 2].symbol) return false;
      words[words.size() - 2].letters += word;
      words.pop_back();
      return true;
    default:  // kAddedBlank
      if (word.size() < 4) return false;
      const std::size_t cut = 1 + random.below(word.size() - 1);
      Spelling rest = word.substr(cut);
      word.resize(cut);
      words.push_back({std::move(rest)});
      return true;
  }
}

/// The indices of the letters of a word; none where it has digits, too.
std::vector<std::size_t> letters_in(const Spelling& word) {
  std::vector<std::size_t> letters;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] >= '0' && word[i] <= '9') return {};
    if (text::is_letter(word[i])) letters.push_back(i);
  }
  return letters;
}

/// Drops the final punctuation, repeats it, sets it apart, or puts a comma in its place.
void change_end(Spelling& word, Random& random) {
  const char32_t last = word.back();
  if (kFinal.find(last) == std::u32string_view::npos) return;
  const uint64_t way = random.below(4);
  word.pop_back();
  if (way == 1) word += {last, last};
  if (way == 2 && !word.empty()) word += {U' ', last};
  if (way == 3) word += U',';
}

enum class LetterCase { kept, upper, title };

void change_case(LetterCase letter_case, Spelling& word) {
  std::size_t end = word.size();  // the letters before it become capitals
  if (const auto letter = std::ranges::find_if(word, text::is_letter);
      letter_case == LetterCase::title && letter != word.end())
    end = letter - word.begin() + 1;
  word = text::decode_utf8(text::upper_case(text::encode_utf8(word.substr(0, end)))) +
         word.substr(end);
}

std::string text_of(std::vector<NoisyWord>& words, LetterCase letter_case) {
  std::vector<std::string> texts;
  for (NoisyWord& word : words) {
    if (!word.symbol && letter_case != LetterCase::kept) change_case(letter_case, word.letters);
    texts.push_back(text::encode_utf8(word.letters));
  }
  return join(texts, " ");
}

}  // namespace

bool is_noisy(const NoiseConfig& noise) {
  return noise.upper + noise.title + noise.typos + noise.merged + noise.split + noise.punctuation >
         0;
}

NoisyPair with_noise(const NoiseConfig& noise, std::string_view source, std::string_view target,
                     uint64_t seed, const IsSymbol& is_symbol) {
  Random random(seed);
  // Case is drawn first, so that the same seed changes the same lines of a text and of its
  // translation.
  const double case_draw = random.uniform();
  const LetterCase letter_case = case_draw < noise.upper                 ? LetterCase::upper
                                 : case_draw < noise.upper + noise.title ? LetterCase::title
                                                                         : LetterCase::kept;
  const bool changes_end = random.uniform() < noise.punctuation;
  NoisyPair out{.source = "", .target = std::string(target), .words = {}};
  std::vector<NoisyWord> words;
  for (const std::string& word : split_words(text::fold_spaces(source))) {
    const std::size_t before = words.size();
    words.push_back({text::decode_utf8(word), is_symbol(word)});
    const double draw = random.uniform();
    const bool typo = draw < noise.typos;
    std::vector<std::size_t> letters;
    if (draw < noise.typos + noise.merged + noise.split && !words.back().symbol)
      letters = letters_in(words.back().letters);
    if (!letters.empty()) {
      const uint64_t kind = typo                                ? random.below(kTypoKinds)
                            : draw < noise.typos + noise.merged ? uint64_t{kMissingBlank}
                                                                : uint64_t{kAddedBlank};
      // A typo that the word gives no chance for is replaced by the next kind that it does.
      for (uint64_t i = 0; i < (typo ? kTypoKinds : 1); ++i)
        if (make(static_cast<TypoKind>((kind + i) % kTypoKinds), letters, words, random)) break;
    }
    out.words.emplace_back(std::min(before, words.size() - 1), words.size());
  }
  const bool has_end = !words.empty() && !words.back().symbol;
  if (changes_end && has_end && (words.size() > 1 || words.back().letters.size() > 1))
    change_end(words.back().letters, random);
  if (has_end && words.back().letters.empty()) {  // the word was punctuation alone
    words.pop_back();
    --out.words.back().second;
  }
  out.source = text_of(words, letter_case);
  if (letter_case == LetterCase::kept) return out;
  words.clear();
  for (const std::string& word : split_words(text::fold_spaces(target)))
    words.push_back({text::decode_utf8(word), is_symbol(word)});
  out.target = text_of(words, letter_case);
  return out;
}

}  // namespace heed::data
