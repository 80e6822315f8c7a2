// A search with models of LibTorch, without a translator.
#pragma once

#include <algorithm>
#include <vector>

#include "decode/model_steps.h"
#include "model/model.h"

namespace heed::decode {

/// Searches as the other search(), with the steps of these models.
inline std::vector<std::vector<Hypothesis>> search(const std::vector<model::Model*>& models,
                                                   const std::vector<model::Source>& sources,
                                                   const SearchOptions& options) {
  const Tensor& lengths = sources.at(0).lengths;
  if (lengths.numel() == 0) return {};
  const auto* first = lengths.const_data_ptr<int64_t>();
  int64_t longest = models.at(0)->longest();
  for (const auto* model : models) longest = std::min(longest, model->longest());
  std::vector<std::vector<Hypothesis>> found;
  with_steps(models, sources, options, nullptr, [&](Steps& steps) {
    found = search(steps, {first, first + lengths.numel()}, options, longest);
  });
  return found;
}

}  // namespace heed::decode
