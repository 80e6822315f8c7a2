// The promises of every attention of a recurrent model. A mechanism that breaks nothing here works
// in the decoder, in a beam, in any batch and in training.
#pragma once

#include <ATen/ATen.h>

#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/device.h"
#include "model/gradient.h"
#include "model/recurrent/attention/attention.h"
#include "model/recurrent/support.h"

namespace heed::model::testing {

/// The mechanism that promises, alone or with coverage or heads around it.
struct Promised {
  std::function<AttentionPtr(const AttentionSize&)> make;
  bool attends = true;
  bool of_states = true;  // the context is made of the encoder's states, not of projections
};

class AttentionContract {
 public:
  explicit AttentionContract(Promised kind, kernels::Normalise normalise = &kernels::softmax)
      : kind_(std::move(kind)), normalise_(normalise), attends_(kind_.attends) {
    at::manual_seed(11);
    attention_ = make(0);
    valid_ = valid_rows({3, 7, 5});
    values_ = at::randn({3, 7, kWidth}, at::kDouble);
    summary_ = at::randn({3, kWidth}, at::kDouble);
    query_ = at::randn({3, 5, kWidth}, at::kDouble);
    const Tensor first = attention_->first_coverage(make_encoded(values_, valid_, summary_));
    if (first.defined()) coverage_ = at::rand({3, 5, 7, first.size(3)}, at::kDouble);
  }

  /// The promises that are broken, in words.
  std::vector<std::string> broken() {
    try {
      shapes();
      if (broken_.empty()) {
        weights();
        sentences();
        queries();
        precision();
        dropout();
        gradients();
      }
    } catch (const std::exception& error) {
      broken_.push_back("it computes: " + std::string(error.what()).substr(0, 200));
    }
    return broken_;
  }

 private:
  static constexpr int64_t kWidth = 6;

  void promise(bool kept, const std::string& words) {
    if (!kept) broken_.push_back(words);
  }
  /// Not-a-number is near nothing.
  static bool near(const Tensor& a, const Tensor& b, double tolerance = 1e-12) {
    return distance(a, b) <= tolerance;
  }
  static Tensor valid_rows(const std::vector<int64_t>& lengths) {
    return at::arange(7).unsqueeze(0) < at::tensor(lengths, at::kLong).unsqueeze(1);
  }
  AttentionPtr make(double share) const {
    const AttentionPtr attention = kind_.make({.query = kWidth,
                                               .memory = kWidth,
                                               .hidden = 5,
                                               .weighing = {normalise_, share},
                                               .positions = 9});
    attention->to(at::kDouble);
    return attention;
  }
  static Prepared prepared(Attention& attention, const Encoded& encoded) {
    return attention.begin(attention.prepare(encoded));
  }
  Prepared prepared(const Tensor& values, const Tensor& valid) {
    return prepared(*attention_, make_encoded(values, valid, summary_));
  }
  /// Successive steps, with what was looked at before where the mechanism asks for it.
  StepInput steps(const Tensor& query) const {
    return {.query = query, .stride = 1, .coverage = coverage_};
  }
  Attended attend(const Tensor& query, const Tensor& values, const Tensor& valid) {
    return attention_->forward(steps(query), prepared(values, valid));
  }
  Attended attend() { return attend(query_, values_, valid_); }

  void shapes() {
    const Attended attended = attend();
    promise(attended.context.sizes() == at::IntArrayRef({3, 5, kWidth}),
            "there is one context per query");
    promise(attended.weights.defined() == attends_, "there are weights unless it never attends");
    if (attended.weights.defined())
      promise(attended.weights.sizes() == at::IntArrayRef({3, 5, 7}),
              "there is one weight per query and source position");
  }

  void weights() {
    const Attended attended = attend();
    if (!attends_) {
      promise(near(attended.context, summary_.unsqueeze(1)), "the context is the summary");
      return;
    }
    const Tensor seen = valid_.unsqueeze(1).expand({3, 5, 7}), hidden = seen.logical_not();
    promise(attended.weights.masked_select(hidden).eq(0).all().item<bool>(),
            "padding gets a weight of exactly 0");
    if (kernels::is_softmax(normalise_))
      promise(attended.weights.masked_select(seen).gt(0).all().item<bool>(),
              "every valid position gets some weight");
    else
      promise(attended.weights.ge(0).all().item<bool>(), "no weight is negative");
    promise(near(attended.weights.sum(-1), at::ones({3, 5}, at::kDouble)),
            "the weights of a query sum to 1");
    if (!kind_.of_states) return;
    promise(near(attended.context, at::bmm(attended.weights, values_)),
            "the context is the weighted sum of the values");
    const Tensor first = values_.narrow(1, 0, 1).expand({3, 5, kWidth});
    promise(near(attend(query_, values_, valid_rows({1, 1, 1})).context, first),
            "an only valid position takes all weight");
  }

  void sentences() {
    const Tensor context = attend().context;
    const Tensor noise = at::randn(values_.sizes(), at::kDouble) * 1e3;
    promise(near(attend(query_, at::where(valid_.unsqueeze(-1), values_, noise), valid_).context,
                 context, 0),
            "what stands in padding changes nothing");
    const int64_t lengths[] = {3, 7, 5};
    bool same = true;
    for (int64_t i = 0; i < 3; ++i) {
      const auto row = [&](const Tensor& x) { return x.narrow(0, i, 1); };
      const auto words = [&](const Tensor& x) { return row(x).narrow(1, 0, lengths[i]); };
      const Encoded encoded = make_encoded(words(values_), words(valid_), row(summary_));
      StepInput alone = steps(row(query_));
      if (coverage_.defined()) alone.coverage = row(coverage_).narrow(2, 0, lengths[i]);
      same &=
          near(attention_->forward(alone, prepared(*attention_, encoded)).context, row(context));
    }
    promise(same, "a sentence attends alone as among others");
    const Prepared memory = prepared(values_, valid_);
    attend(query_, values_.flip(1), valid_rows({7, 2, 1}));
    promise(near(attention_->forward(steps(query_), memory).context, context, 0),
            "it carries nothing from one sentence to another");
  }

  void queries() {
    const Prepared memory = prepared(values_, valid_);
    const auto all = [&](int64_t position, int64_t stride) {
      StepInput asked = steps(query_);
      asked.position = position;
      asked.stride = stride;
      return attention_->forward(asked, memory).context;
    };
    const Tensor chain = all(2, 1), beam = all(4, 0);
    bool as_steps = true, as_beam = true;
    for (int64_t q = 0; q < 5; ++q) {
      StepInput own{.query = query_.narrow(1, q, 1)};
      if (coverage_.defined()) own.coverage = coverage_.narrow(1, q, 1);
      const auto alone = [&](int64_t position) {
        own.position = position;
        return attention_->forward(own, memory).context;
      };
      as_steps &= near(chain.narrow(1, q, 1), alone(2 + q));
      as_beam &= near(beam.narrow(1, q, 1), alone(4));
    }
    promise(as_steps, "steps of teacher forcing attend as if taken one by one");
    promise(as_beam, "hypotheses of a beam attend as if alone");
  }

  void precision() {
    bool same = true;
    for (const double share : {0.0, 0.5})
      for (const bool gradient : {true, false}) {
        const at::AutoGradMode mode(gradient);
        const AttentionPtr attention = make(share);
        attention->to(at::kFloat);
        const auto once = [&] {
          const Prepared memory = prepared(
              *attention, make_encoded(values_.to(at::kFloat), valid_, summary_.to(at::kFloat)));
          StepInput asked = steps(query_.to(at::kFloat));
          if (coverage_.defined()) asked.coverage = coverage_.to(at::kFloat);
          at::manual_seed(12);  // of the dropout
          return attention->forward(asked, memory);
        };
        const Attended whole = once();
        const Autocast autocast(at::kCPU, at::kBFloat16);
        const Attended narrow = once();
        same &= near(narrow.context, whole.context, 0);
        if (attends_) same &= near(narrow.weights, whole.weights, 0);
      }
    promise(same, "it computes in fp32 whatever the precision");
  }

  void dropout() {
    if (!attends_) return;
    const AttentionPtr thinned = make(0.5);
    const Prepared memory = prepared(*thinned, make_encoded(values_, valid_, summary_));
    const Attended trained = thinned->forward(steps(query_), memory);
    thinned->eval();
    const Attended whole = thinned->forward(steps(query_), memory);
    promise(near(trained.weights, whole.weights, 0), "dropout leaves the reported weights whole");
    promise(!near(trained.context, whole.context, 1e-3), "dropout thins the context");
  }

  void gradients() {
    const Tensor pattern = at::randn({3, 5, kWidth}, at::kDouble);
    const Tensor later = coverage_.defined() ? at::randn_like(coverage_) : Tensor();
    const auto loss = [&] {
      const Attended attended = attend();
      const Tensor now = (attended.context * pattern).sum();
      return later.defined() ? now + (attended.coverage * later).sum() : now;
    };
    const auto check = [&](const Tensor& leaf, const std::string& name) {
      const GradientCheck found = check_entries(leaf, loss);
      promise(found.largest > 1e-6, name + " matters to the result");
      promise(found.error < 1e-7, "the gradient of " + name + " is that of central differences");
    };
    for (const auto& parameter : attention_->named_parameters())
      check(parameter.value(), "parameter " + parameter.key());
    if (!attends_) {
      promise(attention_->parameters().empty(), "who never attends has no parameters");
      return;
    }
    check(query_.requires_grad_(), "the query");
    check(values_.requires_grad_(), "the values");
  }

  const Promised kind_;
  kernels::Normalise normalise_;
  bool attends_;
  AttentionPtr attention_;
  Tensor valid_, values_, summary_, query_;
  Tensor coverage_;  // [3, 5, 7, any] before each query; undefined: not asked for
  std::vector<std::string> broken_;
};

inline std::vector<std::string> broken_promises(const std::string& name,
                                                kernels::Normalise normalise = &kernels::softmax) {
  const bool attends = attention_info(name).timing != Timing::kNever;
  return AttentionContract({attention_maker(name), attends}, normalise).broken();
}

}  // namespace heed::model::testing
