#include "run/held_out.h"

#include <cstddef>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "data/config.h"
#include "score/config.h"
#include "score/sacrebleu.h"
#include "text/pairs.h"
#include "text/piece_rule.h"
#include "text/tmx_lines.h"

namespace heed::run {
namespace {

/// A run is often looked at from another folder than that it was trained in.
void require_named(const data::CorpusFiles& files, const std::string& key,
                   const std::string& folder) {
  const std::string of = " of " + file_in(folder, kConfigFile);
  try {
    text::require_text_file(files.source, key + ".source" + of);
    if (!files.target.empty()) text::require_text_file(files.target, key + ".target" + of);
  } catch (const UserError& error) {
    throw UserError(std::string(error.what()) +
                    "; run this in the folder that it was trained in, or give --source and "
                    "--reference");
  }
}

}  // namespace

std::vector<std::string> as_translations(const Config& config, std::vector<std::string> lines) {
  const data::VocabularyConfig& vocabulary = config.data.vocabulary;
  if (!data::lines_are_pieces_of_words(config.data)) return lines;
  for (std::string& line : lines) line = text::joined_pieces(line, vocabulary.separator);
  return lines;
}

std::vector<std::vector<std::string>> read_more_references(const Config& config, bool valid,
                                                           std::size_t lines) {
  const auto& evaluation = config.evaluation;
  std::vector<std::vector<std::string>> read;
  for (const std::string& path : valid ? evaluation.valid_references : evaluation.references) {
    text::require_text_file(path, valid ? "evaluation.valid_references" : "evaluation.references");
    read.push_back(as_translations(
        config, text::read_equal_lines(path, valid ? "data.valid" : "data.test", lines)));
  }
  return read;
}

void warn_of_reference(const std::string& file, const std::vector<std::string>& lines,
                       const TestSet& set) {
  constexpr std::size_t kFew = 10;  // of which a translation may well be right in all
  const std::string& reference = set.files.at(1);  // "" where the file has both sides
  std::error_code none;
  if (std::filesystem::equivalent(file, reference, none) &&
      std::filesystem::is_regular_file(file, none))
    log::warn("{}: is the reference {} itself; a score of it says nothing", file, reference);
  else if (lines.size() >= kFew && lines == set.reference)
    log::warn("{}: each line is that of the reference {}; a score of it says nothing", file,
              reference.empty() ? file : reference);
}

void tell_of_one_reference(const TestSet& set) {
  if (!set.more_references.empty())
    log::info("compared with the first of {} references; `heed evaluate` takes all of them",
              1 + set.more_references.size());
}

TestSet open_test_set(const Config& config, const std::string& source, const std::string& reference,
                      const std::string& folder, bool valid, const std::vector<std::string>& more) {
  if (source.empty() != reference.empty())
    throw UserError(
        "give both --source and --reference, or neither to use the model's own test set");
  const data::CorpusFiles& files = valid ? config.data.valid : config.data.test;
  const std::string from = source.empty() ? files.source : source;
  const std::string to = source.empty() ? files.target : reference;
  if (from.empty())
    throw UserError("the model's config has no data.{}; give --source and --reference",
                    valid ? "valid" : "test");
  if (source.empty() && !folder.empty())
    require_named(files, valid ? "data.valid" : "data.test", folder);
  text::Pairs pairs = text::read_pairs(from, to);
  const std::size_t lines = pairs.source.size();
  TestSet set{from,
              std::move(pairs.source),
              as_translations(config, std::move(pairs.target)),
              {},
              {from, to}};
  warn_of_reference(from, set.source, set);
  if (source.empty()) {
    set.more_references = read_more_references(config, valid, lines);
    const auto& evaluation = config.evaluation;
    const auto& files = valid ? evaluation.valid_references : evaluation.references;
    set.files.insert(set.files.end(), files.begin(), files.end());
  }
  for (const std::string& path : more) {
    set.more_references.push_back(
        as_translations(config, text::read_equal_lines(path, from, lines)));
    set.files.push_back(path);
  }
  return set;
}

void check_tokenizer(const std::vector<std::string>& reference,
                     const score::EvaluationConfig& config) {
  if (const auto doubt = score::tokenizer_doubt(reference, config, "the references"))
    log::warn(*doubt);
}

void write_lines(const std::string& path, const std::vector<std::string>& lines) {
  write_atomic(path, lines.empty() ? "" : join(lines, "\n") + "\n");
}

}  // namespace heed::run
