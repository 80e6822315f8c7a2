// Work on text that the ranks of a run share out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ranks/group.h"

namespace heed::run {

/// Of `total` threads for this machine (0: its cores), those of one of so many ranks on it.
int64_t threads_of_rank(int64_t total, int64_t ranks);

/// The same for this rank, which shares its cores with the ranks of its machine, or with none of
/// them where a launcher has bound each to cores of its own. Collective.
int64_t threads_of_rank(int64_t total, ranks::Group& group, const ranks::RankInfo& info);

/// The config's `device`, of which each rank takes its own: cuda is cuda:0, cuda:1, ... Throws
/// UserError where one GPU is named for several ranks.
std::string device_of_rank(const std::string& device, const ranks::RankInfo& info);

/// Some lines, whose numbers are `first_line`, `first_line` + `step`, and so on, and their
/// translations; nothing after a signal.
using Translate = std::function<std::optional<std::vector<std::string>>(
    const std::vector<std::string>& lines, int64_t first_line, int64_t step)>;

/// The translations of all lines, of which each rank makes its share: of n ranks, every n-th line,
/// for texts may be sorted by length. Nothing where a rank has none; a Failure of one is one on
/// all. Ranks wait for the slowest however long it takes. Collective.
std::optional<std::vector<std::string>> translate_together(ranks::Group& group,
                                                           const std::vector<std::string>& lines,
                                                           const Translate& translate);

/// What the first rank finds out, on all, however long it takes; a Failure there is one on all.
/// Collective.
double first_rank_finds(ranks::Group& group, const std::function<double()>& find);

}  // namespace heed::run
