#include "decode/candidates.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/device.h"

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

/// What a device chooses lies side by side in one block of bytes: nothing has to be put together
/// for the one copy that the host waits for.
struct Chosen {
  Tensor ids;                // [rows, count] int64
  Tensor log_probabilities;  // [rows, count] fp32
  Tensor values;             // [rows, count] of the scores' type

  static int64_t bytes(int64_t cells, at::ScalarType type) {
    return cells * static_cast<int64_t>(at::elementSize(at::kLong) + at::elementSize(at::kFloat) +
                                        at::elementSize(type));
  }
  Chosen(const Tensor& block, int64_t rows, int64_t count, at::ScalarType type) {
    int64_t begin = 0;
    const auto next = [&](at::ScalarType of) {
      const int64_t size = rows * count * static_cast<int64_t>(at::elementSize(of));
      begin += size;
      return block.narrow(0, begin - size, size).view(of).view({rows, count});
    };
    ids = next(at::kLong);
    log_probabilities = next(at::kFloat);
    values = next(type);
  }
};

Candidates on_device(const CandidateScores& scores, int64_t count) {
  const int64_t rows = scores.values.size(0), cells = rows * count;
  const at::ScalarType type = scores.values.scalar_type();
  const Tensor block =
      at::empty({Chosen::bytes(cells, type)}, scores.values.options().dtype(at::kByte));
  Chosen chosen(block, rows, count, type);
  if (count == 1)  // one pass over memory
    at::max_out(chosen.values, chosen.ids, scores.values, -1, /*keepdim=*/true);
  else
    at::topk_out(chosen.values, chosen.ids, scores.values, count, -1, /*largest=*/true,
                 /*sorted=*/false);
  if (scores.log_probabilities.defined())
    at::gather_out(chosen.log_probabilities, scores.log_probabilities, -1, chosen.ids);
  else
    chosen.log_probabilities.copy_(chosen.values);

  const model::Download download(block);
  Candidates out{
      .count = count, .values = std::vector<float>(cells), .ids = std::vector<int64_t>(cells)};
  const Chosen here(download.host(), rows, count, type);
  const auto* const ids = here.ids.const_data_ptr<int64_t>();
  const auto* const log_probabilities = here.log_probabilities.const_data_ptr<float>();
  const Tensor values = here.values.to(at::kFloat);
  const auto* const allowed = values.const_data_ptr<float>();
  at::parallel_for(0, rows, 256, [&](int64_t begin, int64_t end) {
    std::vector<Scored> row(count);
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t cell = r * count + i;
        row[i] = {allowed[cell] == kNever ? kNever : log_probabilities[cell], ids[cell]};
        require_numbers(!std::isnan(row[i].value));
      }
      std::ranges::sort(row, better);
      for (int64_t i = 0; i < count; ++i) {
        out.values[r * count + i] = row[i].value;
        out.ids[r * count + i] = row[i].id;
      }
    }
  });
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

Candidates best_candidates(const CandidateScores& scores, int64_t count) {
  count = std::min(count, scores.values.size(1));
  if (!scores.values.is_cpu()) return on_device(scores, count);
  Candidates best = on_cpu(scores.values, count);
  normalise(best, scores.partitions);
  return best;
}

Candidates all_candidates(const CandidateScores& scores) {
  const bool on_cpu = scores.values.is_cpu();
  Tensor values = scores.values;
  if (scores.log_probabilities.defined())
    values = scores.log_probabilities.masked_fill(values.eq(kNever), kNever);
  const Tensor host = model::Download(values.contiguous()).host();
  const auto* const data = host.const_data_ptr<float>();
  Candidates all{.count = host.size(1), .values = {data, data + host.numel()}, .ids = {}};
  if (!on_cpu)
    require_numbers(
        std::ranges::none_of(all.values, [](float value) { return std::isnan(value); }));
  normalise(all, scores.partitions);
  return all;
}

}  // namespace heed::decode
