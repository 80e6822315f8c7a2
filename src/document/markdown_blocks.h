// Blocks of several lines in Markdown that hold no text: formulas, code and files between tags,
// comments, modules of MDX.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "document/lines_of_text.h"

namespace heed::document {

class UntranslatedBlocks {
 public:
  /// As long as `lines` lives.
  explicit UntranslatedBlocks(const LineByLine& lines) : lines_(lines) {}

  /// The last line of the block that begins line `i` after byte `from` of it; nothing where none
  /// does. Lines are asked for in order.
  std::optional<std::size_t> last_of(std::size_t i, std::size_t from);

 private:
  std::string_view rest_of(std::size_t i, std::size_t from) const;
  std::optional<std::size_t> last_of_formula(std::size_t i, std::size_t from) const;
  std::optional<std::size_t> last_of_environment(std::size_t i, std::size_t from) const;
  std::optional<std::size_t> last_of_code(std::size_t i, std::size_t from);
  std::optional<std::size_t> last_of_inclusions(std::size_t i, std::size_t from) const;
  std::optional<std::size_t> last_of_comment(std::size_t i, std::size_t from,
                                             std::string_view begin, std::string_view end) const;
  std::optional<std::size_t> last_of_module(std::size_t i, std::size_t from);

  const LineByLine& lines_;
  std::size_t last_of_module_ = std::string_view::npos - 1;  // the line
  std::map<std::string, std::size_t> ends_of_code_;          // by end: the next line that has it
};

/// Line `i` from byte `from` on, without blanks at its end.
std::string_view rest_of_line(const LineByLine& lines, std::size_t i, std::size_t from);

/// Line `i` without indentation, marks of quotations, and blanks at its end.
std::string_view text_of_line(const LineByLine& lines, std::size_t i);

}  // namespace heed::document
