#include "data/batch.h"

#include <algorithm>
#include <numeric>

#include "data/example.h"
#include "text/vocabulary.h"

namespace heed::data {
namespace {

int64_t sum(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{0});
}

/// Copies the first `to` columns of rows [begin, end) of a [rows, from] table.
std::vector<int64_t> corner(const std::vector<int64_t>& table, int64_t begin, int64_t end,
                            int64_t from, int64_t to) {
  std::vector<int64_t> out;
  for (int64_t row = begin; row < end; ++row)
    out.insert(out.end(), table.begin() + row * from, table.begin() + row * from + to);
  return out;
}

/// Whether the model reads eos after the source; always after an empty source, which has nothing
/// else to read.
bool has_source_end(const Example& example) {
  return example.source_end || example.source.empty();
}

}  // namespace

int64_t Batch::source_tokens() const {
  return sum(source_lengths);
}

int64_t Batch::target_tokens() const {
  return sum(target_lengths);
}

Batch make_batch(const std::vector<const Example*>& examples) {
  Batch batch;
  batch.size = static_cast<int64_t>(examples.size());
  for (const Example* example : examples) {
    batch.source_lengths.push_back(std::ssize(example->source) + has_source_end(*example));
    batch.target_lengths.push_back(std::ssize(example->target) + 1);
    batch.source_length = std::max<int64_t>(batch.source_length, std::ssize(example->source) + 1);
    batch.target_length = std::max(batch.target_length, batch.target_lengths.back());
    batch.origins.push_back(example->origin);
  }
  if (std::ranges::any_of(examples, [](const Example* one) { return !one->links.empty(); }))
    for (const Example* example : examples) batch.links.push_back(example->links);
  batch.source.assign(batch.size * batch.source_length, text::kPad);
  batch.target_input.assign(batch.size * batch.target_length, text::kPad);
  batch.target_output = batch.target_input;
  for (int64_t row = 0; row < batch.size; ++row) {
    const Example& example = *examples[row];
    int64_t* source = batch.source.data() + row * batch.source_length;
    int64_t* source_end = std::copy(example.source.begin(), example.source.end(), source);
    if (has_source_end(example)) *source_end = text::kEnd;
    int64_t* input = batch.target_input.data() + row * batch.target_length;
    *input = text::kBegin;
    std::copy(example.target.begin(), example.target.end(), input + 1);
    int64_t* output = batch.target_output.data() + row * batch.target_length;
    *std::copy(example.target.begin(), example.target.end(), output) = text::kEnd;
  }
  return batch;
}

Batch rows_of(const Batch& batch, int64_t begin, int64_t end) {
  Batch out;
  out.size = end - begin;
  out.source_lengths.assign(batch.source_lengths.begin() + begin,
                            batch.source_lengths.begin() + end);
  out.target_lengths.assign(batch.target_lengths.begin() + begin,
                            batch.target_lengths.begin() + end);
  out.source_length = *std::ranges::max_element(out.source_lengths);
  out.target_length = *std::ranges::max_element(out.target_lengths);
  out.source = corner(batch.source, begin, end, batch.source_length, out.source_length);
  out.target_input = corner(batch.target_input, begin, end, batch.target_length, out.target_length);
  out.target_output =
      corner(batch.target_output, begin, end, batch.target_length, out.target_length);
  out.origins.assign(batch.origins.begin() + begin, batch.origins.begin() + end);
  if (!batch.links.empty())
    out.links.assign(batch.links.begin() + begin, batch.links.begin() + end);
  return out;
}

std::vector<Batch> parts_of(const Batch& batch, int64_t count) {
  const int64_t all = batch.source_tokens() + batch.target_tokens();
  std::vector<Batch> parts;
  int64_t begin = 0, taken = 0;
  for (int64_t part = 1; part <= count; ++part) {
    int64_t end = begin;
    for (; taken * count < all * part; ++end)
      taken += batch.source_lengths[end] + batch.target_lengths[end];
    if (end > begin) parts.push_back(rows_of(batch, begin, end));
    begin = end;
  }
  return parts;
}

}  // namespace heed::data
