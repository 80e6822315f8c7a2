#include "decode/candidates.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace heed::decode {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr int64_t kBlock = 32;  // scores compared with the threshold at once

struct Scored {
  float value;
  int64_t id;
};

bool better(const Scored& a, const Scored& b) {
  return a.value > b.value || (a.value == b.value && a.id < b.id);
}

bool any_above(const float* values, float threshold) {
  int any = 0;  // no early exit: the compiler turns this into a few vector comparisons
  for (int64_t j = 0; j < kBlock; ++j) any |= values[j] > threshold;
  return any != 0;
}

/// A heap whose top is the worst kept. After the first few hundred scores hardly a block holds a
/// better one.
void keep_best(const float* row, int64_t size, std::vector<Scored>& heap, std::size_t count) {
  const auto offer = [&](int64_t i) {
    if (heap.size() < count) {
      if (row[i] == kNever) return;
      heap.push_back({row[i], i});
      std::push_heap(heap.begin(), heap.end(), better);
    } else if (row[i] > heap.front().value) {
      std::pop_heap(heap.begin(), heap.end(), better);
      heap.back() = {row[i], i};
      std::push_heap(heap.begin(), heap.end(), better);
    }
  };
  int64_t i = 0;
  for (; i + kBlock <= size; i += kBlock) {
    const bool full = heap.size() == count;
    if (full && !any_above(row + i, heap.front().value)) continue;
    for (int64_t j = i; j < i + kBlock; ++j) offer(j);
  }
  for (; i < size; ++i) offer(i);
  std::sort_heap(heap.begin(), heap.end(), better);
}

void sort_all(const float* row, int64_t size, std::vector<Scored>& out, std::size_t count) {
  for (int64_t i = 0; i < size; ++i)
    if (row[i] != kNever) out.push_back({row[i], i});
  const auto end = out.begin() + static_cast<std::ptrdiff_t>(std::min(count, out.size()));
  std::partial_sort(out.begin(), end, out.end(), better);
  out.erase(end, out.end());
}

Candidates on_cpu(const Tensor& scores, int64_t count) {
  const int64_t rows = scores.size(0), vocab = scores.size(1);
  Candidates out{.count = count,
                 .values = std::vector<float>(rows * count, kNever),
                 .ids = std::vector<int64_t>(rows * count, 0)};
  const Tensor dense = scores.contiguous();
  const float* data = dense.const_data_ptr<float>();
  at::parallel_for(0, rows, 8, [&](int64_t begin, int64_t end) {
    std::vector<Scored> best;
    for (int64_t r = begin; r < end; ++r) {
      best.clear();
      const bool few = count * 8 <= vocab;
      (few ? keep_best : sort_all)(data + r * vocab, vocab, best, static_cast<std::size_t>(count));
      for (std::size_t i = 0; i < best.size(); ++i) {
        out.values[r * count + i] = best[i].value;
        out.ids[r * count + i] = best[i].id;
      }
    }
  });
  return out;
}

Candidates on_device(const Tensor& scores, int64_t count) {
  const auto [values, ids] = at::topk(scores, count, /*dim=*/-1);
  // Doubles hold both exactly: the host waits for one copy instead of two.
  const Tensor both = at::stack({values.to(at::kDouble), ids.to(at::kDouble)}).cpu();
  const int64_t total = values.numel();
  const double* const v = both.const_data_ptr<double>();
  require_numbers(std::none_of(v, v + total, [](double value) { return std::isnan(value); }));
  Candidates out{
      .count = count, .values = std::vector<float>(total), .ids = std::vector<int64_t>(total)};
  for (int64_t r = 0; r < scores.size(0); ++r) {
    std::vector<Scored> row(count);
    for (int64_t i = 0; i < count; ++i) {
      const double* const one = v + r * count + i;
      row[i] = {static_cast<float>(*one), static_cast<int64_t>(one[total])};
    }
    std::sort(row.begin(), row.end(), better);
    for (int64_t i = 0; i < count; ++i) {
      out.values[r * count + i] = row[i].value;
      out.ids[r * count + i] = row[i].id;
    }
  }
  return out;
}

void normalise(Candidates& candidates, const std::vector<kernels::Partition>& partitions) {
  for (std::size_t row = 0; row < partitions.size(); ++row)
    for (int64_t i = 0; i < candidates.count; ++i) {
      float& value = candidates.values[static_cast<int64_t>(row) * candidates.count + i];
      value = (value - partitions[row].most) - partitions[row].log_sum;
    }
}

}  // namespace

void require_numbers(bool sound) {
  if (!sound)
    throw Failure("the model's scores are not numbers: its weights are damaged or diverged");
}

Candidates best_candidates(const Tensor& scores, int64_t count,
                           const std::vector<kernels::Partition>& partitions) {
  count = std::min(count, scores.size(1));
  Candidates best = scores.is_cpu() ? on_cpu(scores, count) : on_device(scores, count);
  normalise(best, partitions);
  return best;
}

Candidates all_candidates(const Tensor& scores, const std::vector<kernels::Partition>& partitions) {
  const Tensor host = scores.cpu().contiguous();
  const float* const data = host.const_data_ptr<float>();
  Candidates all{.count = host.size(1), .values = {data, data + host.numel()}, .ids = {}};
  if (!scores.is_cpu())
    require_numbers(
        std::ranges::none_of(all.values, [](float value) { return std::isnan(value); }));
  normalise(all, partitions);
  return all;
}

}  // namespace heed::decode
