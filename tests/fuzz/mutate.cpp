#include "fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.h"
#include "base/strings.h"

namespace heed::fuzz {
namespace {

/// Numbers at which counts and lengths go wrong.
constexpr std::array<uint64_t, 14> kNumbers = {0,
                                               1,
                                               0x7F,
                                               0x80,
                                               0xFF,
                                               0x7FFF,
                                               0xFFFF,
                                               0x10000,
                                               0x7FFFFFFF,
                                               0x80000000,
                                               0xFFFFFFFF,
                                               0x7FFFFFFFFFFFFFFF,
                                               0x8000000000000000,
                                               0xFFFFFFFFFFFFFFFF};

/// The character that stands at `text[at]`; `at` is moved to what follows it.
char unescaped(std::string_view text, std::size_t& at, const std::string& where) {
  if (text[at] != '\\') return text[at++];
  const std::string_view rest = text.substr(at + 1);
  if (rest.starts_with('\\') || rest.starts_with('"')) return at += 2, rest[0];
  unsigned value = 0;
  if (!rest.starts_with('x') || rest.size() < 3 ||
      std::from_chars(rest.data() + 1, rest.data() + 3, value, 16).ptr != rest.data() + 3)
    throw UserError(where + ": \\ is followed by \\, \" or xNN");
  at += 4;
  return static_cast<char>(value);
}

}  // namespace

std::vector<std::string> parse_dictionary(const std::string& text, const std::string& name) {
  std::vector<std::string> words;
  const std::vector<std::string> lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trim(lines[i]);
    if (line.empty() || line.starts_with('#')) continue;
    const std::string where = name + ":" + std::to_string(i + 1);
    if (line.size() < 3 || !line.starts_with('"') || !line.ends_with('"'))
      throw UserError(where + ": expected a word in quotes");
    const std::string_view inside = line.substr(1, line.size() - 2);
    std::string word;
    for (std::size_t at = 0; at < inside.size();) word += unescaped(inside, at, where);
    words.push_back(std::move(word));
  }
  return words;
}

Mutator::Mutator(std::vector<std::string> words, uint64_t seed)
    : words_(std::move(words)), random_(seed) {}

std::size_t Mutator::below(std::size_t end) {
  return end == 0 ? 0 : static_cast<std::size_t>(random_.below(end));
}

std::string Mutator::next(const std::vector<std::string>& pool, std::size_t longest) {
  std::string input = pool[below(pool.size())];
  // Mostly one or two: more rarely leave anything to parse.
  const std::size_t changes = std::size_t{1} << below(4);
  for (std::size_t i = 0; i < changes; ++i) change(input, pool[below(pool.size())]);
  if (input.size() > longest) input.resize(longest);
  return input;
}

void Mutator::change(std::string& input, const std::string& other) {
  const std::size_t at = below(input.size() + 1), size = input.size();
  const std::size_t some = std::min(size - at, 1 + below(std::size_t{1} << below(9)));
  switch (below(10)) {
    case 0:  // flips a bit
      if (at < size) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
      break;
    case 1:  // another byte
      if (at < size) input[at] = static_cast<char>(below(256));
      break;
    case 2:  // a byte more
      input.insert(at, 1, static_cast<char>(below(256)));
      break;
    case 3:
      input.erase(at, some);
      break;
    case 4: {  // a piece of itself once more
      const std::string piece = input.substr(at, some);
      input.insert(below(size + 1), piece);
      break;
    }
    case 5:  // the same again and again
      if (some > 0) {
        const std::string piece = input.substr(at, std::min<std::size_t>(some, 8));
        for (std::size_t times = below(64); times > 0; --times) input.insert(at, piece);
      }
      break;
    case 6:  // a beginning of this, an end of another
      input = input.substr(0, at) + other.substr(below(other.size() + 1));
      break;
    case 7: {  // a number in binary
      const uint64_t number = kNumbers[below(kNumbers.size())] + below(3) - 1;
      for (std::size_t i = 0; i < (std::size_t{1} << below(4)) && at + i < size; ++i)
        input[at + i] = static_cast<char>(number >> 8 * i);
      break;
    }
    case 8: {  // a number in digits, in place of one where there is one
      const std::size_t from = std::min(input.find_first_of("0123456789", at), size);
      const std::size_t to = std::min(input.find_first_not_of("0123456789", from), size);
      const uint64_t number = kNumbers[below(kNumbers.size())] + below(3) - 1;
      input.replace(
          from, to - from,
          below(2) == 0 ? std::to_string(number) : std::to_string(static_cast<int64_t>(number)));
      break;
    }
    default:  // a word, in place of something or not
      if (!words_.empty())
        input.replace(at, below(2) == 0 ? 0 : some, words_[below(words_.size())]);
  }
}

}  // namespace heed::fuzz
