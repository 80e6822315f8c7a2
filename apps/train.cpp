// heed train CONFIG: vocabulary, data, model, training, and the final test score, into one folder.
// heed train FOLDER --resume: goes on with the run in it.

#include "apps/commands.h"
#include "run/config.h"
#include "run/training.h"

namespace heed {

namespace {

void train_model(run::TrainingRequest request) {
  request.config = run::config_file(request.config);
  run::make_run(request);
}

}  // namespace

void add_train(CommandLine& program) {
  auto [command, args] = program.command("train", train_model);
  command
      .option("config", args->config,
              "The configuration, which `heed config` explains (bible is bible.yaml, too); with "
              "--resume also a run's folder (or its name in runs/)")
      .required();
  command.option("--set", args->settings,
                 "Change one key of the file, e.g. --set training.updates=2000; may be repeated");
  const Argument resume =
      command.flag("--resume", args->existing.resume,
                   "Continue from the newest checkpoint, or start if there is none");
  command
      .flag("--overwrite", args->existing.overwrite,
            "Delete an older run in the same folder, once the new one begins")
      .excludes({resume});
  const Argument ranks =
      command
          .option(
              "--ranks", args->ranks,
              "Train in this many processes of this machine, which divide the cores or take one "
              "GPU each; their number changes no bit of the result")
          .between(1, 1024)
          .shows_default("");
  command
      .option("--restarts", args->restarts,
              "With --ranks: how often all may start again from the last checkpoint if one fails")
      .between(0, 1000000)
      .needs(ranks);
  command
      .option("--rank-timeout", args->rank_timeout,
              "Seconds after which the run ends if a rank does not answer")
      .between(1, 86400);
  command.examples({"heed train configs/multi30k_transformer.yaml --set training.updates=2000",
                    "heed train runs/multi30k_quick --resume"});
}

}  // namespace heed
