// heed inspect MODEL: what is in a model folder.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "base/files.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/differences.h"
#include "config/io.h"
#include "data/languages.h"
#include "model/description/traits.h"
#include "model/model.h"
#include "run/config.h"
#include "run/model_folder.h"
#include "run/summary.h"
#include "score/bleu_statistics.h"
#include "score/metrics.h"
#include "text/table.h"
#include "text/vocabulary.h"
#include "train/checkpoint.h"
#include "train/metrics_line.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct TensorRow {
  std::string name;  // dotted; its first part is the module
  std::vector<int64_t> shape;
  int64_t parameters = 0;  // 0 where it is another's
  std::string tied_to;     // the tensor that it is, counted there; or ""
};

/// Returns the tensors in the order in which the model declares them. What shares memory is one
/// tensor, and so is the output layer's matrix where `tie` makes it an embedding: the first mention
/// counts.
std::vector<TensorRow> tensors_of(model::Model& model) {
  std::vector<TensorRow> rows;
  std::map<const void*, std::string> first;
  const auto add = [&](const std::string& name, const at::Tensor& tensor) {
    const auto [known, is_new] = first.try_emplace(tensor.const_data_ptr(), name);
    rows.push_back({.name = name,
                    .shape = tensor.sizes().vec(),
                    .parameters = is_new ? tensor.numel() : 0,
                    .tied_to = is_new ? "" : known->second});
  };
  for (const auto& item : model.named_parameters()) add(item.key(), item.value());
  const std::string output = "output.weight";
  const at::Tensor matrix = model.output().weight;
  if (matrix.defined() && first.at(matrix.const_data_ptr()) != output) add(output, matrix);
  return rows;
}

/// A model folder: its model, and what a training has left besides, which may be missing.
struct Inspected {
  std::string path;
  run::Config config;  // as it was saved
  run::ModelFolder folder;
  std::vector<TensorRow> tensors;
  uint64_t bytes = 0;                           // of model.safetensors
  train::RunMetrics metrics;                    // by metrics.jsonl
  std::optional<run::Summary> summary;          // of a run that finished
  std::map<std::string, uint64_t> checkpoints;  // bytes by name

  explicit Inspected(const std::string& path)
      : path(path),
        config(run::load_config(file_in(path, kConfigFile), {})),
        folder(run::open_model(path, {.device = "cpu", .settings = {"precision=fp32"}})),
        tensors(tensors_of(*folder.model)),
        bytes(fs::file_size(file_in(path, kWeightsFile))) {
    if (const std::string file = file_in(path, kMetricsFile); fs::exists(file))
      metrics = train::summarize(train::read_metrics(file));
    if (const std::string file = file_in(path, kSummaryFile); fs::exists(file))
      summary = run::Summary::read(file);
    const std::string kept = file_in(path, kCheckpoints);
    for (const std::string& name : names_in(kept))
      if (train::is_checkpoint(name) || train::is_best(name))
        checkpoints[name] = fs::file_size(fs::path(kept) / name);
  }

  int64_t parameters() const {
    int64_t sum = 0;
    for (const TensorRow& tensor : tensors) sum += tensor.parameters;
    return sum;
  }
  bool has_best() const {
    return metrics.best.values[score::Metric::loss] && metrics.best.perplexity;
  }
};

/// The names of the special pieces by id, from 0; or the first ordinary ones, which follow them.
std::vector<std::string> pieces_of(const text::Vocabulary& vocabulary, bool special) {
  constexpr int32_t kSpecial = text::kEnd + 1, kExamples = 12;
  std::vector<std::string> pieces;
  const int32_t end = special ? kSpecial : kSpecial + kExamples;
  for (int32_t id = special ? 0 : kSpecial; id < std::min(vocabulary.size(), end); ++id)
    pieces.push_back(vocabulary.piece(id));
  return pieces;
}

std::string shape_text(const std::vector<int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// --- the table

using Tensors = std::vector<const TensorRow*>;

/// A module with its tensors; blocks of a stack ("encoder.0") are modules of their own.
struct Module {
  std::string name;
  Tensors tensors;
  std::vector<Module> blocks;

  int64_t parameters() const {
    int64_t sum = 0;
    for (const TensorRow* tensor : tensors) sum += tensor->parameters;
    for (const Module& block : blocks) sum += block.parameters();
    return sum;
  }
};

Module& named(std::vector<Module>& modules, const std::string& name) {
  const auto found = std::ranges::find(modules, name, &Module::name);
  return found != modules.end() ? *found : modules.emplace_back(Module{name, {}, {}});
}

std::vector<Module> modules_of(const std::vector<TensorRow>& tensors) {
  std::vector<Module> modules;
  for (const TensorRow& tensor : tensors) {
    const std::vector<std::string> parts = split(tensor.name, '.');
    Module& module = named(modules, parts[0]);
    const bool in_block = parts.size() > 2 && std::ranges::all_of(parts[1], [](char c) {
                            return c >= '0' && c <= '9';
                          });
    (in_block ? named(module.blocks, parts[0] + "." + parts[1]) : module)
        .tensors.push_back(&tensor);
  }
  return modules;
}

/// Whether two modules have the same tensors under different names.
bool alike(const Module& a, const Module& b) {
  const auto same = [&](const TensorRow* x, const TensorRow* y) {
    return x->name.substr(a.name.size()) == y->name.substr(b.name.size()) && x->shape == y->shape &&
           x->tied_to == y->tied_to;
  };
  return std::ranges::equal(a.tensors, b.tensors, same);
}

/// A row for each module, its blocks and their tensors. Of a block like the one listed before it
/// only the sum is there.
std::string module_table(const Inspected& report) {
  text::Table table{{"module", "shape", "parameters", "share", ""}, {}};
  const int64_t total = report.parameters();
  const auto sum = [&](const std::string& name, const std::string& shape, int64_t parameters) {
    const std::string share = fixed(100 * score::ratio(parameters, total), 1) + " %";
    table.rows.push_back({name, shape, with_commas(parameters), share, ""});
  };
  const auto tensors = [&](const std::string& indent, const Module& module) {
    for (const TensorRow* tensor : module.tensors) {
      const bool tied = !tensor->tied_to.empty();
      table.rows.push_back({indent + tensor->name.substr(module.name.size() + 1),
                            shape_text(tensor->shape), tied ? "" : with_commas(tensor->parameters),
                            "", tied ? "tied to " + tensor->tied_to + ", counted there" : ""});
    }
  };
  for (const Module& module : modules_of(report.tensors)) {
    sum(module.name, "", module.parameters());
    tensors("  ", module);
    const Module* listed = nullptr;
    for (const Module& block : module.blocks) {
      const bool again = listed != nullptr && alike(*listed, block);
      sum("  " + block.name, again ? "as " + listed->name : "", block.parameters());
      if (again) continue;
      tensors("    ", block);
      listed = &block;
    }
  }
  sum("total", "", total);
  return text::table_text(table, {0, 1, 4});
}

// --- what stands below it

std::string titled(const std::string& title, const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += fmt::format("{:<13}{}\n", i == 0 ? title : "", lines[i]);
  return text;
}

std::vector<std::string> vocabulary_lines(const std::string& side, const text::Vocabulary& one) {
  std::vector<std::string> special = pieces_of(one, /*special=*/true);
  for (std::size_t id = 0; id < special.size(); ++id) special[id] += fmt::format(" {}", id);
  std::vector<std::string> lines = {
      fmt::format("{} {} pieces (fingerprint {})", side, one.size(), one.fingerprint()),
      fmt::format("  {}; then {} ...", join(special, ", "), join(pieces_of(one, false), " "))};
  if (const std::vector<std::string> symbols = data::languages_of(one); !symbols.empty())
    lines.push_back("  symbols, as of languages: " + join(symbols, ", "));
  return lines;
}

std::vector<std::string> training_lines(const Inspected& report) {
  std::vector<std::string> lines;
  if (report.summary) {
    lines.push_back(
        fmt::format("{} updates in {}, {} tokens/s; {}", with_commas(report.summary->updates),
                    human_duration(60 * report.summary->minutes),
                    human_count(report.summary->tokens_per_second), report.summary->stop_reason));
  } else if (report.metrics.updates > 0) {
    lines.push_back(
        fmt::format("not finished: {} updates so far", with_commas(report.metrics.updates)));
  } else {
    lines.push_back("no record in this folder");
  }
  if (report.has_best()) {
    const train::MetricsLine& best = report.metrics.best;
    const auto& bleu = best.values[score::Metric::bleu];
    lines.push_back(fmt::format("best validation: loss {}, perplexity {}{} at update {}",
                                fixed(best.values[score::Metric::loss], 4),
                                fixed(best.perplexity, 2), bleu ? ", BLEU " + fixed(bleu, 2) : "",
                                with_commas(best.update)));
  }
  if (report.summary)
    for (const std::string& score : report.summary->test_scores) lines.push_back("test " + score);
  return lines;
}

std::vector<std::string> checkpoint_lines(const Inspected& report) {
  std::vector<std::string> lines;
  for (const auto& [name, bytes] : report.checkpoints)
    lines.push_back(name + ", " + human_bytes(bytes));
  if (lines.empty()) lines.push_back("none in this folder");
  return lines;
}

std::string report_text(const Inspected& report) {
  const bool joint = run::is_joint(report.config);
  std::vector<std::string> vocabulary =
      vocabulary_lines(joint ? "joint" : "source", report.folder.source);
  if (!joint)
    for (std::string& line : vocabulary_lines("target", report.folder.target))
      vocabulary.push_back(std::move(line));
  std::vector<std::string> settings = {"those that are not the defaults; --config shows all"};
  run::Config defaults;
  defaults.data.train.resize(report.config.data.train.size());
  for (const config::Difference& one : config::differences(defaults, report.config))
    settings.push_back(one.path + ": " + one.after);
  return fmt::format("{}: {}, {} parameters, model.safetensors of {}\n\n{}\n", report.path,
                     model::traits(report.config.model).network, with_commas(report.parameters()),
                     human_bytes(report.bytes), module_table(report)) +
         titled("vocabulary", vocabulary) + titled("training", training_lines(report)) +
         titled("checkpoints", checkpoint_lines(report)) + titled("settings", settings);
}

struct InspectArgs {
  std::string model;
  bool config = false;
};

void inspect_command(const InspectArgs& args) {
  const Inspected report(args.model);
  std::cout << (args.config ? config::dump(report.config) : report_text(report));
}

}  // namespace

void add_inspect(CommandLine& program) {
  auto [command, args] = program.command("inspect", inspect_command);
  command.model("model", args->model, "Folder that `heed train` wrote").required();
  command.flag("--config", args->config, "Print the resolved configuration instead");
  command.examples(
      {"heed inspect runs/demo/bahdanau", "heed inspect runs/demo/transformer --config"});
}

}  // namespace heed
