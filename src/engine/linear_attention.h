// Linear attention (Katharopoulos et al. 2020, equation 5) of single queries: the keys and values
// read so far are kept as sums, so that a step costs the same however long the sentence is.
#pragma once

#include <cstdint>

#include "engine/attend.h"

namespace heed::engine {

/// Returns the number of floats of the sums of one sentence or hypothesis: for each head of keys
/// sum over j of f(k(j)), [head], and sum over j of f(k(j)) v(j)^T, [head, head], with f(x) =
/// elu(x) + 1.
int64_t sums_width(const HeadShape& shape);

/// Adds a key and its value, [kv_heads, head] each and one after the other. The key becomes its
/// features. `rotations` are those of rotate_heads(), null for none: they turn the features that
/// are multiplied by the value and those that the key becomes, but not those that are added to sum
/// over j of f(k(j)).
void add_to_sums(float* key_value, const HeadShape& shape, const float* rotations, float* sums);

/// context(h) = f(q(h)) S / counts(h), counts(h) = f(q(h)) . z of the sums S and z of its head of
/// keys: [heads, head] and [heads]. The query becomes its features, turned as those of the keys.
void attend_to_sums(float* query, const HeadShape& shape, const float* rotations, const float* sums,
                    float* counts, float* context);

}  // namespace heed::engine
