#include "data/batches.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/strings.h"
#include "config/schema.h"
#include "data/config.h"
#include "data/noise.h"
#include "data/pair_reader.h"

namespace heed::data {
namespace {

// Numbers that separate the uses of one seed.
constexpr uint64_t kShuffle = 1, kPart = 2, kPool = 3, kDraw = 4, kStage = 5;

/// The lengths of a pair, eos included, and the number that decides between equal ones.
struct PairLength {
  int64_t source = 0, target = 0;
  uint64_t tie = 0;
};

struct Cut {
  std::vector<int64_t> order;                        // indices of the pairs
  std::vector<std::pair<int64_t, int64_t>> batches;  // ranges [first, second) of `order`
};

class BatchCutter {
 public:
  BatchCutter(const std::vector<PairLength>& lengths, int64_t size, bool tokens)
      : lengths_(lengths), size_(size), tokens_(tokens), by_target_(lengths.size()) {
    std::iota(by_target_.begin(), by_target_.end(), int64_t{0});
    sort(by_target_.begin(), by_target_.end(), [&](int64_t i) {
      return std::tuple(lengths_[i].target, lengths_[i].source, lengths_[i].tie, i);
    });
  }

  /// Cuts the pairs sorted by target into bands that hold at least `span` target lengths and are
  /// at least `least` batches large, and each band, sorted by source, into batches. Large bands pad
  /// the target more and the source less.
  Cut with_bands(int64_t span, double least) const {
    Cut out{by_target_, {}};
    bool rising = true;
    for (std::size_t begin = 0; begin < out.order.size();) {
      const std::size_t end = band_end(begin, span, least);
      // The order of source lengths rises and falls in turns, so that a batch across two bands has
      // either long or short sources.
      const int64_t sign = rising ? 1 : -1;
      sort(out.order.begin() + begin, out.order.begin() + end, [&](int64_t i) {
        return std::tuple(sign * lengths_[i].source, lengths_[i].target, lengths_[i].tie, i);
      });
      rising = !rising;
      begin = end;
    }
    fill(out);
    return out;
  }

  /// The number of tokens of both sides, padding included.
  int64_t padded_tokens(const Cut& cut) const {
    int64_t sum = 0;
    for (const auto& [begin, end] : cut.batches) {
      int64_t source = 0, target = 0;
      for (int64_t i = begin; i < end; ++i) {
        source = std::max(source, lengths_[cut.order[i]].source);
        target = std::max(target, lengths_[cut.order[i]].target);
      }
      sum += (end - begin) * (source + target);
    }
    return sum;
  }

 private:
  template <class Iterator, class Key>
  static void sort(Iterator begin, Iterator end, const Key& key) {
    std::sort(begin, end, [&](int64_t a, int64_t b) { return key(a) < key(b); });
  }

  std::size_t band_end(std::size_t begin, int64_t span, double least) const {
    const int64_t beyond = lengths_[by_target_[begin]].target + span;
    double batches = 0;
    std::size_t end = begin;
    for (; end < by_target_.size(); ++end) {
      const PairLength& length = lengths_[by_target_[end]];
      if (length.target >= beyond && batches >= least) break;
      batches += static_cast<double>(tokens_ ? length.target : 1) / static_cast<double>(size_);
    }
    return end;
  }

  void fill(Cut& cut) const {
    const auto count = static_cast<int64_t>(cut.order.size());
    int64_t begin = 0, source = 0, target = 0;
    for (int64_t i = 0; i < count; ++i) {
      const PairLength& length = lengths_[cut.order[i]];
      const int64_t rows = i + 1 - begin;
      source = std::max(source, length.source);
      target = std::max(target, length.target);
      const bool fits =
          tokens_ ? rows * target <= size_ && rows * source <= 2 * size_ : rows <= size_;
      if (fits || rows == 1) continue;
      cut.batches.emplace_back(begin, i);
      begin = i;
      source = length.source;
      target = length.target;
    }
    if (begin < count) cut.batches.emplace_back(begin, count);
  }

  const std::vector<PairLength>& lengths_;
  int64_t size_;
  bool tokens_;
  std::vector<int64_t> by_target_;
};

/// Cuts pairs into batches of alike lengths. `tokens`: at most `size` padded target tokens and
/// 2 * size padded source tokens each, or a single pair; else `size` pairs each. The same lengths
/// and ties give the same batches.
Cut cut(const std::vector<PairLength>& lengths, int64_t size, bool tokens) {
  const BatchCutter cutter(lengths, size, tokens);
  // The best size of bands depends on the corpus and on the number of batches, so several sizes are
  // tried.
  Cut best;
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (int64_t span = 1; span <= 3; ++span) {
    for (double least = 1; least <= 8; least *= 1.5) {
      Cut tried = cutter.with_bands(span, least);
      const int64_t tokens = cutter.padded_tokens(tried);
      if (tokens >= fewest) continue;
      best = std::move(tried);
      fewest = tokens;
    }
  }
  return best;
}

void check(const Corpus& corpus, const BatchOptions& options) {
  expect(corpus.size() > 0, "batches of an empty corpus");
  expect(options.batch_size > 0 && options.pool > 0, "batch size and pool above 0");
  const auto& parts = corpus.parts();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const int64_t pairs = parts[p].end - parts[p].begin;
    if (pairs > 0 && pairs_in_epoch(pairs, parts[p].weight) == 0)
      throw UserError("data.train{}.weight: leaves none of the {} in an epoch; raise it",
                      parts.size() > 1 ? "." + std::to_string(p) : "", counted(pairs, "pair"));
  }
}

uint64_t order_of(const Corpus& corpus, const BatchOptions& options) {
  uint64_t order = mix({corpus.fingerprint(), static_cast<uint64_t>(options.batch_size),
                        options.tokens, static_cast<uint64_t>(options.pool), options.seed,
                        std::bit_cast<uint64_t>(options.sampling)});
  const auto add = [&](double value) { mix_in(order, std::bit_cast<uint64_t>(value)); };
  if (is_noisy(options.noise))
    config::for_each_field<NoiseConfig>(
        [&](const auto& field) { add(options.noise.*field.member); });
  if (options.terms > 0) add(options.terms);
  for (const Mixture& stage : options.stages) {
    for (const double share : stage.shares) add(share);
    add(stage.epochs);
    mix_in(order, stage.counted);
    mix_in(order, static_cast<uint64_t>(stage.batches));
  }
  return order;
}

Batch batch_of(const std::vector<Example>& examples) {
  std::vector<const Example*> pointers;
  for (const Example& example : examples) pointers.push_back(&example);
  return make_batch(pointers);
}

}  // namespace

BatchStream::BatchStream(std::shared_ptr<const Corpus> corpus, const BatchOptions& options)
    : corpus_(std::move(corpus)), options_(options) {
  check(*corpus_, options_);
  position_.order = order_of(*corpus_, options_);
  for (const Mixture& stage : options_.stages)
    stages_.emplace_back(*corpus_, stage, options_.pool,
                         mix({options_.seed, kStage, stages_.size()}),
                         fmt::format("data.stages.{}", stages_.size()));
  if (!stages_.empty()) options_.epochs = std::ssize(stages_);
}

int64_t pairs_in_epoch(int64_t pairs, double weight) {
  const double whole = std::floor(weight);
  return static_cast<int64_t>(whole) * pairs +
         std::llround((weight - whole) * static_cast<double>(pairs));
}

std::vector<int64_t> BatchStream::epoch_order(int64_t epoch) const {
  std::vector<int64_t> order;
  const auto seed = [&](uint64_t use, uint64_t part) {
    return mix({options_.seed, use, static_cast<uint64_t>(epoch), part});
  };
  for (std::size_t p = 0; p < corpus_->parts().size(); ++p) {
    const Corpus::Part& part = corpus_->parts()[p];
    std::vector<int64_t> pairs(part.end - part.begin);
    std::iota(pairs.begin(), pairs.end(), part.begin);
    const double whole = std::floor(part.weight);
    for (double i = 0; i < whole; ++i) order.insert(order.end(), pairs.begin(), pairs.end());
    const int64_t some = pairs_in_epoch(std::ssize(pairs), part.weight - whole);
    if (some == 0) continue;
    Random random(seed(kPart, p));
    random.shuffle(pairs);
    order.insert(order.end(), pairs.begin(), pairs.begin() + some);
  }
  Random random(seed(kShuffle, 0));
  random.shuffle(order);
  return order;
}

int64_t BatchStream::pool_count() {
  if (!stages_.empty()) return stages_[position_.epoch].count();
  if (order_epoch_ != position_.epoch) {
    order_ = epoch_order(position_.epoch);
    order_epoch_ = position_.epoch;
  }
  return (std::ssize(order_) + options_.pool - 1) / options_.pool;
}

BatchStream::Pool BatchStream::make_pool() const {
  const auto epoch = static_cast<uint64_t>(position_.epoch);
  const int64_t begin = position_.pool * options_.pool;
  Pool pool;
  if (stages_.empty())
    pool.pairs.assign(order_.begin() + begin,
                      order_.begin() + std::min(begin + options_.pool, std::ssize(order_)));
  else
    pool.pairs = stages_[epoch].pairs(position_.pool);
  if (options_.sampling > 0 || is_noisy(options_.noise) || options_.terms > 0) {
    pool.drawn.resize(pool.pairs.size());
    for_slices(std::ssize(pool.pairs), options_.threads, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        // The seed has the position in the epoch, so that a pair that is read twice is drawn twice.
        const uint64_t seed = mix({options_.seed, kDraw, epoch, static_cast<uint64_t>(begin + i)});
        pool.drawn[i] =
            corpus_->sample(pool.pairs[i], options_.sampling, seed, options_.noise, options_.terms);
      }
    });
  }
  Random random(mix({options_.seed, kPool, epoch, static_cast<uint64_t>(position_.pool)}));
  std::vector<PairLength> lengths;
  lengths.reserve(pool.pairs.size());
  for (std::size_t i = 0; i < pool.pairs.size(); ++i) {
    const int64_t pair = pool.pairs[i];
    const bool drawn = !pool.drawn.empty();
    const int64_t source =
        drawn ? static_cast<int64_t>(pool.drawn[i].source.size()) : corpus_->source_length(pair);
    const int64_t target =
        drawn ? static_cast<int64_t>(pool.drawn[i].target.size()) : corpus_->target_length(pair);
    lengths.push_back({source + 1, target + 1, random.next()});
  }
  Cut batches = cut(lengths, options_.batch_size, options_.tokens);
  pool.order = std::move(batches.order);
  pool.batches = std::move(batches.batches);
  random.shuffle(pool.batches);
  return pool;
}

Batch BatchStream::make(const Pool& pool, int64_t number) const {
  std::vector<Example> examples;
  const auto [begin, end] = pool.batches[number];
  for (int64_t i = begin; i < end; ++i) {
    const int64_t at = pool.order[i];
    examples.push_back(pool.drawn.empty() ? corpus_->example(pool.pairs[at]) : pool.drawn[at]);
  }
  return batch_of(examples);
}

bool BatchStream::load() {
  if (pool_epoch_ == position_.epoch && pool_number_ == position_.pool) return true;
  if (position_.pool >= pool_count()) return false;
  pool_ = make_pool();
  pool_epoch_ = position_.epoch;
  pool_number_ = position_.pool;
  return true;
}

void BatchStream::advance() {
  bool stage_ends = false;
  if (!stages_.empty())
    stage_ends = ++position_.stage_batches == options_.stages[position_.epoch].batches;
  if (!stage_ends && ++position_.batch < std::ssize(pool_.batches)) return;
  position_.batch = 0;
  if (!stage_ends && ++position_.pool < pool_count()) return;
  position_.pool = 0;
  position_.stage_batches = 0;
  ++position_.epoch;
}

std::optional<StreamedBatch> BatchStream::next() {
  if (options_.epochs > 0 && position_.epoch >= options_.epochs) return std::nullopt;
  load();
  StreamedBatch step{make(pool_, position_.batch), position_.epoch, {}};
  advance();
  step.after = position_;
  return step;
}

void BatchStream::seek(const Position& position) {
  if (position.order != 0 && position.order != position_.order)
    throw UserError(
        "the saved place in the training data is of other data, another seed or other batch "
        "settings (data, seed, training.batch_size); go on with those it was made with");
  const Position before = position_;
  position_ = position;
  position_.order = before.order;
  bool exists = position.epoch >= 0 && position.pool >= 0 && position.batch >= 0;
  // The end, after the last epoch, is a valid position, too.
  const bool end = options_.epochs > 0 && position.epoch >= options_.epochs;
  if (exists && !end) exists = load() && position.batch < std::ssize(pool_.batches);
  if (exists) return;
  position_ = before;
  throw UserError("the training data has no place " + position.to_json());
}

int64_t BatchStream::batches_in_epoch(int64_t epoch) const {
  BatchStream all = *this;
  int64_t count = 0;
  for (all.position_ = {.epoch = epoch}; all.load(); ++all.position_.pool)
    count += std::ssize(all.pool_.batches);
  return count;
}

std::vector<Batch> fixed_batches(const Corpus& corpus, int64_t max_tokens) {
  expect(max_tokens > 0, "batches of at least a token");
  std::vector<PairLength> lengths;
  for (int64_t i = 0; i < corpus.size(); ++i)
    lengths.push_back({corpus.source_length(i) + 1, corpus.target_length(i) + 1, 0});
  const Cut all = cut(lengths, max_tokens, true);
  std::vector<Batch> batches;
  for (const auto& [begin, end] : all.batches) {
    std::vector<Example> examples;
    for (int64_t i = begin; i < end; ++i) examples.push_back(corpus.example(all.order[i]));
    batches.push_back(batch_of(examples));
  }
  return batches;
}

}  // namespace heed::data
