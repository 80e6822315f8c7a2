// The commands. Each has a file of its own, named after it.
#pragma once

#include "apps/cli/command_line.h"

namespace heed {

// Each declares a command's options in `program` and the function that runs it.
void add_init(CommandLine& program);
void add_train(CommandLine& program);
void add_translate(CommandLine& program);
void add_serve(CommandLine& program);
void add_evaluate(CommandLine& program);
void add_lengths(CommandLine& program);
void add_compare(CommandLine& program);
void add_bottleneck(CommandLine& program);
void add_attention(CommandLine& program);
void add_align(CommandLine& program);
void add_heads(CommandLine& program);
void add_faithful(CommandLine& program);
void add_contrast(CommandLine& program);
void add_pronouns(CommandLine& program);
void add_runs(CommandLine& program);
void add_watch(CommandLine& program);
void add_score(CommandLine& program);
void add_vocab(CommandLine& program);
void add_average(CommandLine& program);
void add_prune(CommandLine& program);
void add_export(CommandLine& program);
void add_inspect(CommandLine& program);
void add_bench(CommandLine& program);
void add_config(CommandLine& program);
void add_doctor(CommandLine& program);
void add_completion(CommandLine& program);

}  // namespace heed
