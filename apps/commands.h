// The table of commands: the one list of them. Each has a file of its own, named after it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heed {

struct Command {
  const char* name;
  /// Declares the command's options on `app` and the function that runs it.
  void (*add)(CLI::App& app);
};

/// In the order of the help page.
const std::vector<Command>& commands();

void add_train(CLI::App& app);
void add_translate(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_lengths(CLI::App& app);
void add_bottleneck(CLI::App& app);
void add_attention(CLI::App& app);
void add_align(CLI::App& app);
void add_heads(CLI::App& app);
void add_contrast(CLI::App& app);
void add_pronouns(CLI::App& app);
void add_score(CLI::App& app);
void add_vocab(CLI::App& app);
void add_average(CLI::App& app);
void add_export(CLI::App& app);
void add_inspect(CLI::App& app);
void add_bench(CLI::App& app);
void add_config(CLI::App& app);
void add_doctor(CLI::App& app);

}  // namespace heed
