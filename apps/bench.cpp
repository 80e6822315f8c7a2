// heed bench MODE: throughput and cost curves of this machine.
#include "apps/bench.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <thread>

#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "eval/csv.h"
#include "model/kernels/product.h"
#include "text/lines.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

/// NAME.csv with its pictures NAME.svg, NAME-1.svg, ...
std::vector<eval::Experiment> experiments_in(const fs::path& folder) {
  std::set<fs::path> tables, pictures;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".csv") tables.insert(entry.path());
    if (entry.path().extension() == ".svg") pictures.insert(entry.path());
  }
  std::vector<eval::Experiment> experiments;
  for (const fs::path& path : tables) {
    const std::string name = path.stem().string();
    eval::Experiment experiment{.name = name, .table = {}, .pictures = {}};
    auto rows = eval::parse_csv(read_file(path.string()));
    if (rows.empty()) continue;
    experiment.table = {rows.front(), {rows.begin() + 1, rows.end()}};
    for (const fs::path& picture : pictures) {
      const std::string stem = picture.stem().string();
      if (stem == name || stem.substr(0, stem.rfind('-')) == name)
        experiment.pictures.push_back(read_file(picture.string()));
    }
    experiments.push_back(std::move(experiment));
  }
  return experiments;
}

}  // namespace

void BenchOptions::add(CLI::App& command) {
  command.add_option("-o,--output", output,
                     "Folder for the CSV, the pictures and experiments.html");
  command.add_option("--threads", threads, "Default: every core")->check(CLI::PositiveNumber);
  command.add_option("--repeats", repeats, "Medians are of so many runs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

int BenchOptions::used() const {
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return threads > 0 ? threads : cores;
}

void BenchOptions::apply() const {
  at::set_num_threads(used());
}

std::vector<data::CorpusFiles> repeated(const std::vector<data::CorpusFiles>& files,
                                        int64_t pairs) {
  if (pairs == 0) return files;  // without counting lines
  int64_t once = 0;
  for (const data::CorpusFiles& corpus : files) once += text::count_lines(corpus.source);
  std::vector<data::CorpusFiles> list = files;
  for (int64_t held = once; once > 0 && held < pairs; held += once)
    list.insert(list.end(), files.begin(), files.end());
  return list;
}

std::string source_to_translate(const std::string& given, const std::string& test) {
  const std::string path = given.empty() ? test : given;
  if (path.empty())
    throw UserError(
        "nothing to translate: give --source FILE (the model's config has no data.test)");
  return path;
}

int64_t process_mib(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (int64_t kib = 0; word == field + ":" && status >> kib) return kib / 1024;
  return 0;
}

double median(std::vector<double> values) {
  expect(!values.empty(), "a median needs a number");
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median_seconds(int repeats, const std::function<void()>& run) {
  run();
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) seconds.push_back(seconds_of(run));
  return median(std::move(seconds));
}

double gemm_gflops(bool bf16, int64_t size, int repeats) {
  const at::Tensor a = at::ones({size, size}, at::dtype(bf16 ? at::kBFloat16 : at::kFloat));
  const at::Tensor turned = model::kernels::turned_weight(a, a.scalar_type());
  const double seconds =
      std::min(median_seconds(repeats, [&] { at::mm(a, a); }),
               median_seconds(repeats, [&] { model::kernels::times_transposed(a, turned); }));
  return 2 * static_cast<double>(size * size * size) / seconds / 1e9;
}

void publish(const BenchOptions& options, const std::string& name, const eval::Table& table,
             const std::vector<eval::Curve>& curves) {
  std::cout << eval::table_text(table);
  if (options.output.empty()) return;
  const fs::path folder(options.output);
  make_folder(options.output);
  write_atomic((folder / (name + ".csv")).string(), eval::table_csv(table));
  for (std::size_t i = 0; i < curves.size(); ++i)
    write_atomic((folder / (name + "-" + std::to_string(i + 1) + ".svg")).string(),
                 eval::draw_curve(curves[i]));
  const std::string page = (folder / "experiments.html").string();
  write_atomic(page, eval::experiments_page("Experiments", experiments_in(folder)));
  log::info("page: " + page);
}

void add_bench(CLI::App& app) {
  CLI::App* bench = app.add_subcommand("bench",
                                       "Throughput and cost curves: train, load, translate, "
                                       "length, attention, cache, scale; compare");
  bench->require_subcommand(1);
  add_bench_train(*bench);
  add_bench_load(*bench);
  add_bench_translate(*bench);
  add_bench_length(*bench);
  add_bench_attention(*bench);
  add_bench_cache(*bench);
  add_bench_scale(*bench);
  add_bench_compare(*bench);
  for (CLI::App* mode : bench->get_subcommands(nullptr)) mode->fallthrough();
  bench->footer("Example:\n  heed bench attention --lengths 128,256,512,1024 -o runs/bench");
}

}  // namespace heed
