// The steps of decoding one batch with a recurrent network.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/matrix.h"
#include "engine/network.h"
#include "engine/output_product.h"
#include "engine/recurrent.h"
#include "engine/source_attention.h"
#include "engine/threads.h"
#include "engine/weights.h"
#include "kernels/rows/loops.h"
#include "kernels/rows/recurrence.h"
#include "model/description/config.h"

namespace heed::engine {
namespace {

void embed(const Array& table, const int64_t* tokens, int64_t count, float* to) {
  const int64_t width = table.columns();
  for (int64_t i = 0; i < count; ++i, to += width) {
    expect(tokens[i] >= 0 && tokens[i] < table.rows(), "a piece of the vocabulary");
    table.copy_row(tokens[i], to);
  }
}

/// The output of a linear layer for each word, computed once for all rows of a batch that have this
/// word.
class WordProducts {
 public:
  /// to [count, columns] = embeddings of `tokens` W^T + b, which is added to the numbers there with
  /// `add`.
  void product(const Linear& linear, const Array& table, std::span<const int64_t> tokens, bool add,
               Products& products, Floats& to) {
    const int64_t columns = linear.matrix.columns(), width = table.columns();
    number_.resize(table.rows(), -1);
    std::vector<int64_t> fresh;
    for (const int64_t token : tokens) {
      expect(token >= 0 && token < table.rows(), "a piece of the vocabulary");
      if (number_[token] >= 0) continue;
      number_[token] =
          static_cast<int32_t>(std::ssize(known_products_) / columns + std::ssize(fresh));
      fresh.push_back(token);
    }
    if (!fresh.empty()) {
      embedded_.resize(std::ssize(fresh) * width);
      embed(table, fresh.data(), std::ssize(fresh), embedded_.data());
      const int64_t before = std::ssize(known_products_);
      known_products_.resize(before + std::ssize(fresh) * columns);
      products.product(linear, embedded_.data(), std::ssize(fresh),
                       known_products_.data() + before);
    }
    to.resize(std::ssize(tokens) * columns);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const float* known = known_products_.data() + number_[tokens[i]] * columns;
      float* row = to.data() + i * columns;
      if (add)
        kernels::scale_and_add(known, 1, row, columns, row);
      else
        std::copy_n(known, columns, row);
    }
  }

 private:
  std::vector<int32_t> number_;  // of each piece, in known_products_, or -1
  Floats known_products_, embedded_;
};

/// Adds row i of `from` to rows [i * each, (i + 1) * each) of `to`.
void add_rows(const Floats& from, int64_t each, int64_t width, Floats& to) {
  for (int64_t row = 0; row * width < std::ssize(to); ++row)
    kernels::scale_and_add(from.data() + row / each * width, 1, to.data() + row * width, width,
                           to.data() + row * width);
}

/// The states of a recurrent layer, row by row.
struct States {
  Floats hidden, cell;  // cell: of an LSTM
};

/// h', c' of one row from its gates and from U h + b, `recurrent`. `room` [4 * hidden].
struct Cell {
  model::Cell kind;
  int64_t hidden;

  int64_t gates() const { return (kind == model::Cell::gru ? 3 : 4) * hidden; }
  void step(const float* gates, const float* recurrent, int64_t row, States& states,
            float* room) const {
    float* h = states.hidden.data() + row * hidden;
    if (kind == model::Cell::gru)
      return kernels::RecurrentRow<float>::gru(gates, recurrent, h, h, room, hidden);
    float* c = states.cell.data() + row * hidden;
    kernels::RecurrentRow<float>::lstm(gates, recurrent, c, h, c, room, hidden);
  }
  States zeros(int64_t rows) const {
    return {Floats(rows * hidden), Floats(kind == model::Cell::lstm ? rows * hidden : 0)};
  }
};

/// The encoder's output for the sentences.
struct EncodedSources {
  Floats states, summary;  // [pieces, hidden_size], [sentences, hidden_size]: the last ones
};

/// The bidirectional encoder over sentences without padding.
class BidirectionalEncoder {
 public:
  /// Both must outlive this object.
  BidirectionalEncoder(const RecurrentWeights& weights, std::span<const Span> spans)
      : weights_(weights),
        cell_{weights.config.cell, weights.config.hidden_size / 2},
        spans_(spans),
        order_(spans.size()),
        pieces_(spans.back().begin + spans.back().count) {
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::stable_sort(order_, std::greater<>(), [&](int64_t s) { return spans_[s].count; });
  }

  EncodedSources encode(const SourceBatch& source, const Threads& threads) const {
    EncodedSources out;
    out.summary.resize(std::ssize(spans_) * 2 * cell_.hidden);
    const int64_t width = weights_.source_embedding.columns();
    Floats input(pieces_ * width);
    for (int64_t s = 0; s < std::ssize(spans_); ++s)
      embed(weights_.source_embedding, source.tokens + s * source.length, spans_[s].count,
            input.data() + spans_[s].begin * width);
    for (std::size_t layer = 0; layer < weights_.encoder.size() / 2; ++layer) {
      out.states.assign(pieces_ * 2 * cell_.hidden, 0);
      threads(2, 1, [&](int64_t first, int64_t last) {
        for (int64_t d = first; d < last; ++d)
          run(weights_.encoder[2 * layer + d], d, input, threads, out);
      });
      input = out.states;
    }
    return out;
  }

 private:
  /// Runs one direction of a layer, 0: forward.
  void run(const CellWeights& layer, int64_t direction, const Floats& input, const Threads& threads,
           EncodedSources& out) const {
    const int64_t hidden = cell_.hidden, gates = cell_.gates();
    Products products(threads);
    Floats from_input(pieces_ * gates), recurrent(order_.size() * gates), room(4 * hidden);
    products.product(layer.input, input.data(), pieces_, from_input.data());
    States now = cell_.zeros(std::ssize(order_));
    const int64_t steps = spans_[order_.front()].count;
    int64_t active = std::ssize(order_);
    for (int64_t t = 0; t < steps; ++t) {
      while (spans_[order_[active - 1]].count <= t) --active;
      products.product(layer.hidden, now.hidden.data(), active, recurrent.data());
      for (int64_t i = 0; i < active; ++i) {
        const Span& span = spans_[order_[i]];
        const int64_t row = span.begin + (direction == 0 ? t : span.count - 1 - t);
        cell_.step(from_input.data() + row * gates, recurrent.data() + i * gates, i, now,
                   room.data());
        std::copy_n(now.hidden.data() + i * hidden, hidden,
                    out.states.data() + (2 * row + direction) * hidden);
      }
    }
    for (std::size_t i = 0; i < order_.size(); ++i)
      std::copy_n(now.hidden.data() + i * hidden, hidden,
                  out.summary.data() + (2 * order_[i] + direction) * hidden);
  }

  const RecurrentWeights& weights_;
  const Cell cell_;
  const std::span<const Span> spans_;
  std::vector<int64_t> order_;  // sentences, longest first
  const int64_t pieces_;
};

class RecurrentDecoder : public BatchDecoder {
 public:
  RecurrentDecoder(const RecurrentWeights& weights, const SourceBatch& source,
                   const Threads& threads, LayerMaps* maps, bool with_numbers)
      : weights_(weights),
        threads_(threads),
        maps_(maps),
        with_numbers_(with_numbers),
        products_(threads),
        output_(weights.output, source.lists, products_),
        cell_{weights.config.cell, weights.config.hidden_size},
        longest_(source.length),
        sources_(spans_of(source)) {
    EncodedSources encoded = BidirectionalEncoder(weights, sources_).encode(source, threads);
    encoded_ = std::move(encoded.states);
    if (maps_ != nullptr) maps_->clear();
    start(encoded.summary);
    if (weights.attention) {
      attention_.emplace(*weights.attention, encoded_, sources_, threads);
      return;
    }
    product(weights.decoder.front().extra, encoded.summary, constant_gates_);
    product(weights.read_context, encoded.summary, constant_read_);
    if (with_numbers) summary_ = std::move(encoded.summary);
  }

  OutputProduct& step(const int64_t* tokens, int64_t beam, Floats* attention) override {
    rows_ = sentences() * beam;
    expect(rows_ * cell_.hidden == std::ssize(layers_.back().hidden),
           "as many tokens as hypotheses");
    const std::span words(tokens, rows_);
    const CellWeights& bottom = weights_.decoder.front();
    word_gates_.product(bottom.input, weights_.target_embedding, words, false, products_, gates_);
    if (weights_.attends_before) {
      attend(beam, attention);
      product(bottom.extra, context_, gates_, {.add = true});
    } else if (weights_.feeds()) {
      product(bottom.extra, feed_, gates_, {.add = true});
    } else if (!weights_.attention) {
      add_rows(constant_gates_, beam, cell_.gates(), gates_);
    }
    const bool maxout = weights_.config.readout == model::Readout::maxout;
    if (maxout) before_ = layers_.back().hidden;
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      if (layer > 0) product(weights_.decoder[layer].input, layers_[layer - 1].hidden, gates_);
      advance(weights_.decoder[layer], layers_[layer]);
    }
    if (weights_.attention && !weights_.attends_before) attend(beam, attention);
    if (!weights_.attention && with_numbers_) tell_vector();
    read_out(words, beam, maxout ? before_ : layers_.back().hidden);
    ++position_;
    output_.take(features_.data(), rows_);
    return output_;
  }

  void reorder(std::span<const int64_t> sentences, std::span<const int64_t> hypotheses) override {
    for (States& layer : layers_) {
      choose_rows(layer.hidden, cell_.hidden, hypotheses);
      if (!layer.cell.empty()) choose_rows(layer.cell, cell_.hidden, hypotheses);
    }
    if (weights_.feeds()) choose_rows(feed_, weights_.target_embedding.columns(), hypotheses);
    if (attention_) attention_->reorder(hypotheses);
    if (sentences.empty()) return;
    choose(sources_, sentences);
    output_.reorder(sentences);
    if (weights_.attention) return;
    choose_rows(constant_gates_, cell_.gates(), sentences);
    choose_rows(constant_read_, weights_.read_context.matrix.columns(), sentences);
  }

  int64_t columns() const override { return output_.columns(); }

 private:
  int64_t sentences() const { return std::ssize(sources_); }

  /// to [rows, columns] = finish(x W^T + b), with as many rows as x has.
  void product(const Linear& linear, const Floats& x, Floats& to, Finish finish = {}) {
    const int64_t rows = std::ssize(x) / linear.matrix.inner();
    to.resize(rows * linear.matrix.columns());
    products_.product(linear, x.data(), rows, to.data(), finish);
  }

  /// s(0) = tanh(W summary), of the summary's last columns, for every layer.
  void start(const Floats& summary) {
    const int64_t read = weights_.initial.matrix.inner(), width = weights_.config.hidden_size;
    const int64_t each = weights_.initial.matrix.columns(), hidden = cell_.hidden;
    Floats from, first;
    for (int64_t s = 0; s < sentences(); ++s)
      from.insert(from.end(), summary.begin() + (s + 1) * width - read,
                  summary.begin() + (s + 1) * width);
    product(weights_.initial, from, first);
    kernels::tangents(first.data(), std::ssize(first));
    const bool lstm = cell_.kind == model::Cell::lstm;
    for (std::size_t layer = 0; layer < weights_.decoder.size(); ++layer) {
      States& states = layers_.emplace_back(cell_.zeros(sentences()));
      for (int64_t s = 0; s < sentences(); ++s) {
        const float* own = first.data() + s * each + (lstm ? 2 : 1) * layer * hidden;
        std::copy_n(own, hidden, states.hidden.data() + s * hidden);
        if (lstm) std::copy_n(own + hidden, hidden, states.cell.data() + s * hidden);
      }
    }
    if (weights_.feeds()) feed_.assign(sentences() * weights_.target_embedding.columns(), 0);
  }

  void advance(const CellWeights& layer, States& states) {
    product(layer.hidden, states.hidden, recurrent_);
    threads_(rows_, kRowsWorthAThread, [&](int64_t first, int64_t last) {
      Floats room(4 * cell_.hidden);
      for (int64_t row = first; row < last; ++row)
        cell_.step(gates_.data() + row * cell_.gates(), recurrent_.data() + row * cell_.gates(),
                   row, states, room.data());
    });
  }

  void attend(int64_t beam, Floats* attention) {
    context_.resize(rows_ * weights_.attention->width);
    LayerMap map{.keys = longest_};
    attention_->step(layers_.back().hidden.data(), {sources_, beam, position_}, context_.data(),
                     attention != nullptr || maps_ != nullptr ? &map : nullptr, with_numbers_);
    if (attention != nullptr) *attention = map.mean();
    if (maps_ != nullptr) *maps_ = {std::move(map)};
  }

  /// Writes the map of a decoder that does not attend: its one vector, and no weights.
  void tell_vector() {
    *maps_ = {
        {.heads = 1,
         .keys = 1,
         .numbers = {.width = cell_.hidden, .queries = layers_.back().hidden, .values = summary_}}};
  }

  void read_out(std::span<const int64_t> words, int64_t beam, const Floats& state) {
    product(weights_.read_state, state, features_);
    if (weights_.attention)
      product(weights_.read_context, context_, features_, {.add = true});
    else
      add_rows(constant_read_, beam, weights_.read_context.matrix.columns(), features_);
    const bool after = weights_.attention && !weights_.attends_before;
    if (!after)
      word_read_.product(weights_.read_input, weights_.target_embedding, words, true, products_,
                         features_);
    if (weights_.config.readout == model::Readout::maxout) {
      for (std::size_t i = 0; 2 * i < features_.size(); ++i)
        features_[i] = larger(features_[2 * i], features_[2 * i + 1]);
      features_.resize(features_.size() / 2);
    } else {
      kernels::tangents(features_.data(), std::ssize(features_));
    }
    if (weights_.feeds()) feed_ = features_;
  }

  /// The larger of two numbers; NaN where one is NaN.
  static float larger(float x, float y) { return x > y || x != x ? x : y; }

  const RecurrentWeights& weights_;
  const Threads& threads_;
  LayerMaps* const maps_;
  const bool with_numbers_;
  Products products_;
  OutputProduct output_;
  const Cell cell_;
  const int64_t longest_;
  std::vector<Span> sources_;  // of the sentences that are left
  int64_t rows_ = 0, position_ = 0;
  Floats encoded_;  // [pieces, hidden_size]
  std::optional<SourceAttention> attention_;
  Floats constant_gates_, constant_read_;  // the products with the context where nothing attends
  Floats summary_;                         // this context, where it is told
  std::vector<States> layers_;             // of each hypothesis
  Floats feed_;                            // h~(t-1)
  WordProducts word_gates_, word_read_;
  Floats gates_, recurrent_, before_, context_, features_;
};

}  // namespace

std::unique_ptr<Network> make_recurrent(const model::ModelConfig& config, const Weights& weights,
                                        WeightFormat numbers) {
  return std::make_unique<NetworkOf<RecurrentWeights, RecurrentDecoder>>(
      recurrent_weights(config, weights, numbers));
}

}  // namespace heed::engine
