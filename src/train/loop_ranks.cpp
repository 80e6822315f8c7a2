// What the ranks of a run must have in common, and how each knows.
#include <bit>

#include "base/error.h"
#include "base/random.h"
#include "train/loop.h"

namespace heed::train {
namespace {

/// One small exchange says it all.
struct Standing {
  uint64_t given = 0;  // checksum of configuration and corpus
  int64_t update = 0;
  uint64_t place = 0;    // checksum of the position in the corpus
  uint64_t numbers = 0;  // checksum of what has been computed so far
  double seconds = 0;
  bool interrupted = false;

  std::vector<int64_t> to_numbers() const {
    return {std::bit_cast<int64_t>(given),   update,
            std::bit_cast<int64_t>(place),   std::bit_cast<int64_t>(numbers),
            std::bit_cast<int64_t>(seconds), interrupted ? 1 : 0};
  }
  static Standing of(const std::vector<int64_t>& numbers) {
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
  const Window& window = progress.window;
  return mix({bits(window.loss), bits(window.nll), bits(window.align), bits(window.cover),
              bits(window.norm), bits(progress.rate_factor), bits(progress.loss_scale),
              bits(progress.lowest_loss.value_or(0)), static_cast<uint64_t>(progress.skipped),
              static_cast<uint64_t>(progress.stale)});
}

void require_same(const Standing& first, const Standing& other, const std::string& name) {
  if (other.given != first.given)
    throw Failure(name +
                  " has another configuration, vocabulary or corpus than rank 0; give all "
                  "ranks the same command and the same files");
  if (other.update != first.update || other.place != first.place)
    throw Failure(name + " is at another batch (update " + std::to_string(other.update) +
                  ") than rank 0 (update " + std::to_string(first.update) +
                  "); please report it, and go on with --resume");
  if (other.numbers != first.numbers)
    throw Failure(name + " has computed other numbers than rank 0 by update " +
                  std::to_string(other.update) +
                  "; is it another processor or another build of heed? --resume goes on from the "
                  "last checkpoint");
}

}  // namespace

/// Brings the clock of the run forward, and finds out whether all ranks stand at the same place.
/// Time is the first rank's; an interruption of any is one of all.
void Loop::agree() {
  const auto now = Clock::now();
  progress_.seconds += std::chrono::duration<double>(now - ticked_).count();
  ticked_ = now;
  if (setup_.interrupted && setup_.interrupted()) interrupted_ = true;
  if (group_.alone()) return;
  const Standing mine{setup_.checksum,       progress_.update,  checksum_of(progress_.position),
                      numbers_of(progress_), progress_.seconds, interrupted_};
  const auto all = group_.gather(mine.to_numbers());
  const Standing first = Standing::of(all[0]);
  for (int64_t rank = 1; rank < group_.size(); ++rank) {
    const Standing other = Standing::of(all[rank]);
    require_same(first, other,
                 "rank " + std::to_string(rank) + " of " + std::to_string(group_.size()));
    interrupted_ = interrupted_ || other.interrupted;
  }
  interrupted_ = interrupted_ || first.interrupted;
  progress_.seconds = first.seconds;
}

/// The newest whole one, as the first rank finds it: it alone changes the folder.
std::optional<CheckpointFolder::Found> Loop::agreed_checkpoint(bool healthy) const {
  if (group_.alone()) return checkpoints_.latest(healthy);
  group_.begin("a checkpoint was read");
  std::optional<CheckpointFolder::Found> found;
  if (group_.leads()) found = checkpoints_.latest(healthy);
  const std::string path = group_.tell(found ? found->path : "");
  if (!group_.leads() && !path.empty()) found = {path, load_checkpoint(path)};
  return found;
}

}  // namespace heed::train
