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

/// A tensor in the bytes of `block` from `begin` on, which moves behind it.
Tensor part_of(const Tensor& block, int64_t& begin, at::ScalarType type, int64_t rows,
               int64_t count) {
  const int64_t bytes = rows * count * static_cast<int64_t>(at::elementSize(type));
  const Tensor part = block.narrow(0, begin, bytes).view(type).view({rows, count});
  begin += bytes;
  return part;
}

/// What a device chose: made by its operations side by side in one block, so that nothing has to be
/// put together, and the host waits for one copy.
class Chosen {
 public:
  Chosen(const Scores& scores, int64_t count)
      : rows_(scores.values.size(0)), count_(count), type_(scores.values.scalar_type()) {
    const auto bytes = static_cast<int64_t>(at::elementSize(at::kLong) +
                                            at::elementSize(at::kFloat) + at::elementSize(type_));
    const Tensor block =
        at::empty({rows_ * count_ * bytes}, scores.values.options().dtype(at::kByte));
    Parts parts = parts_of(block);
    at::topk_out(parts.values, parts.ids, scores.values, count_, /*dim=*/-1, /*largest=*/true,
                 /*sorted=*/false);
    if (scores.log_probabilities.defined())
      at::gather_out(parts.log_probabilities, scores.log_probabilities, -1, parts.ids);
    else
      parts.log_probabilities.copy_(parts.values);
    const model::Download download(block);
    host_ = parts_of(download.host());
    host_.values = host_.values.to(at::kFloat);
  }

  Scored at(int64_t i) const {
    const auto value = host_.values.const_data_ptr<float>()[i];
    const auto log_probability = host_.log_probabilities.const_data_ptr<float>()[i];
    return {value == kNever ? kNever : log_probability, host_.ids.const_data_ptr<int64_t>()[i]};
  }

 private:
  struct Parts {
    Tensor ids, log_probabilities, values;
  };
  Parts parts_of(const Tensor& block) const {
    int64_t begin = 0;
    Parts parts;
    parts.ids = part_of(block, begin, at::kLong, rows_, count_);
    parts.log_probabilities = part_of(block, begin, at::kFloat, rows_, count_);
    parts.values = part_of(block, begin, type_, rows_, count_);
    return parts;
  }

  int64_t rows_, count_;
  at::ScalarType type_;
  Parts host_;
};

Candidates on_device(const Scores& scores, int64_t count) {
  const Chosen chosen(scores, count);
  const int64_t rows = scores.values.size(0);
  Candidates out{.count = count,
                 .values = std::vector<float>(rows * count),
                 .ids = std::vector<int64_t>(rows * count)};
  std::vector<Scored> row(count);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < count; ++i) {
      row[i] = chosen.at(r * count + i);
      require_numbers(!std::isnan(row[i].value));
    }
    std::ranges::sort(row, better);
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

Candidates best_candidates(const Scores& scores, int64_t count) {
  count = std::min(count, scores.values.size(1));
  if (!scores.values.is_cpu()) return on_device(scores, count);
  Candidates best = on_cpu(scores.values, count);
  normalise(best, scores.partitions);
  return best;
}

Candidates all_candidates(const Scores& scores) {
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
