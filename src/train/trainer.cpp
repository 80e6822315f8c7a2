#include "train/trainer.h"

#include "base/error.h"
#include "base/format.h"
#include "base/strings.h"
#include "train/loop.h"

namespace heed::train {

data::BatchOptions batch_options(const TrainConfig& training, const data::DataConfig& data,
                                 uint64_t seed, int64_t threads) {
  return {.batch_size = training.batch_size,
          .tokens = training.batch_type == BatchType::tokens,
          .pool = data.pool,
          .seed = seed,
          .epochs = training.epochs,
          .sampling = data.subword_sampling,
          .threads = threads};
}

std::string TrainResult::reason() const {
  const std::string after = fmt::format(" after {} updates", with_commas(updates));
  switch (stopped) {
    case StopReason::updates:
      return "training is complete" + after;
    case StopReason::epochs:
      return fmt::format("training is complete{}: training.epochs are done", after);
    case StopReason::minutes:
      return fmt::format("training ended{}: training.max_minutes are over", after);
    case StopReason::patience:
      return fmt::format("training ended{}: no improvement any more (training.early_stopping)",
                         after);
    case StopReason::interrupted:
      return "training was interrupted" + after;
    case StopReason::nothing_to_do:
      return "training was complete already" + after;
  }
  throw Bug("a stop without a reason");
}

TrainResult train(const TrainerSetup& setup) {
  expect(setup.model && setup.corpus, "a model and a corpus to train on");
  check(setup.config);
  return Loop(setup).run();
}

}  // namespace heed::train
