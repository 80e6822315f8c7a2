#include "study/word_check.h"

#include <cstddef>
#include <utility>

#include "base/outliers.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::study {
namespace {

constexpr int32_t kNothing = 0;  // the source of words that translate no other

/// Returns the words with kNothing after them.
Ids with_nothing(Ids words) {
  words.push_back(kNothing);
  return words;
}

}  // namespace

WordCheck::Direction::Direction(const std::vector<Ids>& from, const std::vector<Ids>& to,
                                std::size_t words)
    : lexicon(
          [&] {
            std::vector<Ids> all;
            for (const Ids& line : from) all.push_back(with_nothing(line));
            return all;
          }(),
          to, static_cast<int64_t>(words) + 1) {
  std::vector<double> nats;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i].size() >= kShort && to[i].size() >= kShort)
      nats.push_back(lexicon.nats(with_nothing(from[i]), to[i]));
  limit = outlier_limit(std::move(nats), kFar);
}

WordCheck::Words WordCheck::words_of(std::string_view source, std::string_view target) {
  const auto words = [](std::string_view line) {
    std::vector<std::string> out;
    for (const std::string& word : text::words_in(line))
      if (std::string plain = text::lower_case(text::without_punctuation(word)); !plain.empty())
        out.push_back(std::move(plain));
    return out;
  };
  return {.source = words(source), .target = words(target)};
}

Ids WordCheck::ids_of(const std::vector<std::string>& words, Numbers& numbers, bool learns) {
  Ids ids;
  for (const std::string& word : words) {
    if (learns) numbers.emplace(word, static_cast<int32_t>(numbers.size()) + 1);
    if (const auto found = numbers.find(word); found != numbers.end()) ids.push_back(found->second);
  }
  return ids;
}

void WordCheck::learn(std::string_view source, std::string_view target) {
  if (learned_ == kLearned || is_full()) return;
  const Words words = words_of(source, target);
  if (words.too_long()) return;
  word_pairs_ += words.source.size() * words.target.size();
  if (is_full()) return;
  ++learned_;
  sources_.push_back(ids_of(words.source, source_words_, /*learns=*/true));
  targets_.push_back(ids_of(words.target, target_words_, /*learns=*/true));
}

bool WordCheck::is_odd(std::string_view source, std::string_view target) {
  if (!forward_) {
    forward_.emplace(sources_, targets_, source_words_.size());
    backward_.emplace(targets_, sources_, target_words_.size());
    sources_.clear();
    targets_.clear();
  }
  const Words words = words_of(source, target);
  if (words.too_long()) {
    ++too_long_;
    return false;
  }
  const Ids from = ids_of(words.source, source_words_, /*learns=*/false),
            to = ids_of(words.target, target_words_, /*learns=*/false);
  if (from.size() < kShort || to.size() < kShort) return false;
  return forward_->lexicon.nats(with_nothing(from), to) > forward_->limit ||
         backward_->lexicon.nats(with_nothing(to), from) > backward_->limit;
}

}  // namespace heed::study
