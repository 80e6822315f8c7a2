// What one model of a family looks at, beside its weights: a page, a picture and a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/model_folder.h"
#include "study/attention_matrix.h"

namespace heed {

/// A sentence of the test set and this model's translation of it.
struct Translated {
  std::size_t line = 0;  // from 0
  std::string source, translation;
};

/// Writes attention.html, every layer and head of these sentences; attention.svg and attention.csv,
/// by words, of the first one. They go to the model's folder. Returns what the two show: the layer
/// and head of usual_choice(). Nothing is written for a model that does not attend.
std::optional<study::AttentionMatrix> write_attention(const run::ModelFolder& model,
                                                      const std::string& title,
                                                      const std::vector<Translated>& sentences);

}  // namespace heed
