// heed bench compare A.csv B.csv: what changed between two measurements, as ratios.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "apps/bench/bench.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"
#include "text/csv.h"

namespace heed {
namespace {

using Row = std::vector<std::string>;

struct Results {
  Row columns;
  std::vector<Row> rows;
};

Results read_results(const std::string& path) {
  auto rows = text::parse_csv(read_file(path));
  if (rows.size() < 2) throw UserError(path + ": no table of results; give a CSV of heed bench");
  for (const Row& row : rows)
    if (row.size() != rows.front().size())
      throw UserError(path + ": rows of different length; give a CSV of heed bench");
  return {rows.front(), {rows.begin() + 1, rows.end()}};
}

/// Columns that say what was measured: all before the first that holds a measurement. A table with
/// a new kind of setting needs its name here.
std::size_t key_columns(const Row& columns) {
  static const std::set<std::string> settings = {
      "system", "weights", "batch",    "beam",  "threads", "attention", "kv_heads",
      "length", "width",   "position", "scale", "pairs",   "operation", "what",
      "unit",   "row",     "where",    "cores", "ranks",   "parts"};
  const auto first = std::find_if(columns.begin(), columns.end(), [&](const std::string& name) {
    return !settings.contains(name);
  });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, first - columns.begin()));
}

Row key_of(const Row& row, std::size_t keys) {
  return Row(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(keys));
}

/// The rows by their keys. Throws UserError where two have the same: which of them the other
/// table's row belongs to is not known.
std::map<Row, const Row*> by_key(const std::string& path, const Results& results,
                                 std::size_t keys) {
  std::map<Row, const Row*> rows;
  for (const Row& row : results.rows) {
    const Row key = key_of(row, keys);
    if (!rows.emplace(key, &row).second)
      throw UserError(path + ": two rows are '" + one_line(join(key, " ")) +
                      "'; remove one, or measure each setting once");
  }
  return rows;
}

void compare(const std::string& before, const std::string& after) {
  const Results a = read_results(before), b = read_results(after);
  if (a.columns != b.columns)
    throw UserError(after + ": other columns than " + before +
                    "; compare two results of the same heed bench mode");
  const std::size_t keys = key_columns(a.columns);
  std::map<Row, const Row*> rows = by_key(before, a, keys);
  by_key(after, b, keys);
  text::Table table{a.columns, {}};
  std::vector<std::string> alone;
  for (const Row& row : b.rows) {
    const Row key = key_of(row, keys);
    const auto found = rows.find(key);
    if (found == rows.end()) {
      alone.push_back(join(key, " ") + ": only in " + after);
      continue;
    }
    Row ratios = key;
    for (std::size_t i = keys; i < row.size(); ++i) {
      const auto old = exact_number<double>((*found->second)[i]),
                 now = exact_number<double>(row[i]);
      ratios.push_back(old && now && *old != 0 ? fixed(*now / *old, 3) : "");
    }
    table.rows.push_back(std::move(ratios));
    rows.erase(found);
  }
  for (const auto& [key, row] : rows) alone.push_back(join(key, " ") + ": only in " + before);
  if (table.rows.empty())
    throw UserError(after + ": no row was measured in " + before + " with the same settings");
  for (const std::string& row : alone) log::warn(row);
  std::set<std::size_t> left;
  for (std::size_t i = 0; i < keys; ++i) left.insert(i);
  std::cout << text::table_text(table, left);
}

}  // namespace

void add_bench_compare(CommandLine& bench) {
  struct CompareArgs {
    std::string before, after;
  };
  auto args = std::make_shared<CompareArgs>();
  CommandLine command =
      bench.command("compare", "Each number of the second file divided by that of the first");
  command.option("before", args->before, "CSV that heed bench wrote").required();
  command.option("after", args->after, "CSV of the same mode").required();
  command.examples({"heed bench compare old/translate.csv new/translate.csv",
                    "heed bench compare runs/bench.old/training.csv runs/bench/training.csv"});
  command.run([args] { compare(args->before, args->after); });
}

}  // namespace heed
