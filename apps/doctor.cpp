// heed doctor [CONFIG]: is this machine ready, and for what; are the corpora sound.
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "apps/commands.h"
#include "apps/shared/config.h"
#include "apps/shared/corpora.h"
#include "apps/shared/measuring.h"
#include "base/error.h"
#include "model/device.h"
#include "score/sacrebleu.h"

namespace heed {
namespace {

void line(bool good, const std::string& what, const std::string& value) {
  std::printf("%-4s %-12s %s\n", good ? "ok" : "--", what.c_str(), value.c_str());
}

struct DoctorArgs {
  std::string config;
  std::vector<std::string> settings;
  bool json = false;
};

void check_corpora(const DoctorArgs& args) {
  const data::DataConfig config = load_config(args.config, args.settings).data;
  if (config.train.empty()) throw UserError(args.config + ": data.train names no corpus to check");
  const data::HygieneReport report = data::check_hygiene(config);
  if (args.json) {
    std::puts(to_json(report).c_str());
    return;
  }
  for (const std::string& found : report.text()) std::puts(found.c_str());
}

void check_machine() {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  at::set_num_threads(static_cast<int>(cores));
  line(true, "heed", HEED_VERSION);
  line(true, "LibTorch", TORCH_VERSION);
  const at::Device cpu(at::kCPU);
  const bool bf16 = model::choose_precision("auto", cpu) == at::kBFloat16;
  char text[160];
  std::snprintf(text, sizeof text, "%u cores, fp32 %.0f GFLOP/s", cores,
                gemm_gflops(/*bf16=*/false));
  line(true, "CPU", text);
  line(bf16, "bf16",
       bf16 ? "the processor multiplies it directly; precision: auto uses it"
            : "not in this processor; precision: auto means fp32 on the CPU");
  const at::Device best = model::open_device("auto");
  line(best.is_cuda(), "GPU", best.is_cuda() ? best.str() : "none found; device: auto means cpu");
  try {
    line(true, "sacrebleu", score::find_sacrebleu());
  } catch (const std::exception& error) {
    line(false, "sacrebleu", error.what());
    throw Failure(
        "sacrebleu is missing: training cannot score BLEU, and evaluate, lengths and bottleneck "
        "cannot run");
  }
}

}  // namespace

void add_doctor(CommandLine& program) {
  auto args = std::make_shared<DoctorArgs>();
  CommandLine command = program.command(
      "doctor", "Check this machine (processor, GPU, LibTorch, sacrebleu), or corpora");
  const Argument config = command.option(
      "config", args->config,
      "A configuration whose corpora are checked instead: overlap, duplicates, encoding and more");
  command
      .option("--set", args->settings,
              "Change one key of the file, e.g. --set data.clean_ratio=4; may be repeated")
      .one_at_a_time()
      .needs(config);
  command.flag("--json", args->json, "Print the report on the corpora as JSON").needs(config);
  command.examples({"heed doctor", "heed doctor configs/multi30k_quick.yaml"});
  command.run([args] { args->config.empty() ? check_machine() : check_corpora(*args); });
}

}  // namespace heed
