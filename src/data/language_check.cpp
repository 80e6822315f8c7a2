#include "data/language_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/outliers.h"
#include "text/utf8.h"

namespace heed::data {
namespace {

constexpr int64_t kSample = 2000;      // lines from which a file's limit is computed
constexpr double kUnseen = 1.0 / 1e4;  // probability of a character that was never seen
constexpr double kMargin = 0.2;        // nats a character by which the other file's is likelier
constexpr char32_t kEdge = 1;          // stands before and after a line

std::u32string characters_of(std::string_view line) {
  std::u32string out{kEdge, kEdge};
  for (const std::string& word : text::unicode_words(text::lower_case(line))) {
    if (out.size() > 2) out += U' ';
    out += text::decode_utf8(word);
  }
  return out += kEdge;
}

/// The key of the `n` characters that end at `end`. Keys of different `n` differ.
uint64_t key_of(const std::u32string& text, std::size_t end, std::size_t n) {
  uint64_t key = n;
  for (std::size_t i = end - n; i < end; ++i) key = key << 20 | (text[i] & 0xFFFFF);
  return key;
}

}  // namespace

void CharacterModel::learn(std::string_view line) {
  const std::u32string text = characters_of(line);
  if (text.size() == 3) return;
  for (std::size_t end = 3; end <= text.size(); ++end)
    for (std::size_t n = 1; n <= 3; ++n) {
      ContextCounts& context = contexts_[key_of(text, end - 1, n - 1)];
      ++context.total;
      context.kinds += ++counts_[key_of(text, end, n)] == 1;
    }
}

double CharacterModel::nats(std::string_view line) const {
  const std::u32string text = characters_of(line);
  if (text.size() == 3) return 0;
  double sum = 0;
  for (std::size_t end = 3; end <= text.size(); ++end) {
    double probability = kUnseen;
    for (std::size_t n = 1; n <= 3; ++n) {
      const auto context = contexts_.find(key_of(text, end - 1, n - 1));
      if (context == contexts_.end()) break;
      const auto count = counts_.find(key_of(text, end, n));
      const auto kinds = static_cast<double>(context->second.kinds);
      probability =
          (static_cast<double>(count == counts_.end() ? 0 : count->second) + kinds * probability) /
          (static_cast<double>(context->second.total) + kinds);
    }
    sum -= std::log(probability);
  }
  return sum / static_cast<double>(text.size() - 2);
}

void LanguageCheck::learn(std::string_view source, std::string_view target) {
  source_.model.learn(source);
  target_.model.learn(target);
  // Takes one pair out of every `every`, so that the sample is of the whole corpus.
  const int64_t every = 1 + pairs_++ / kSample;
  if (pairs_ % every != 0) return;
  source_.sample.emplace_back(source);
  target_.sample.emplace_back(target);
}

void LanguageCheck::Side::set_limit() {
  std::vector<double> nats;
  for (const std::string& line : sample)
    if (text::count_code_points(line) >= kShort) nats.push_back(model.nats(line));
  limit = outlier_limit(std::move(nats), kFar);
}

bool LanguageCheck::is_odd(std::string_view source, std::string_view target) {
  if (!ready_) {
    source_.set_limit();
    target_.set_limit();
    ready_ = true;
  }
  return is_odd(source, source_, target_) || is_odd(target, target_, source_);
}

bool LanguageCheck::is_odd(std::string_view line, const Side& own, const Side& other) {
  if (text::count_code_points(line) < kShort) return false;
  const double nats = own.model.nats(line);
  return nats > other.model.nats(line) + kMargin || nats > own.limit;
}

}  // namespace heed::data
