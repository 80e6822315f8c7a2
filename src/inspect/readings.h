// Pairs of lines to be read by a model: given translations, or its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/batch.h"
#include "decode/translator.h"

namespace heed::inspect {

struct Reading {
  data::Example example;
  bool readable = false;  // there is something to read
  std::string target_text;
  // With </s>. What the vocabulary does not know is spelled as in the given lines; in the model's
  // own translation it is <unk>.
  std::vector<std::string> source_pieces, target_pieces;
  bool cut = false;  // own translation that reached the length limit
};

/// One per line of `sources`, by the translator's first model. Without `targets` the model reads
/// its own best translation. Throws UserError when line counts differ or a line is too long (named
/// by its number, `first_line` + index).
std::vector<Reading> readings_of(decode::Translator& translator,
                                 const std::vector<std::string>& sources,
                                 const std::optional<std::vector<std::string>>& targets,
                                 int64_t first_line);

/// How many copies of a pair are read together: a bound on memory, which holds their [target,
/// vocab].
inline int64_t copies_at_once(const data::Example& pair) {
  const int64_t length = decode::padded_length(std::ssize(pair.source), std::ssize(pair.target));
  return std::max<int64_t>(1, 1024 / (length + 1));
}

/// The pieces of a line as it spells them, as many as its ids were cut to, and </s>.
std::vector<std::string> names_of(const text::Vocabulary& vocabulary, const std::string& line,
                                  const std::vector<int32_t>& ids);

}  // namespace heed::inspect
