#include "benchmarks/bench/bench.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/files.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/strings.h"
#include "benchmarks/bench/page.h"
#include "csv.h"
#include "run/model_folder.h"
#include "text/lines.h"

namespace heed::bench {
namespace {

namespace fs = std::filesystem;

const char* const kPage = "experiments.html";

/// NAME.csv with its pictures NAME.svg, NAME-1.svg, ... The folder is the user's, and may have
/// other CSV files.
std::vector<Experiment> experiments_in(const fs::path& folder) {
  std::set<fs::path> tables, pictures;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".csv") tables.insert(entry.path());
    if (entry.path().extension() == ".svg") pictures.insert(entry.path());
  }
  std::vector<Experiment> experiments;
  for (const fs::path& path : tables) {
    const std::string name = path.stem().string();
    Experiment experiment{.name = name, .table = {}, .pictures = {}};
    auto rows = parse_csv(read_file(path.string()));
    if (rows.empty()) continue;
    if (std::ranges::any_of(rows,
                            [&](const auto& row) { return row.size() != rows.front().size(); })) {
      log::warn(path.string() +
                ": rows of different length, so no table of heed-bench; left out of "
                "experiments.html; move it to another folder");
      continue;
    }
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

void BenchOptions::add(CommandLine& command, bool repeated) {
  command.group("Measuring");
  command.option("--threads", threads, "Threads; default: every core").positive();
  if (repeated)
    command.option("--repeats", repeats, "Runs of which the median is shown").positive();
  command.group("Output");
  command.option("-o,--output", output, "Folder for the CSV, the pictures and experiments.html");
}

void BenchOptions::apply() const {
  if (!output.empty()) require_written_by_heed(output, {kPage});  // before minutes of measuring
  run::use_threads(threads);
}

std::vector<int64_t> whole_numbers(const std::string& option,
                                   const std::vector<std::string>& typed) {
  std::vector<int64_t> numbers;
  for (const std::string& text : typed) {
    const auto number = exact_number<int64_t>(text);
    if (!number) throw UserError("{}: got '{}', expected a whole number", option, text);
    numbers.push_back(*number);
  }
  return without_repeats(numbers);
}

std::vector<data::CorpusFiles> repeated(const std::vector<data::CorpusFiles>& files,
                                        int64_t pairs) {
  data::DataConfig data;
  data.train = files;
  data::require_files(data, "heed-bench");
  if (pairs == 0) return files;  // without counting lines
  int64_t once = 0;
  for (const data::CorpusFiles& corpus : files) once += text::count_lines(corpus.source);
  std::vector<data::CorpusFiles> list = files;
  for (int64_t held = once; once > 0 && held < pairs; held += once)
    list.insert(list.end(), files.begin(), files.end());
  return list;
}

int64_t process_mib(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (int64_t kib = 0; word == field + ":" && status >> kib) return kib / 1024;
  return 0;
}

void reset_resident_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

void publish(const BenchOptions& options, const std::string& name, const text::Table& table,
             const std::vector<draw::Plot>& plots) {
  std::cout << text::table_text(table);
  if (options.output.empty()) return;
  OutputFolder measured(options.output, {name + ".csv"});
  write_atomic(measured.path_of(name + ".csv"), text::table_csv(table));
  for (std::size_t i = 0; i < plots.size(); ++i)
    write_atomic(measured.path_of(fmt::format("{}-{}.svg", name, i + 1)),
                 draw::draw_plot(plots[i]));
  measured.commit();
  const fs::path folder(options.output);
  OutputFolder of_all(options.output, {kPage});
  write_atomic(of_all.path_of(kPage), experiments_page("Experiments", experiments_in(folder)));
  of_all.commit();
  log::info("page: " + (folder / kPage).string());
}

}  // namespace heed::bench
