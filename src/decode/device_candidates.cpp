#include "decode/device_candidates.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "model/device.h"

namespace heed::decode {
namespace {

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
    std::vector<ScoredPiece> row(count);
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t cell = r * count + i;
        row[i] = {allowed[cell] == kNever ? kNever : log_probabilities[cell], ids[cell]};
        require_numbers(!std::isnan(row[i].value));
      }
      std::ranges::sort(row, is_better);
      for (int64_t i = 0; i < count; ++i) {
        out.values[r * count + i] = row[i].value;
        out.ids[r * count + i] = row[i].id;
      }
    }
  });
  return out;
}

ScoreRows score_rows(const Tensor& values) {
  return {.values = values.const_data_ptr<float>(),
          .rows = values.size(0),
          .vocabulary = values.size(1)};
}

}  // namespace

Candidates best_candidates(const CandidateScores& scores, int64_t count) {
  if (scores.values.is_cpu())
    return best_candidates(score_rows(scores.values.contiguous()), count, libtorch_threads());
  return on_device(scores, std::min(count, scores.values.size(1)));
}

Candidates all_candidates(const CandidateScores& scores) {
  Tensor values = scores.values;
  if (scores.log_probabilities.defined())
    values = scores.log_probabilities.masked_fill(values.eq(kNever), kNever);
  const Tensor host = model::Download(values.contiguous()).host();
  const Candidates all = all_candidates(score_rows(host));
  require_numbers(std::ranges::none_of(all.values, [](float value) { return std::isnan(value); }));
  return all;
}

}  // namespace heed::decode
