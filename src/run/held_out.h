// The texts that a model is tested on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "run/config.h"
#include "score/config.h"

namespace heed::run {

struct TestSet {
  std::string name;  // for messages and titles: the source file
  std::vector<std::string> source, reference;
  std::vector<std::vector<std::string>> more_references;
  std::vector<std::string> files;  // that they were read from
};

/// `source`, `reference` and files of `more` references where given, else the config's test (or
/// validation) set. Warns as warn_of_reference() where both sides are one text. Throws UserError;
/// for a file that is missing it names the key of the configuration in `folder`, where one is
/// given.
TestSet open_test_set(const Config& config, const std::string& source, const std::string& reference,
                      const std::string& folder = "", bool valid = false,
                      const std::vector<std::string>& more = {});

/// Target lines as translations have them: pieces that another program has cut are joined to words,
/// unless data.pieces keeps them.
std::vector<std::string> as_translations(const Config& config, std::vector<std::string> lines);

/// The further references of the config's test (or validation) set, which has so many lines. Throws
/// UserError.
std::vector<std::vector<std::string>> read_more_references(const Config& config, bool valid,
                                                           std::size_t lines);

/// Warns where the lines of `file`, to be compared with the set's reference, are this reference:
/// the same file, by whatever path, or the same text in each of ten lines or more.
void warn_of_reference(const std::string& file, const std::vector<std::string>& lines,
                       const TestSet& set);

/// Logs, for a command that compares with one reference, that the set has more of them.
void tell_of_one_reference(const TestSet& set);

/// Warns where evaluation.tokenize finds no words in the references.
void check_tokenizer(const std::vector<std::string>& reference,
                     const score::EvaluationConfig& config);

/// Writes a file whole, a line each.
void write_lines(const std::string& path, const std::vector<std::string>& lines);

}  // namespace heed::run
