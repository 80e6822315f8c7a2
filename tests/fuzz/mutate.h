// Changes to inputs, for compilers without libFuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"

namespace heed::fuzz {

/// Words of a dictionary in libFuzzer's format: one in quotes a line, with \\, \" and \xNN; #
/// begins a comment. Throws UserError for another line.
std::vector<std::string> parse_dictionary(const std::string& text, const std::string& name);

/// Makes inputs out of others. The same generator and the same calls give the same inputs.
class Mutator {
 public:
  Mutator(std::vector<std::string> words, uint64_t seed);

  /// One of `pool`, which is not empty, after one to eight changes; at most `longest` bytes.
  std::string next(const std::vector<std::string>& pool, std::size_t longest);

 private:
  std::size_t below(std::size_t end);  // 0 where end is
  void change(std::string& input, const std::string& other);

  std::vector<std::string> words_;
  Random random_;
};

}  // namespace heed::fuzz
