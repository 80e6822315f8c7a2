#include "train/rank_sync.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "data/batches.h"
#include "data/position.h"
#include "train/progress.h"
#include "train/setup.h"

namespace heed::train {
namespace {

/// One small exchange says it all.
struct RankState {
  uint64_t setup = 0;  // checksum of configuration and corpus
  int64_t update = 0;
  uint64_t position = 0;  // checksum of the position in the corpus
  uint64_t numbers = 0;   // checksum of what has been computed so far
  double seconds = 0;
  bool interrupted = false;

  std::vector<int64_t> to_numbers() const {
    return {std::bit_cast<int64_t>(setup),    update,
            std::bit_cast<int64_t>(position), std::bit_cast<int64_t>(numbers),
            std::bit_cast<int64_t>(seconds),  interrupted ? 1 : 0};
  }
  static RankState of(const std::vector<int64_t>& numbers) {
    return {std::bit_cast<uint64_t>(numbers[0]), numbers[1],
            std::bit_cast<uint64_t>(numbers[2]), std::bit_cast<uint64_t>(numbers[3]),
            std::bit_cast<double>(numbers[4]),   numbers[5] != 0};
  }
};

uint64_t bits(double number) {
  return std::bit_cast<uint64_t>(number);
}

uint64_t checksum_of(const data::Position& at) {
  return mix({at.order, static_cast<uint64_t>(at.epoch), static_cast<uint64_t>(at.pool),
              static_cast<uint64_t>(at.batch)});
}

uint64_t numbers_of(const Progress& progress) {
  const LogInterval& interval = progress.interval;
  uint64_t terms = 0;
  for (const auto& [name, sum] : interval.terms) terms = mix({terms, bits(sum)});
  return mix({bits(interval.loss), bits(interval.nll), terms, bits(interval.norm),
              bits(progress.rate_factor), bits(progress.loss_scale),
              bits(progress.lowest_loss.value_or(0)), static_cast<uint64_t>(progress.skipped),
              static_cast<uint64_t>(progress.stale)});
}

void require_same(const RankState& first, const RankState& other, const std::string& name) {
  if (other.setup != first.setup)
    throw Failure(name +
                  " has another configuration, vocabulary or corpus than rank 0; give all "
                  "ranks the same command and the same files");
  if (other.update != first.update || other.position != first.position)
    throw Failure(
        "{} is at another batch (update {}) than rank 0 (update {}); please report it, and go on "
        "with --resume",
        name, other.update, first.update);
  if (other.numbers != first.numbers)
    throw Failure(
        "{} has computed other numbers than rank 0 by update {}; is it another processor or "
        "another build of heed? --resume goes on from the last checkpoint",
        name, other.update);
}

}  // namespace

void RankSync::synchronize(Progress& progress) {
  const auto now = Clock::now();
  const double passed = std::chrono::duration<double>(now - ticked_).count(),
               stopped = stopped_.seconds() - stopped_before_;
  progress.seconds += std::max(0., passed - stopped);
  ticked_ = now;
  stopped_before_ += stopped;
  if (setup_.interrupted && setup_.interrupted()) interrupted_ = true;
  if (group_.alone()) return;
  const RankState mine{setup_.checksum,      progress.update,  checksum_of(progress.position),
                       numbers_of(progress), progress.seconds, interrupted_};
  const auto all = group_.gather(mine.to_numbers());
  const RankState first = RankState::of(all[0]);
  for (int64_t rank = 1; rank < group_.size(); ++rank) {
    const RankState other = RankState::of(all[rank]);
    require_same(first, other, fmt::format("rank {} of {}", rank, group_.size()));
    interrupted_ = interrupted_ || other.interrupted;
  }
  interrupted_ = interrupted_ || first.interrupted;
  progress.seconds = first.seconds;
}

std::optional<CheckpointFolder::Found> RankSync::find_checkpoint(const CheckpointFolder& folder,
                                                                 bool healthy) const {
  if (group_.alone()) return folder.latest(healthy);
  group_.begin("a checkpoint was read");
  std::optional<CheckpointFolder::Found> found;
  if (group_.leads()) found = folder.latest(healthy);
  const std::string path = group_.broadcast(found ? found->path : "");
  if (!group_.leads() && !path.empty()) found = {path, load_checkpoint(path)};
  return found;
}

}  // namespace heed::train
