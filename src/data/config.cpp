#include "data/config.h"

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "config/schema.h"
#include "data/stages.h"
#include "data/terms.h"
#include "text/lines.h"
#include "text/tmx_lines.h"
#include "text/tsv.h"

namespace heed::data {
namespace {

void check_pair(const CorpusFiles& files, const std::string& path, bool may_be_absent) {
  if (may_be_absent && files.source.empty() && files.target.empty()) return;
  if (files.source.empty()) throw config::ConfigError(path + ".source: no file is given");
  if (files.target.empty()) {
    if (text::has_tsv_name(files.source) || text::is_stream(files.source)) return;
    if (text::has_tmx_name(files.source) || text::tmx_side(files.source))
      throw config::ConfigError(
          "{0}: a translation memory has a side for each of its languages; name both, source: "
          "{1}#de and target: {1}#en for German and English",
          path, text::file_of_lines(files.source));
    throw config::ConfigError(path + ".target: no file is given; only a .tsv file has both sides");
  }
  if (files.source == files.target)
    throw config::ConfigError("{}: source and target are the same file, '{}'", path, files.source);
  if (const auto flaw = text::tsv_flaw(files.source, files.target))
    throw config::ConfigError("{}: {}, or give it alone", path, *flaw);
}

void check_symbols(const std::vector<std::string>& symbols, const std::string& key) {
  try {
    text::check_symbols(symbols, key);
  } catch (const UserError& error) {
    throw config::ConfigError(error.what());
  }
}

/// The rules for text that another program cuts.
void check_pieces(const DataConfig& config) {
  const VocabularyConfig& vocabulary = config.vocabulary;
  const VocabularyConfig usual;
  if (vocabulary.algorithm != VocabularyAlgorithm::pieces) {
    const char* key = !vocabulary.codes.empty()                 ? "vocabulary.codes"
                      : vocabulary.separator != usual.separator ? "vocabulary.separator"
                      : vocabulary.split_unknown                ? "vocabulary.split_unknown"
                      : config.pieces                           ? "pieces"
                                                                : nullptr;
    if (key != nullptr)
      throw config::ConfigError(
          "data.{}: is for data.vocabulary.algorithm: pieces; set that, or leave it out", key);
    return;
  }
  const char* of_sentencepiece = vocabulary.coverage != usual.coverage     ? "coverage"
                                 : vocabulary.normalise != usual.normalise ? "normalise"
                                 : vocabulary.byte_fallback                ? "byte_fallback"
                                                                           : nullptr;
  if (of_sentencepiece != nullptr)
    throw config::ConfigError(
        "data.vocabulary.{}: is for SentencePiece, and data.vocabulary.algorithm is pieces: the "
        "program that cuts the text decides it; leave it out",
        of_sentencepiece);
  const std::size_t most = vocabulary.kind == VocabularyKind::joint ? 1 : 2;
  if (vocabulary.codes.size() > most)
    throw config::ConfigError("data.vocabulary.codes: {} files; with kind: {} there are at most {}",
                              vocabulary.codes.size(), config::name_of(vocabulary.kind), most);
  if (vocabulary.split_unknown && vocabulary.codes.empty())
    throw config::ConfigError(
        "data.vocabulary.split_unknown: pieces are taken apart by their merges; name "
        "data.vocabulary.codes, too");
  if (has_alignment(config) && lines_are_pieces_of_words(config))
    throw config::ConfigError(
        "data.train.alignment: counts words, and lines are pieces of words; name "
        "data.vocabulary.codes, or set data.pieces: true, by which each piece is a word");
  if (config.subword_sampling > 0)
    throw config::ConfigError(
        "data.subword_sampling: the program that cuts the text decides the pieces "
        "(data.vocabulary.algorithm: pieces); set it to 0");
  const NoiseConfig& noise = config.noise;
  if (noise.upper + noise.title + noise.typos + noise.merged + noise.split + noise.punctuation > 0)
    throw config::ConfigError(
        "data.noise: changes words, and the text is pieces (data.vocabulary.algorithm: pieces); "
        "leave it out");
  if (config.terms > 0)
    throw config::ConfigError(
        "data.terms: changes words, and the text is pieces (data.vocabulary.algorithm: pieces); "
        "set it to 0");
}

/// The corpora of a section with their keys. Files and Config are both const, or neither.
template <class Files, class Config>
std::vector<std::pair<std::string, Files*>> named_corpora(Config& config) {
  std::vector<std::pair<std::string, Files*>> corpora;
  const auto add = [&](const std::string& key, Files& files) {
    if (!files.source.empty() || !files.target.empty()) corpora.emplace_back(key, &files);
  };
  for (std::size_t i = 0; i < config.train.size(); ++i) add(train_key(config, i), config.train[i]);
  add("data.valid", config.valid);
  for (std::size_t i = 0; i < config.more_valid.size(); ++i)
    add("data.more_valid." + std::to_string(i), config.more_valid[i]);
  add("data.test", config.test);
  return corpora;
}

}  // namespace

std::string train_key(const DataConfig& config, std::size_t number) {
  return config.train.size() == 1 ? "data.train" : "data.train." + std::to_string(number);
}

std::vector<std::pair<std::string, CorpusFiles*>> corpora_of(DataConfig& config) {
  return named_corpora<CorpusFiles>(config);
}

std::vector<std::pair<std::string, const CorpusFiles*>> corpora_of(const DataConfig& config) {
  return named_corpora<const CorpusFiles>(config);
}

bool is_cut_already(const DataConfig& config) {
  return config.vocabulary.algorithm == VocabularyAlgorithm::pieces &&
         (config.vocabulary.codes.empty() || config.pieces);
}

bool lines_are_pieces_of_words(const DataConfig& config) {
  return is_cut_already(config) && !config.pieces;
}

bool has_alignment(const DataConfig& config) {
  return std::ranges::any_of(config.train,
                             [](const CorpusFiles& files) { return !files.alignment.empty(); });
}

std::vector<std::string> source_symbols(const DataConfig& config) {
  std::vector<std::string> symbols = config.vocabulary.symbols;
  for (const CorpusFiles& files : config.train)
    if (!files.tag.empty() && std::ranges::count(symbols, files.tag) == 0)
      symbols.push_back(files.tag);
  if (config.terms > 0)
    for (const char* symbol : {kTermBegin, kTermEnd})
      if (std::ranges::count(symbols, symbol) == 0) symbols.emplace_back(symbol);
  return symbols;
}

std::string files_text(const std::string& source, const std::string& target) {
  return target.empty() ? source : source + " + " + target;
}

void require_files(const DataConfig& config, const std::string& who) {
  for (const auto& [key, files] : corpora_of(config))
    for (const std::string& path : {files->source, files->target, files->alignment})
      if (!path.empty() && text::is_stream(path))
        throw UserError(
            "{}: '{}' can be read only once, and {} reads it several times; save it to a file", key,
            path, who);
}

void check(const DataConfig& config) {
  for (std::size_t i = 0; i < config.train.size(); ++i)
    check_pair(config.train[i], train_key(config, i), false);
  check_pair(config.valid, "data.valid", true);
  for (std::size_t i = 0; i < config.more_valid.size(); ++i)
    check_pair(config.more_valid[i], "data.more_valid." + std::to_string(i), false);
  check_pair(config.test, "data.test", true);

  for (const auto& [key, files] : corpora_of(config)) {
    const bool training = key.starts_with("data.train");
    if (!training && !files->tag.empty())
      throw config::ConfigError(key + ".tag: only training corpora have a tag");
    if (!training && !files->alignment.empty())
      throw config::ConfigError(key + ".alignment: only training corpora have an alignment");
    if (!training && files->weight != 1)
      throw config::ConfigError(key + ".weight: only training corpora have a weight");
    if (!training && !key.starts_with("data.more_valid") && !files->name.empty())
      throw config::ConfigError(key +
                                ".name: only data.train and the sets of data.more_valid have one");
    if (!files->tag.empty()) check_symbols({files->tag}, key + ".tag");
  }

  mixtures_of(config, /*batches_per_update=*/1);
  if (config.terms > 0 && !has_alignment(config))
    throw config::ConfigError(
        "data.terms: translations of words are found by a word alignment; name its file in "
        "data.train.alignment");
  const NoiseConfig& noise = config.noise;
  if (noise.upper + noise.title > 1)
    throw config::ConfigError("data.noise: upper and title are more than all pairs; lower one");
  if (noise.typos + noise.merged + noise.split > 1)
    throw config::ConfigError(
        "data.noise: typos, merged and split are more than all words; lower one");

  const VocabularyConfig& vocabulary = config.vocabulary;
  check_pieces(config);
  check_symbols(vocabulary.symbols, "data.vocabulary.symbols");
  if (vocabulary.kind == VocabularyKind::joint && !vocabulary.target.empty() &&
      vocabulary.target != vocabulary.source)
    throw config::ConfigError(
        "data.vocabulary.target: with kind: joint there is one model, vocabulary.source; leave "
        "this empty, or set "
        "kind: separate");
}

}  // namespace heed::data
