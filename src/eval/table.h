// A table of measurements: for a terminal, as CSV, and in a page with its pictures.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace heed::eval {

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // each as long as `columns`
};

/// Columns of equal width: those of `left`, counted from 0, to the left, numbers to the right.
std::string table_text(const Table& table, const std::set<std::size_t>& left = {0});

std::string table_csv(const Table& table);

/// The slope of log y over log x by least squares: 2 where y grows with the square of x. Needs two
/// different x, all above 0.
double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y);

/// One experiment of a page.
struct Experiment {
  std::string name;                   // heading
  Table table;                        // may be empty
  std::vector<std::string> pictures;  // SVG documents
};

/// One HTML file without outside parts: experiments one below the other, with a list of them.
std::string experiments_page(const std::string& title, const std::vector<Experiment>& experiments);

}  // namespace heed::eval
