// heed doctor: is this machine ready, and for what.
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>

#include <cstdio>
#include <thread>

#include "apps/commands.h"
#include "apps/shared/measuring.h"
#include "base/error.h"
#include "model/device.h"
#include "score/sacrebleu.h"

namespace heed {
namespace {

void line(bool good, const std::string& what, const std::string& value) {
  std::printf("%-4s %-12s %s\n", good ? "ok" : "--", what.c_str(), value.c_str());
}

void doctor() {
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
  CommandLine command =
      program.command("doctor", "Check this machine: processor, GPU, LibTorch, sacrebleu");
  command.examples({"heed doctor", "heed doctor && heed bottleneck configs/demo.yaml"});
  command.run([] { doctor(); });
}

}  // namespace heed
