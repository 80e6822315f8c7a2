// Finds traces in a text that show where it comes from: marks of other programs, which a corpus
// should not have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/notice.h"

namespace heed::data {

struct PairOfLines;  // data/pair_reader.h

/// The number of kinds of traces.
inline constexpr std::size_t kTraces = 11;

/// Whether it is the first pair of its files, and both sides are names of columns.
bool is_header(const PairOfLines& pair);

/// Counts the traces in the pairs of two files, or of one with both sides.
class Traces {
 public:
  /// `is_cut`: another program cuts the text into pieces, whose marks belong to it.
  Traces() = default;
  explicit Traces(bool is_cut) : is_cut_(is_cut) {}
  void add(const PairOfLines& pair);

  /// Takes a line of column names for a pair.
  void forget_header();

  /// One line for each kind that was found: what it is, the cure, how many pairs and the first
  /// ones. Quotation marks, names of lines and sides without letters count where most pairs have
  /// them, decomposed letters where other lines have composed ones.
  std::vector<std::string> text() const;

  /// The same counts with a name of each kind: "entities", "moses", "bpe", ...
  std::vector<std::pair<std::string, Notice>> by_name() const;

 private:
  bool counts(std::size_t kind) const;
  bool is_cut_ = false;
  int64_t pairs_ = 0;
  bool composed_ = false;  // a pair has such letters, and no decomposed ones
  std::string last_name_;  // with which both sides of the last pair begin
  std::array<Notice, kTraces> found_;
};

}  // namespace heed::data
