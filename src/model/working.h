// The numbers from which an attention made its context: they suffice to compute it again by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "config/attention_kind.h"
#include "kernels/tensor.h"

namespace heed::model {

struct Working {
  config::AttentionKind kind = config::AttentionKind::cross;
  int64_t layer = 0, head = 0;  // the first of its heads
  Tensor query;                 // [batch, heads, query, any] q or s; W s of the additive score
  Tensor keys;                  // [batch, heads, keys, any] k, h, W h; U h of the additive score
  Tensor vector = {};           // [any] v of v . tanh(query + key); undefined: factor query . key
  double factor = 1;
  Tensor scores = {};   // [batch, heads, query, keys] with those of positions, -inf where masked;
                        // undefined where there are none
  Tensor values = {};   // [batch, heads, keys, width]
  Tensor gauss = {};    // by which normalised scores are multiplied; undefined: 1
  Tensor weights = {};  // [batch, heads, query, keys], which the values are multiplied by
  Tensor context = {};  // [batch, heads, query, width]
};

/// A function that gets these numbers: once, or once for each step, with the next queries.
using NumbersObserver = std::function<void(Working)>;

/// Where an attention writes its weights (null: nobody wants them), and the function that gets the
/// numbers from which it made its context.
struct WeightsPlace {
  Tensor* weights = nullptr;
  NumbersObserver witness = {};  // with weights alone

  WeightsPlace() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): most ask for the weights alone.
  WeightsPlace(Tensor* place, NumbersObserver told = {})
      : weights(place), witness(std::move(told)) {}
};

}  // namespace heed::model
