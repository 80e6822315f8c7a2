#include "apps/shared/run_check.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <utility>

#include "apps/shared/base_model.h"
#include "apps/shared/model_folder.h"
#include "apps/shared/pairs.h"
#include "apps/shared/run_config.h"
#include "apps/shared/run_memory.h"
#include "apps/shared/together.h"
#include "apps/shared/training_run.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/strings.h"
#include "data/pair_reader.h"
#include "model/device.h"
#include "score/sacrebleu.h"
#include "text/lines.h"
#include "text/spool.h"
#include "text/utf8.h"
#include "text/vocabulary_size.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

/// Runs a check that throws; a failure of the environment (a missing program) is a fault, too.
template <class Check>
bool passes(RunCheck& found, const Check& check) {
  try {
    check();
    return true;
  } catch (const UserError& error) {
    found.blame(error.what());
  } catch (const Failure& error) {
    found.faults.emplace_back(error.what());
  }
  return false;
}

// --- corpora

struct NamedFile {
  std::string key, path;
};

std::vector<NamedFile> files_of(const std::string& key, const data::CorpusFiles& corpus) {
  std::vector<NamedFile> files{{key + ".source", corpus.source}};
  if (!corpus.target.empty()) files.push_back({key + ".target", corpus.target});
  if (!corpus.alignment.empty()) files.push_back({key + ".alignment", corpus.alignment});
  std::erase_if(files, [](const NamedFile& file) { return text::is_stream(file.path); });
  return files;
}

bool can_be_read(const NamedFile& file) {
  try {
    require_file(file.path, file.key);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

void require_lines_of(const data::CorpusFiles& corpus, const std::string& key) {
  const auto read_all = [&] {
    data::PairReader reader(corpus, /*aligned=*/true);
    for (data::PairOfLines pair; reader.next(pair);) {
    }
  };
  if (corpus.target.empty()) return read_all();
  const int64_t lines = text::count_lines(corpus.source);
  require_equal_lines(corpus.source, lines, corpus.target, text::count_lines(corpus.target));
  if (lines == 0)
    throw UserError(key + ": " + corpus.source + " and " + corpus.target +
                    " have no lines; give at least one pair");
  if (!corpus.alignment.empty()) read_all();
}

/// Those that are missing are told together where one command fetches them.
void check_files(const std::vector<NamedFile>& files, const std::string& config, RunCheck& found) {
  std::map<std::string, std::vector<NamedFile>> missing;  // by command
  for (const NamedFile& file : files) {
    std::error_code none;
    const bool exists = fs::exists(file.path, none);
    const std::string command = exists ? "" : fetching_command(config, file.path);
    if (command.empty())
      passes(found, [&] { require_file(file.path, file.key); });
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
    found.blame(join(keys, ", ") + ": no " + (paths.size() == 1 ? "file " : "files ") +
                join(paths, ", ") + "; `" + command + "` gets " +
                (paths.size() == 1 ? "it" : "them"));
  }
}

/// Names stand beside those of training and of data.valid in tables and pictures.
void check_more_valid(const data::DataConfig& data, RunCheck& found) {
  std::set<std::string> names{"train", "valid"};
  for (const data::CorpusFiles& corpus : data.more_valid) {
    const std::string start =
        "data.more_valid: " + corpus.source + " has the name '" + one_line(corpus.name) + "'";
    if (corpus.name.empty() || corpus.name.find_first_of("/ ") != std::string::npos)
      found.blame(start + "; give it one without blanks and slashes");
    else if (!names.insert(corpus.name).second)
      found.blame(start + ", which another set has; give each its own");
  }
  if (data.valid.source.empty() && !data.more_valid.empty())
    found.blame("data.more_valid: needs data.valid, which chooses the best weights");
}

/// Whether data.max_words and data.max_length leave any pair to train on. A word is one piece or
/// more, so that some of what is left here may yet be too long.
void require_short_pairs(const data::DataConfig& data) {
  const int64_t words = data.max_words > 0 ? data.max_words : INT64_MAX;
  const int64_t pieces =
      data.long_sentences == data::LongSentences::drop ? data.max_length : INT64_MAX;
  const int64_t most = std::min(words, pieces);
  int64_t fewest = INT64_MAX;
  for (const data::CorpusFiles& corpus : data.train) {
    data::PairReader reader(corpus);
    for (data::PairOfLines pair; fewest > most && reader.next(pair);)
      if (!text::is_blank(pair.source) && !text::is_blank(pair.target))
        fewest = std::min(fewest,
                          std::max(text::count_words(pair.source), text::count_words(pair.target)));
  }
  if (fewest > most && fewest < INT64_MAX)
    throw UserError(std::string(words < pieces ? "data.max_words" : "data.max_length") + ": " +
                    std::to_string(most) + " leaves no training pair: each has " +
                    std::to_string(fewest) + " words or more on a side; set it higher");
}

/// Whether all training corpora can be read.
bool check_corpora(const Config& config, const std::string& file, RunCheck& found) {
  const data::DataConfig& data = config.data;
  if (data.train.empty()) {
    found.blame("data.train: needed; name its source and target files");
    return false;
  }
  std::vector<NamedFile> all;
  std::map<std::string, bool> sound;  // by files, which may be there as several corpora
  bool readable = true;
  for (const auto& [key, corpus] : data::corpora_of(data)) {
    const auto files = files_of(key, *corpus);
    all.insert(all.end(), files.begin(), files.end());
    const bool streams = files.size() != 1U + !corpus->target.empty() + !corpus->alignment.empty();
    bool good = !streams && std::ranges::all_of(files, can_be_read);
    if (streams) found.notes.push_back(key + ": a stream, which only `heed train` reads");
    const std::string names = join({corpus->source, corpus->target, corpus->alignment}, "\n");
    const auto [before, is_new] = sound.try_emplace(names, false);
    if (is_new && good) before->second = passes(found, [&] { require_lines_of(*corpus, key); });
    good = before->second;
    if (key.starts_with("data.train")) readable = readable && good;
  }
  check_files(all, file, found);
  check_more_valid(data, found);
  if (readable) passes(found, [&] { require_short_pairs(data); });
  return readable;
}

// --- vocabulary, model, scorer

/// Sizes of the vocabularies that the run will have; nothing where there is a fault.
std::optional<model::VocabularySizes> check_vocabulary(const Config& config, bool corpora,
                                                       RunCheck& found) {
  const data::VocabularyConfig& wanted = config.data.vocabulary;
  const bool joint = is_joint(config);
  if (!config.training.from.empty()) {
    std::optional<model::VocabularySizes> sizes;
    passes(found, [&] { sizes = vocabularies_from_base(config).sizes(); });
    return sizes;
  }
  bool good = true;
  const auto one = [&](const std::string& key, const std::string& ready, bool sources,
                       bool targets) {
    int64_t size = wanted.size;
    good &= passes(found, [&] {
      const auto training = vocabulary_training(config, sources, targets);
      if (ready.empty()) {
        if (corpora) text::require_reachable(training);
        return;
      }
      require_file(ready, key);
      const auto vocabulary = text::Vocabulary::load(ready);
      vocabulary.require_symbols(training.symbols, ready);
      size = vocabulary.size();
    });
    return size;
  };
  model::VocabularySizes sizes;
  sizes.source = one("data.vocabulary.source", wanted.source, true, joint);
  sizes.target = joint ? sizes.source : one("data.vocabulary.target", wanted.target, false, true);
  return good ? std::optional(sizes) : std::nullopt;
}

void check_base_network(const Config& config, const CheckWish& wish, RunCheck& found) {
  if (wish.systems.empty()) passes(found, [&] { require_base_network(config); });
  for (const auto& [name, system] : wish.systems)
    passes(found, [&] { require_base_network(system, name + ": "); });
}

bool scores_with_sacrebleu(const Config& config) {
  return !config.data.valid.source.empty() &&
         (config.training.validate_bleu ||
          config.training.early_stopping.metric == train::StopMetric::chrf);
}

/// One that is missing, or that refuses what `evaluation` asks for, is known now rather than after
/// an hour. One that fails may be mended by then.
void check_scorer(const Config& config, RunCheck& found) {
  if (!scores_with_sacrebleu(config) && config.data.test.source.empty()) return;
  if (!passes(found, [] { score::find_sacrebleu(); })) return;
  try {
    score::check_evaluation(config.evaluation);
  } catch (const UserError& error) {
    found.blame(error.what());
  } catch (const Failure& failure) {
    found.doubts.push_back(std::string("scores may be missing: ") + failure.what());
  }
}

// --- device and memory

void check_memory(const Config& config, const std::string& name,
                  const model::VocabularySizes& sizes, const CheckWish& wish, RunCheck& found) {
  const bool cpu = config.device == "cpu" || (config.device == "auto" && !model::auto_means_gpu());
  RunMemory memory;
  if (!passes(found, [&] {
        memory = memory_of(config, {.source = sizes.source,
                                    .target = sizes.target,
                                    .cpu = cpu,
                                    .threads = threads_of_rank(config.threads, wish.ranks),
                                    .ranks = wish.ranks});
      }))
    return;
  found.notes.push_back(name + memory.text() + (wish.ranks > 1 ? ", in each rank" : ""));
  std::optional<int64_t> available = available_memory();
  if (!cpu) {
    if (!wish.own_device) return;
    available = free_memory_of_gpu();
  }
  if (!available) return;
  const int64_t here = cpu ? wish.ranks : 1;
  const auto bytes = [&](int64_t count) { return human_bytes(static_cast<uint64_t>(count)); };
  const std::string free = ", and " + bytes(*available) + " are free";
  if (here * memory.model() > *available)
    found.blame(name + "memory: weights, gradients and optimizer need " +
                bytes(here * memory.model()) + free + "; set a smaller " +
                (config.model.type == model::ModelType::rnn ? "model.hidden_size" : "model.width") +
                " or data.vocabulary.size" + (here > 1 ? ", or start fewer ranks" : ""));
  else if (here * memory.total() > *available)
    found.doubts.push_back(name + "memory: a batch may need about " + bytes(here * memory.batch) +
                           ", weights, gradients and optimizer " + bytes(here * memory.model()) +
                           free +
                           "; a smaller training.batch_size with a larger accumulate needs "
                           "less");
}

void check_device(const Config& config, const CheckWish& wish, RunCheck& found) {
  // A GPU is left to those who use it, but one that is not there says so at once.
  const bool gpu = config.device != "cpu" && model::auto_means_gpu();
  if (gpu && !wish.own_device) return;
  passes(found, [&] {
    model::choose_precision(config::name_of(config.precision), model::open_device(config.device));
  });
}

}  // namespace

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
      // Where its folder is there the script has been run, and the file is made in another way.
      if (!matches || fs::is_directory(fs::path(path).parent_path(), none)) continue;
      const std::string program = script + ".py";
      const fs::path beside = fs::path(file).parent_path().parent_path() / "data_scripts";
      if (!fs::exists("data_scripts/" + program, none) && fs::exists(beside / program, none))
        return "python3 " + shell_word((beside / program).string()) + (*one)[3].str().substr(3);
      return one->str();
    }
  }
  return "";
}

void RunCheck::tell() const {
  for (const std::string& note : notes) log::info(note);
  for (const std::string& doubt : doubts) log::warn(doubt);
}

void RunCheck::require(const std::string& what) const {
  if (faults.empty()) return;
  std::string text = faults.front();
  if (faults.size() > 1)
    text = what + ": " + counted(std::ssize(faults), "fault") + "\n  " + join(faults, "\n  ");
  if (of_the_world) throw Failure(text);
  throw UserError(text);
}

RunCheck check_run(const Config& config, const CheckWish& wish) {
  RunCheck found;
  const bool readable = check_corpora(config, wish.file, found);
  // Of a run that goes on nothing is made anew.
  const std::string folder = run_folder(config);
  if (wish.overwrite) passes(found, [&] { require_spared(config, paths_of_run(folder)); });
  const bool begun = wish.resume && has_begun(folder) && has_vocabularies(folder);
  bool based = true;
  if (!begun) based = passes(found, [&] { require_base(config); });
  if (!begun && based) check_base_network(config, wish, found);
  std::optional<model::VocabularySizes> sizes;
  if (begun)
    passes(found, [&] { sizes = load_vocabularies(folder, is_joint(config)).sizes(); });
  else if (wish.vocabularies != nullptr)
    sizes = wish.vocabularies->sizes();
  else if (based)
    sizes = check_vocabulary(config, readable, found);
  check_scorer(config, found);
  const std::size_t before = found.faults.size();
  check_device(config, wish, found);
  if (!sizes || found.faults.size() > before) return found;
  if (wish.systems.empty()) check_memory(config, "", *sizes, wish, found);
  for (const auto& [name, system] : wish.systems)
    check_memory(system, name + ": ", *sizes, wish, found);
  return found;
}

}  // namespace heed
