#include "run/held_out.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/files.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "decode/sampling.h"
#include "decode/translator.h"
#include "run/saved_config.h"
#include "run/summary.h"
#include "score/sacrebleu.h"
#include "text/bytes.h"
#include "text/pairs.h"

namespace heed::run {
namespace {

/// A run is often looked at from another folder than that it was trained in.
void require_named(const data::CorpusFiles& files, const std::string& key,
                   const std::string& folder) {
  const std::string of = " of " + file_in(folder, kConfigFile);
  try {
    require_file(files.source, key + ".source" + of);
    if (!files.target.empty()) require_file(files.target, key + ".target" + of);
  } catch (const UserError& error) {
    throw UserError(std::string(error.what()) +
                    "; run this in the folder that it was trained in, or give --source and "
                    "--reference");
  }
}

}  // namespace

std::vector<std::vector<std::string>> read_more_references(const Config& config, bool valid,
                                                           std::size_t lines) {
  const auto& evaluation = config.evaluation;
  std::vector<std::vector<std::string>> read;
  for (const std::string& path : valid ? evaluation.valid_references : evaluation.references) {
    require_file(path, valid ? "evaluation.valid_references" : "evaluation.references");
    read.push_back(text::read_equal_lines(path, valid ? "data.valid" : "data.test", lines));
  }
  return read;
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
  TestSet set{from, std::move(pairs.source), std::move(pairs.target), {}, {from, to}};
  if (source.empty()) {
    set.more_references = read_more_references(config, valid, lines);
    const auto& evaluation = config.evaluation;
    const auto& files = valid ? evaluation.valid_references : evaluation.references;
    set.files.insert(set.files.end(), files.begin(), files.end());
  }
  for (const std::string& path : more) {
    set.more_references.push_back(text::read_equal_lines(path, from, lines));
    set.files.push_back(path);
  }
  return set;
}

void check_tokenizer(const std::vector<std::string>& reference,
                     const score::EvaluationConfig& config) {
  if (const auto doubt = score::tokenizer_doubt(reference, config, "the references"))
    log::warn(*doubt);
}

std::vector<std::string> translate_all(const OpenModels& models,
                                       const std::vector<std::string>& lines, int64_t first_line,
                                       int64_t step) {
  const ModelFolder& folder = models.first;
  decode::Translator translator = models.translator();
  translator.line_step = step;
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const int64_t window = translator.window();
  ProgressBar bar("sentences translated", std::ssize(lines));
  translator.searched = [&](int64_t sentences) { bar.add(static_cast<double>(sentences)); };
  std::vector<std::string> outputs;
  while (outputs.size() < lines.size()) {
    const auto begin = lines.begin() + std::ssize(outputs);
    const std::vector<std::string> next(begin,
                                        begin + std::min<int64_t>(window, lines.end() - begin));
    const int64_t first_of_next = first_line + step * std::ssize(outputs);
    for (auto& translation : translator.translate(next, first_of_next))
      outputs.push_back(std::move(translation.text));
  }
  const decode::DecodeConfig& config = folder.config.decoding;
  const std::size_t others = models.members.size() - 1;
  log::info(
      "{}{}{} sentences translated, {}, {} sentences/s", folder.path,
      others > 0 ? fmt::format(" and {} more: ", others) : ": ", lines.size(),
      decode::samples(config.sampling) ? "sampled" : "beam " + std::to_string(config.beam_size),
      fixed(static_cast<double>(lines.size()) / std::max(seconds(), 1e-9), 1));
  return outputs;
}

std::optional<std::vector<std::string>> left_translations(const std::string& run,
                                                          const TestSet& set) {
  const std::string left = file_in(run, kTestTranslations);
  const auto sums = scored_corpora(file_in(run, kSummaryFile));
  const std::string tested = saved_config(run).data.test.source;
  if (sums.empty() || tested.empty() || !std::filesystem::exists(left)) return std::nullopt;
  const auto is_tested = [&](const CorpusSum& now) {
    return std::ranges::any_of(sums, [&](const CorpusSum& sum) {
      return sum.path == tested && sum.bytes == now.bytes && sum.sha256 == now.sha256;
    });
  };
  // The lines of a stream are gone: there is nothing left to sum.
  if (!text::is_stream(set.name) && is_tested(sum_of(set.name))) return text::read_lines(left);
  log::info("{} was tested on {}{}; it translates now", run, tested,
            tested == set.name ? " as it was then" : ", not on " + text::shown_name(set.name));
  return std::nullopt;
}

void write_lines(const std::string& path, const std::vector<std::string>& lines) {
  write_atomic(path, lines.empty() ? "" : join(lines, "\n") + "\n");
}

}  // namespace heed::run
