#include "run/corpora_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "config/schema.h"
#include "data/batches.h"
#include "data/config.h"
#include "data/corpus.h"
#include "data/corpus_reader.h"
#include "data/notice.h"
#include "data/pair_reader.h"
#include "data/traces.h"
#include "run/build.h"
#include "run/check.h"
#include "run/config.h"
#include "text/lines.h"
#include "text/tmx_lines.h"
#include "text/utf8.h"
#include "text/words.h"
#include "train/config.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;

struct NamedFile {
  std::string key, path;
};

std::vector<NamedFile> files_of(const std::string& key, const data::CorpusFiles& corpus) {
  std::vector<NamedFile> files{{key + ".source", corpus.source}};
  if (!corpus.target.empty()) files.push_back({key + ".target", corpus.target});
  if (!corpus.alignment.empty()) files.push_back({key + ".alignment", corpus.alignment});
  return files;
}

bool can_be_read(const NamedFile& file) {
  try {
    text::require_text_file(file.path, file.key);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

bool has_no_line(const std::string& path) {
  std::string line;
  return !text::LineReader(path).next(line);
}

/// What is counted in a corpus.
struct Counted {
  int64_t pairs = 0;
  int64_t target_pieces = 0;  // at least: a word between blanks is one or more, and each line ends
};

/// Reads all of a corpus, so that whatever would stop a training's reading is thrown here.
Counted count_pairs(const data::CorpusFiles& corpus, const std::string& key, bool is_cut,
                    bool header_is_told, Check& found) {
  if (!corpus.target.empty() && has_no_line(corpus.source) && has_no_line(corpus.target))
    throw UserError("{}: {} and {} have no lines; give at least one pair", key, corpus.source,
                    corpus.target);
  int64_t pairs = 0, same = 0, target_pieces = 0;
  data::PairReader reader(corpus, /*aligned=*/true);
  data::Traces traces(is_cut);
  for (data::PairOfLines pair; reader.next(pair); ++pairs) {
    traces.add(pair);
    target_pieces += std::ssize(split_words(pair.target)) + 1;
    same += pair.source == pair.target;
  }
  if (pairs > 0 && same == pairs)
    found.doubts.push_back(fmt::format(
        "{}: both sides are the same in each of the {}; without data.noise a model of them only "
        "copies",
        key, counted(pairs, "pair")));
  if (header_is_told) traces.forget_header();
  for (const std::string& trace : traces.text()) found.doubts.push_back(key + ": " + trace);
  return {.pairs = pairs, .target_pieces = target_pieces};
}

/// Says which of training.updates and training.epochs ends the training, where both are set.
/// `epoch`: what an epoch has at least, but for what data.clean leaves out.
void tell_end(const train::TrainConfig& training, const Counted& epoch, Check& found) {
  if (training.epochs == 0) return;
  const int64_t all =
      training.batch_type == train::BatchType::tokens ? epoch.target_pieces : epoch.pairs;
  const double needed = static_cast<double>(all) * static_cast<double>(training.epochs) /
                        static_cast<double>(training.batch_size * training.accumulate);
  if (needed > static_cast<double>(training.updates))
    found.doubts.push_back(fmt::format(
        "training.updates: {} ends the training before training.epochs: {}, which are {} updates "
        "or more; raise updates, too, or leave epochs out",
        training.updates, training.epochs, with_commas(std::llround(needed))));
  else
    found.notes.push_back(
        fmt::format("the training ends with training.epochs: {} or training.updates: {}, "
                    "whichever is reached first",
                    training.epochs, training.updates));
}

bool has_text(const data::PairOfLines& pair) {
  return !text::is_blank(pair.source) && !text::is_blank(pair.target);
}

int64_t words_of(const data::PairOfLines& pair) {
  return std::max(text::count_words(pair.source), text::count_words(pair.target));
}

/// Whether a set of pairs has some whose loss can be measured. A word is one piece or more, so that
/// pairs of fewer words may be left out, too.
void check_held_out(const data::CorpusFiles& corpus, const std::string& key,
                    const data::CorpusReading& reading, Check& found) {
  data::PairReader reader(corpus);
  int64_t pairs = 0;
  data::Notice longer;
  for (data::PairOfLines pair; reader.next(pair);) {
    if (!has_text(pair)) continue;
    ++pairs;
    if (words_of(pair) > reading.max_length) longer.add(pair.number);
  }
  if (pairs == 0)
    throw UserError("{}: {} has no pair with text on both sides; give at least one", key,
                    corpus.source);
  const std::string limit = counted(reading.max_length, "piece") + " of " + reading.limit;
  if (longer.count == pairs)
    throw UserError("{}: each pair of {} is longer than the {}; give shorter ones", key,
                    corpus.source, limit);
  if (longer.count > 0)
    found.doubts.push_back(
        fmt::format("{}: left out of the loss, longer than the {}: {}", key, limit, longer.text()));
}

void require_some_read(const data::CorpusFiles& corpus, int64_t pairs, const std::string& key) {
  if (data::pairs_in_epoch(pairs, corpus.weight) == 0)
    throw UserError("{}.weight: {} of the {} in {} is less than one in an epoch; raise it", key,
                    config::number_text(corpus.weight), counted(pairs, "pair"), corpus.source);
}

/// Returns the command that fetches `path`, as the comments of the configuration `file` say it,
/// such as "python3 data_scripts/multi30k.py"; "" where they do not. A script that is not in the
/// working folder is looked for beside the configuration's.
std::string fetching_command(const std::string& file, const std::string& path) {
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return "";
  static const std::regex kCommand(
      R"(python3 (data_scripts/)([a-z0-9_]+)(\.py(?: --[a-z-]+(?: [A-Za-z0-9_./]*[A-Za-z0-9_])?)*))");
  for (const std::string& line : split(read_file(file), '\n')) {
    const std::size_t comment = line.find('#');
    if (comment == std::string::npos) continue;
    const std::string text = line.substr(comment);
    for (std::sregex_iterator one(text.begin(), text.end(), kCommand), end; one != end; ++one) {
      const std::string script = (*one)[2];
      // Each script writes into a folder of its name: demo_corpus.py into data/demo.
      const bool matches = std::ranges::any_of(fs::path(path).parent_path(), [&](const auto& part) {
        return !part.empty() && (part == script || script.starts_with(part.string() + "_"));
      });
      // If its folder exists, the script has been run, and the file is made in another way.
      if (!matches || fs::is_directory(fs::path(path).parent_path(), none)) continue;
      const std::string program = script + ".py";
      const fs::path beside = fs::path(file).parent_path().parent_path() / "data_scripts";
      if (!fs::exists("data_scripts/" + program, none) && fs::exists(beside / program, none))
        return "python3 " + shell_path((beside / program).string()) + (*one)[3].str().substr(3);
      return one->str();
    }
  }
  return "";
}

/// Checks that the files exist. Missing files that one command fetches are reported together.
void check_files(const std::vector<NamedFile>& files, const std::string& config, Check& found) {
  std::map<std::string, std::vector<NamedFile>> missing;  // by command
  for (const NamedFile& file : files) {
    std::error_code none;
    const bool exists = fs::exists(text::file_of_lines(file.path), none);
    const std::string command = exists ? "" : fetching_command(config, file.path);
    if (command.empty())
      found.passes([&] { text::require_text_file(file.path, file.key); });
    else
      missing[command].push_back(file);
  }
  for (const auto& [command, group] : missing) {
    std::vector<std::string> keys, paths;
    for (const NamedFile& file : group) {
      const std::string set = file.key.substr(0, file.key.rfind('.'));
      if (std::ranges::count(keys, set) == 0) keys.push_back(set);
      paths.push_back("'" + file.path + "'");
    }
    found.blame("{}: no {}{}; `{}` gets {}", join(keys, ", "),
                paths.size() == 1 ? "file " : "files ", join(paths, ", "), command,
                paths.size() == 1 ? "it" : "them");
  }
}

/// Names stand beside those of training and of data.valid in tables and pictures.
void check_more_valid(const data::DataConfig& data, Check& found) {
  std::set<std::string> names{"train", "valid"};
  for (const data::CorpusFiles& corpus : data.more_valid) {
    const std::string start =
        fmt::format("data.more_valid: {} has the name '{}'", corpus.source, one_line(corpus.name));
    if (corpus.name.empty() || corpus.name.find_first_of("/ ") != std::string::npos)
      found.blame(start + "; give it one without blanks and slashes");
    else if (!names.insert(corpus.name).second)
      found.blame(start + ", which another set has; give each its own");
  }
  if (data.valid.source.empty() && !data.more_valid.empty())
    found.blame("data.more_valid: needs data.valid, which chooses the best weights");
}

/// Whether data.max_words, data.max_length and the model leave any pair to train on. A word is one
/// piece or more, so that some of what is left here may yet be too long.
void require_short_pairs(const Config& config) {
  const data::DataConfig& data = config.data;
  const data::CorpusReading reading = training_reading(config);
  constexpr int64_t kNone = INT64_MAX, kNoLimit = kNone - 1;
  const int64_t words = data.max_words > 0 ? data.max_words : kNoLimit;
  const int64_t pieces =
      data.long_sentences == data::LongSentences::drop ? reading.max_length : kNoLimit;
  const int64_t most = std::min(words, pieces);
  int64_t fewest = kNone;
  for (const data::CorpusFiles& corpus : data.train) {
    data::PairReader reader(corpus);
    for (data::PairOfLines pair; fewest > most && reader.next(pair);)
      if (has_text(pair)) fewest = std::min(fewest, words_of(pair));
  }
  if (fewest == kNone)
    throw UserError("data.train: no pair has text on both sides; give at least one");
  if (fewest > most)
    throw UserError(
        "{}: {} leaves no training pair: each has {} words or more on a side; set it higher",
        words < pieces ? "data.max_words" : reading.limit, most, fewest);
}

}  // namespace

bool check_corpora(const Config& config, const CheckOptions& options, Check& found) {
  const data::DataConfig& data = config.data;
  if (data.train.empty() && !options.lacks_train) {
    found.blame("data.train: needed; name its source and target files");
    return false;
  }
  if (!found.passes([&] { data::require_files(data, "heed train"); })) return false;
  std::vector<NamedFile> all;
  // The numbers of pairs by files, which may be there as several corpora; nothing for those with a
  // fault.
  std::map<std::string, std::optional<Counted>> counts_of;
  Counted epoch;
  // A fault that keeps one file from being read often keeps others from it, too: too many open
  // files, a broken disk.
  const auto environment_fails = [&] { return found.environment_only && !found.faults.empty(); };
  bool readable = !data.train.empty();
  for (const auto& [key, corpus] : data::corpora_of(data)) {
    if (environment_fails()) return false;
    const auto files = files_of(key, *corpus);
    all.insert(all.end(), files.begin(), files.end());
    const bool good = std::ranges::all_of(files, can_be_read);
    const std::string names = join({corpus->source, corpus->target, corpus->alignment}, "\n");
    const bool is_new = !counts_of.contains(names);
    std::optional<Counted>& counts = counts_of[names];
    if (is_new && good)
      found.passes([&] {
        counts =
            count_pairs(*corpus, key, data::is_cut_already(data), options.header_is_told, found);
      });
    const bool trains = key.starts_with("data.train");
    if (trains) readable = readable && counts;
    if (counts && trains) {
      found.passes([&] { require_some_read(*corpus, counts->pairs, key); });
      epoch.pairs += data::pairs_in_epoch(counts->pairs, corpus->weight);
      epoch.target_pieces +=
          std::llround(static_cast<double>(counts->target_pieces) * corpus->weight);
    } else if (counts && key != "data.test") {
      found.passes([&] { check_held_out(*corpus, key, validation_reading(config), found); });
    }
  }
  if (readable && options.systems.empty()) tell_end(config.training, epoch, found);
  check_files(all, options.file, found);
  check_more_valid(data, found);
  if (readable && !environment_fails()) found.passes([&] { require_short_pairs(config); });
  return readable;
}

}  // namespace heed::run
