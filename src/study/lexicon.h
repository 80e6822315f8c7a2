// Which pieces translate which, counted in a parallel corpus: IBM Model 1 (Brown et al. 1993,
// section 4.1).
#pragma once

#include <cstdint>
#include <vector>

namespace heed::study {

using Ids = std::vector<int32_t>;

/// Of each of the source pieces 0 to `pieces` - 1 the `best` targets t of the highest p(t | s),
/// best first, of equal ones the lower id; fewer where it stands beside fewer. The pairs are
/// sources[i], targets[i]. Each round of EM shares out every target piece among the pieces of its
/// source by p(t | s), and makes p of what each got:
///   c(t | s) = sum over pairs and their t, s of p(t | s) / sum_s' p(t | s'), p = c / sum_t c.
/// The first p are equal.
std::vector<Ids> likeliest_translations(const std::vector<Ids>& sources,
                                        const std::vector<Ids>& targets, int64_t pieces,
                                        int64_t best, int64_t rounds = 5);

}  // namespace heed::study
