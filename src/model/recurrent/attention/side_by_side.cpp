// c(t) = [c_1(t); ...; c_k(t)], c_j(t) = attention_j of the j-th slice of P s and of Q h(i)
// Vaswani et al. 2017, 3.2.2, with any score; keys and values of a head are the same slice. The
// layer that reads the context multiplies it with a matrix of its own, so that there is none here.
#include <ATen/ATen.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/product.h"
#include "kernels/tensor.h"
#include "model/embedding.h"
#include "model/recurrent/attention/common.h"

namespace heed::model {
namespace {

// The log weight of padding in place of -inf, whose gradient would be no number.
constexpr double kLeastLog = -1e30;

struct SideBySideCache : SequenceCache {
  kernels::Collected query;     // P
  std::vector<Prepared> heads;  // each with its slice and its own cache
};

class SideBySide : public Attention {
 public:
  SideBySide(const std::function<AttentionPtr(const AttentionSize&)>& make, AttentionSize size,
             int64_t heads) {
    expect(size.query % heads == 0 && size.memory % heads == 0, "the heads divide the states");
    query_ = register_parameter("query", xavier(size.query, size.query));
    memory_ = register_parameter("memory", xavier(size.memory, size.memory));
    size.query /= heads;
    size.memory /= heads;
    size.hidden /= heads;
    for (int64_t head = 0; head < heads; ++head)
      heads_.push_back(register_module("head" + std::to_string(head), make(size)));
  }

  Tensor first_coverage(const Encoded& encoded) const override {
    std::vector<Tensor> parts;
    for (const AttentionPtr& head : heads_) {
      Tensor part = head->first_coverage(encoded);
      if (!part.defined()) return {};
      parts.push_back(std::move(part));
    }
    return at::cat(parts, -1);
  }

 protected:
  Prepared project(const Encoded& encoded) override {
    Prepared memory{encoded};
    memory.values = kernels::linear(encoded.values, kernels::widened(memory_));
    std::vector<Tensor> keys;
    for (std::size_t head = 0; head < heads_.size(); ++head) {
      const Tensor own = heads_[head]->prepare(slice(memory, head)).keys;
      if (own.defined()) keys.push_back(own);
    }
    if (!keys.empty()) memory.keys = at::cat(keys, -1);
    return memory;
  }

  std::shared_ptr<const SequenceCache> share(const Prepared& memory) override {
    auto cache = std::make_shared<SideBySideCache>();
    cache->query = kernels::collected(kernels::widened(query_));
    for (std::size_t head = 0; head < heads_.size(); ++head)
      cache->heads.push_back(heads_[head]->begin(slice(memory, head)));
    return cache;
  }

  Attended attend(const StepInput& step, const Prepared& memory) override {
    const auto& cache = static_cast<const SideBySideCache&>(*memory.cache);
    const Tensor projected = kernels::collected_linear(step.query, cache.query);
    std::vector<Tensor> contexts, weights, logs, coverage;
    for (std::size_t head = 0; head < heads_.size(); ++head) {
      StepInput own = step;
      own.query = part(projected, head);
      own.head = static_cast<int64_t>(head);
      if (step.coverage.defined()) own.coverage = part(step.coverage, head);
      const Attended attended = heads_[head]->forward(std::move(own), cache.heads[head]);
      contexts.push_back(attended.context);
      weights.push_back(attended.weights);
      if (step.logs) logs.push_back(attended.logs);
      if (attended.coverage.defined()) coverage.push_back(attended.coverage);
    }
    Attended out{at::cat(contexts, -1), {}};
    out.heads = at::stack(weights, 2);
    out.weights = out.heads.mean(2);
    if (step.logs)
      out.logs = at::logsumexp(at::stack(logs).clamp_min(kLeastLog), 0) -
                 std::log(static_cast<double>(heads_.size()));
    if (!coverage.empty()) out.coverage = at::cat(coverage, -1);
    return out;
  }

 private:
  Tensor part(const Tensor& x, std::size_t head) const {
    const int64_t width = x.size(-1) / static_cast<int64_t>(heads_.size());
    return x.narrow(-1, static_cast<int64_t>(head) * width, width);
  }

  Prepared slice(const Prepared& memory, std::size_t head) const {
    Prepared own = memory;
    own.values = part(memory.values, head).contiguous();
    if (memory.keys.defined()) own.keys = part(memory.keys, head).contiguous();
    return own;
  }

  Tensor query_;   // P [query, query]
  Tensor memory_;  // Q [memory, memory]
  std::vector<AttentionPtr> heads_;
};

}  // namespace

AttentionPtr make_side_by_side(const std::function<AttentionPtr(const AttentionSize&)>& make,
                               const AttentionSize& size, int64_t heads) {
  return std::make_shared<SideBySide>(make, size, heads);
}

}  // namespace heed::model
