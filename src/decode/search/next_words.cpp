#include "decode/search/next_words.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "data/batch.h"
#include "decode/search/candidates.h"
#include "decode/search/pieces.h"
#include "decode/search/search.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

constexpr int64_t kPieces = 12;  // the most pieces of a word

using Ids = std::vector<int32_t>;

/// A word that is not yet complete.
struct Growing {
  Ids ids;  // the pieces of the prefix and of the word
  double log_probability = 0;
  bool done = false;
};

/// Computes log P of each piece after the beginnings of a translation, as a search may take it:
/// -inf where the piece must not come. The first call has one beginning; in later calls each is a
/// beginning of the call before with one more piece.
class ScoresAfter {
 public:
  explicit ScoresAfter(Steps& steps) : steps_(steps) {}

  Candidates operator()(const std::vector<Ids>& beginnings) {
    std::vector<int64_t> tokens, hypotheses;
    if (read_.empty()) {
      tokens = {text::kBegin};
      for (const int32_t id : beginnings.front()) {
        steps_.step({.tokens = tokens, .candidates = 1});
        tokens = {id};
      }
    } else {
      for (const Ids& ids : beginnings) {
        const auto before = std::ranges::find(read_, Ids(ids.begin(), ids.end() - 1));
        hypotheses.push_back(before - read_.begin());
        tokens.push_back(ids.back());
      }
    }
    read_ = beginnings;
    return steps_.step({.tokens = tokens, .width = std::ssize(tokens), .hypotheses = hypotheses})
        .candidates;
  }

 private:
  Steps& steps_;
  std::vector<Ids> read_;
};

/// Returns the likeliest next pieces, each as the beginning of a word.
std::vector<Growing> beginnings_of(const Ids& prefix, std::span<const float> scores,
                                   int64_t count) {
  Ids order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.begin() + std::min<int64_t>(count, std::ssize(order));
  std::partial_sort(order.begin(), end, order.end(), [&](int32_t a, int32_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  std::vector<Growing> out;
  for (auto id = order.begin(); id != end && std::isfinite(scores[*id]); ++id) {
    out.push_back({prefix, scores[*id], *id == text::kEnd});
    out.back().ids.push_back(*id);
  }
  return out;
}

/// Adds to each word that is not done the likeliest piece, or ends it.
void grow(ScoresAfter& scores_after, const text::Vocabulary& vocabulary,
          std::vector<Growing>& words) {
  std::vector<Growing*> open;
  std::vector<Ids> beginnings;
  for (Growing& word : words) {
    if (word.done) continue;
    open.push_back(&word);
    beginnings.push_back(word.ids);
  }
  if (open.empty()) return;
  const Candidates candidates = scores_after(beginnings);
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::span<const float> scores = candidates.values_of(static_cast<int64_t>(i));
    const auto best = std::ranges::max_element(scores);
    const auto id = static_cast<int32_t>(best - scores.begin());
    // After a piece that only says where a word begins, that word is still to come.
    const bool bare = vocabulary.piece(open[i]->ids.back()) == text::kWordStart;
    const bool ends = id == text::kEnd || vocabulary.begins_word(id, open[i]->ids.back());
    open[i]->done = ends && !bare;
    if (open[i]->done) continue;
    open[i]->ids.push_back(id);
    open[i]->log_probability += *best;
  }
}

}  // namespace

std::vector<NextWord> next_words(const LineTranslator& translator, const std::string& line,
                                 const std::string& prefix, int64_t count) {
  const std::vector<data::Batch> sources = translator.sources_of(line);
  if (sources.front().source_length == 1) return {};  // eos alone
  const text::Vocabulary& vocabulary = translator.first_text().target;
  Ids prefix_ids = vocabulary.encode(prefix);
  if (prefix_ids.empty()) prefix_ids = vocabulary.beginning();
  if (std::ssize(prefix_ids) + kPieces + 1 > translator.longest())
    throw UserError("the prefix has {} pieces, too many for this model to go on",
                    prefix_ids.size());
  std::vector<Growing> words;
  translator.with_steps(sources, {.never = translator.never()}, [&](Steps& steps) {
    ScoresAfter scores(steps);
    words = beginnings_of(prefix_ids, scores({prefix_ids}).values_of(0), count);
    for (int64_t pieces = 1; pieces < kPieces; ++pieces) grow(scores, vocabulary, words);
  });

  const std::vector<std::string> unknown = unknown_pieces(vocabulary, prefix, prefix_ids);
  const std::string before = vocabulary.decode(prefix_ids, unknown);
  std::vector<NextWord> out;
  for (const Growing& word : words) {
    NextWord next{.prefix = vocabulary.decode(word.ids, unknown),
                  .probability = std::exp(word.log_probability),
                  .ends = word.ids[prefix_ids.size()] == text::kEnd};
    const std::string added =
        next.prefix.starts_with(before) ? next.prefix.substr(before.size()) : next.prefix;
    next.word = trim(added);
    next.continues = !before.empty() && !next.word.empty() && !added.starts_with(' ');
    const auto same = std::ranges::find_if(out, [&](const NextWord& one) {
      return one.prefix == next.prefix && one.ends == next.ends;
    });
    if (same != out.end()) {  // spelled in other pieces
      same->probability += next.probability;
    } else if (next.ends || !next.word.empty()) {
      out.push_back(std::move(next));
    }
  }
  std::ranges::stable_sort(out, std::greater<>(), &NextWord::probability);
  return out;
}

double log_probability_of(const LineTranslator& translator, const std::string& source,
                          const std::string& target) {
  Ids ids = translator.first_text().target.encode(target);
  const std::size_t symbols = translator.first_text().target.symbols_before(ids);
  ids.push_back(text::kEnd);
  double sum = 0;
  translator.with_steps(translator.sources_of(source), {}, [&](Steps& steps) {
    sum = 0;
    int64_t last = text::kBegin;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const ForcedPiece forced{.sentence = 0, .piece = ids[i]};
      const StepResult step =
          steps.step({.tokens = {&last, 1}, .forced = {&forced, 1}, .candidates = 1});
      if (i >= symbols) sum += step.candidates.values[0];
      last = ids[i];
    }
  });
  return sum;
}

}  // namespace heed::decode
