#include "text/vocabulary_training.h"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/strings.h"
#include "base/subprocess.h"
#include "text/bpe_codes.h"
#include "text/lines.h"
#include "text/normal_form.h"
#include "text/training_text.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace heed::text {
namespace {

/// The rules of NFC as a file, because SentencePiece reads them from a path.
MemoryFile file_of_rules() {
  try {
    return MemoryFile("heed-rules", nfc_rules());
  } catch (const std::system_error&) {
    throw Failure("vocabulary: no memory for the rules of normalisation");
  }
}

std::unordered_map<std::string, std::string> settings_of(const VocabularyTraining& options,
                                                         bool up_to) {
  return {
      {"model_type", options.algorithm},
      {"vocab_size", std::to_string(options.size)},
      {"character_coverage", fixed(options.coverage, 6)},
      {"pad_id", std::to_string(kPad)},
      {"unk_id", std::to_string(kUnknown)},
      {"bos_id", std::to_string(kBegin)},
      {"eos_id", std::to_string(kEnd)},
      {"unk_surface", "\xE2\x81\x87"},
      // By default no character is replaced by another: a Chinese comma stays one, and so does an
      // ellipsis. SentencePiece has a table for NFKC; that of NFC is a file.
      {"normalization_rule_name", options.normalise == "nfkc" ? "nfkc" : "identity"},
      {"user_defined_symbols", join(options.symbols, ",")},
      {"byte_fallback", options.byte_fallback ? "true" : "false"},
      {"hard_vocab_limit", up_to ? "false" : "true"},
      {"input_sentence_size", "0"},
      {"max_sentence_length", "1073741824"},
      // Sums of floats depend on how the work is split, so the split must not depend on the
      // machine.
      {"num_threads", "8"},
      {"minloglevel", "3"},
  };
}

/// The number that follows `marker` in SentencePiece's message, or "".
std::string number_after(const std::string& message, const std::string& marker) {
  std::size_t at = message.find(marker);
  if (at == std::string::npos) return "";
  std::string digits;
  for (at += marker.size(); at < message.size() && std::isdigit(message[at]); ++at)
    digits += message[at];
  return digits;
}

/// The cure in messages where SentencePiece cannot train on a text.
constexpr const char* kCure = "leave out lines that are no sentences, or give less text";

[[noreturn]] void explain(const VocabularyTraining& options, const std::string& message) {
  const std::string text = names_of(options.files), size = std::to_string(options.size);
  if (const auto most = number_after(message, "set it to a value <= "); !most.empty()) {
    const int64_t possible = std::stoll(most);
    const std::string cure =
        possible < options.fewest
            ? fmt::format(" pieces; it gives {}, and {} are the fewest: add text", most,
                          options.fewest)
            : fmt::format(" pieces; set {}size to at most {}", options.keys, most);
    throw TooLittleText(text + ": too little text for " + size + cure, possible);
  }
  if (const auto least = number_after(message, size + " vs "); !least.empty())
    throw UserError(
        "{}: {} pieces are too few for all its characters; set {}size to at least {}, or "
        "{}coverage below {}",
        text, size, options.keys, least, options.keys, fixed(options.coverage, 4));
  throw Failure(text + ": SentencePiece cannot train: " + message);
}

/// The outcome of a training. The value is the first byte that its process sends to heed.
enum class TrainingOutcome : char { model = 'm', refusal = 'r', mistake = 'u', failure = 'f' };

std::string message_of(TrainingOutcome outcome, const std::string& text, const CutRuns& cut = {}) {
  return static_cast<char>(outcome) + std::to_string(cut.lines) + '\0' + cut.first + '\0' + text;
}

/// Trains the model, in a process of its own, and returns the outcome as text for heed's process.
std::string train_and_report(const VocabularyTraining& options, bool up_to,
                             TrainingSentences& sentences) {
  try {
    std::string model;
    auto settings = settings_of(options, up_to);
    std::optional<MemoryFile> rules;
    if (options.normalise == "nfc") {
      rules.emplace(file_of_rules());
      settings["normalization_rule_tsv"] = rules->path();
    }
    const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &sentences, &model);
    sentences.rethrow();
    if (status.ok()) return message_of(TrainingOutcome::model, model, sentences.cut());
    return message_of(TrainingOutcome::refusal, status.message());
  } catch (const UserError& error) {
    return message_of(TrainingOutcome::mistake, error.what());
  } catch (const std::bad_alloc&) {
    return message_of(TrainingOutcome::failure,
                      names_of(options.files) + ": out of memory; " + kCure);
  } catch (const std::exception& error) {
    return message_of(TrainingOutcome::failure, error.what());
  }
}

/// Throws where the process has ended without an outcome.
[[noreturn]] void explain_end(const VocabularyTraining& options, const subprocess::Result& ended) {
  if (signals::is_request(ended.status)) throw Failure("interrupted");
  const std::string said = ended.err.substr(0, ended.err.find('\n'));
  throw Failure("{}: SentencePiece cannot train: it {}{}{}; {}", names_of(options.files),
                subprocess::how_it_ended(ended.status),
                ended.status == 128 + SIGKILL ? ", perhaps because memory ran out" : "",
                said.empty() ? "" : ": " + one_line(said, 200), kCure);
}

/// The reason why a text cannot be a symbol, because SentencePiece would take it apart, or has it
/// already; "" where it can.
std::string fault_of(const std::string& symbol) {
  if (symbol.empty()) return "is empty";
  if (!is_utf8(symbol)) return "is not UTF-8";
  const std::string folded = fold_spaces(symbol);
  if (folded.find_first_of(" ,\"") != std::string::npos ||
      symbol.find("\xE2\x96\x81") != std::string::npos)
    return "has a blank, a comma, a quotation mark or U+2581 in it";
  for (const char* special : kSpecialPieces)
    if (symbol == special) return "is a special piece of every vocabulary";
  return "";
}

constexpr const char* kPieces = "pieces";

/// Calls use(line) for each line of the files, or for the columns of theirs that are read.
void each_training_line(const std::vector<TextFile>& files,
                        const std::function<void(std::string_view)>& use) {
  for (const TextFile& file : files) {
    LineReader reader(file.path);
    for (std::string line; reader.next(line);) {
      if (file.column == TsvColumn::whole) {
        use(line);
        continue;
      }
      const Columns columns = columns_of(line, reader);
      if (file.column != TsvColumn::target) use(columns.source);
      if (file.column != TsvColumn::source) use(columns.target);
    }
    require_utf8(reader);
  }
}

/// The pieces of the text that another program has cut, or that codes cut, most frequent first.
Vocabulary vocabulary_of_pieces(const VocabularyTraining& options) {
  std::unordered_map<std::string, int64_t> words, counts;
  each_training_line(options.files, [&](std::string_view line) {
    for (std::string& word : split_words(line)) ++words[std::move(word)];
  });
  if (words.empty())
    throw UserError(names_of(options.files) + ": no text to train a vocabulary on");
  if (options.rule.codes.empty()) {
    counts = std::move(words);
  } else {
    const BpeCodes codes(options.rule.codes, options.keys + "codes");
    for (const auto& [word, count] : words) {
      const std::vector<std::string> pieces = codes.cut(word);
      for (std::size_t i = 0; i < pieces.size(); ++i)
        counts[i + 1 < pieces.size() ? pieces[i] + options.rule.separator : pieces[i]] += count;
    }
  }
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> pieces;
  for (const auto& [piece, count] : sorted)
    if (piece.find('\0') == std::string::npos) pieces.push_back(piece);
  const auto reserved = static_cast<std::size_t>(4 + std::ssize(options.symbols)),
             size = static_cast<std::size_t>(options.size);
  if (size <= reserved)
    throw UserError("{}size: {} pieces are too few for {} symbols and 4 special pieces",
                    options.keys, size, options.symbols.size());
  if (pieces.size() > size - reserved) pieces.resize(size - reserved);
  return Vocabulary::from_model(model_of_pieces(pieces, options.symbols, options.rule),
                                "the vocabulary just made");
}

/// Throws UserError for what only SentencePiece can do, or only pieces have.
void check_pieces(const VocabularyTraining& options) {
  const bool cut = options.algorithm == kPieces;
  if (!cut) {
    if (options.rule.codes.empty() && !options.rule.split_unknown &&
        options.rule.separator == kUsualSeparator)
      return;
    throw UserError("{}codes, separator and split_unknown are for {}algorithm: pieces, not {}",
                    options.keys, options.keys, options.algorithm);
  }
  const std::pair<const char*, bool> others[] = {{"coverage", options.coverage != 1},
                                                 {"normalise", options.normalise != "none"},
                                                 {"byte_fallback", options.byte_fallback}};
  for (const auto& [key, is_set] : others)
    if (is_set)
      throw UserError(
          "{}{} is for SentencePiece, and {}algorithm is pieces; the program that cuts the text "
          "decides it",
          options.keys, key, options.keys);
  if (options.upper > 0)
    throw UserError(
        "data.noise.upper: pieces of words in capitals are unknown with {}algorithm: pieces; set "
        "it to 0",
        options.keys);
  check_rule(options.rule, options.keys);
}

/// Whether the text may have too little in it for `size` pieces, or too many characters. Where the
/// text has several times as many different words as pieces, SentencePiece finds these easily.
bool is_in_doubt(const VocabularyTraining& options, CutRuns& cut) {
  constexpr std::size_t kWordsForAPiece = 3, kBytes = 256;
  const auto size = static_cast<std::size_t>(options.size);
  const std::size_t enough = kWordsForAPiece * size;
  std::unordered_set<std::size_t> words;
  std::vector<bool> seen(0x110000);
  std::size_t characters = 0;
  TrainingSentences sentences(options);
  for (; !sentences.done(); sentences.Next()) {
    if (words.size() < enough)
      for (const std::string& word : split(sentences.value(), ' '))
        words.insert(std::hash<std::string>{}(word));
    each_code_point(sentences.value(), [&](const CodePoint& character, std::string_view) {
      characters += !seen[character.value];
      seen[character.value] = true;
    });
  }
  sentences.rethrow();
  cut = sentences.cut();
  const std::size_t reserved = 4 + options.symbols.size() + (options.byte_fallback ? kBytes : 0);
  return words.size() < enough || characters + reserved >= size;
}

}  // namespace

std::string names_of(const std::vector<TextFile>& files) {
  std::vector<std::string> names;
  for (const TextFile& file : files) names.push_back(file.path);
  return join(names, ", ");
}

void check_symbols(const std::vector<std::string>& symbols, const std::string& key) {
  std::set<std::string> seen;
  for (const std::string& symbol : symbols) {
    std::string fault = fault_of(symbol);
    if (fault.empty() && !seen.insert(symbol).second) fault = "is given twice";
    if (!fault.empty()) throw UserError("{}: the symbol '{}' {}", key, symbol, fault);
  }
}

void check(const VocabularyTraining& options) {
  if (options.files.empty()) throw UserError("a vocabulary needs at least one file of text");
  if (options.algorithm != "unigram" && options.algorithm != "bpe" && options.algorithm != kPieces)
    throw UserError("{}algorithm is unigram, bpe or pieces, not '{}'", options.keys,
                    options.algorithm);
  if (options.normalise != "none" && options.normalise != "nfc" && options.normalise != "nfkc")
    throw UserError("{}normalise is none, nfc or nfkc, not '{}'", options.keys, options.normalise);
  if (options.coverage < kLeastCoverage || options.coverage > 1)
    throw UserError("{}coverage must be between {} and 1, got {}", options.keys,
                    fixed(kLeastCoverage, 2), fixed(options.coverage, 4));
  if (options.size < options.fewest)
    throw UserError("{}size must be at least {}", options.keys, options.fewest);
  check_symbols(options.symbols, options.keys + "symbols");
  check_pieces(options);
}

TrainedModel train_model(const VocabularyTraining& options, bool up_to,
                         const Normalise& normalise) {
  TrainingSentences sentences(options, normalise);
  sentences.rethrow();
  if (sentences.done())
    throw UserError(names_of(options.files) + ": no text to train a vocabulary on");
  const subprocess::Result ended =
      subprocess::run_in_copy([&] { return train_and_report(options, up_to, sentences); });
  if (ended.status != 0) explain_end(options, ended);
  const std::size_t first = ended.out.find('\0'), text = ended.out.find('\0', first + 1);
  expect(text != std::string::npos, "the training of a vocabulary tells its outcome");
  TrainedModel model{.bytes = ended.out.substr(text + 1),
                     .cut = {.lines = std::stoll(ended.out.substr(1, first - 1)),
                             .first = ended.out.substr(first + 1, text - first - 1)}};
  switch (TrainingOutcome{ended.out.front()}) {
    case TrainingOutcome::model:
      return model;
    case TrainingOutcome::refusal:
      explain(options, model.bytes);
    case TrainingOutcome::mistake:
      throw UserError(model.bytes);
    case TrainingOutcome::failure:
      break;
  }
  throw Failure(model.bytes);
}

std::string CutRuns::text() const {
  if (lines == 0) return "";
  return fmt::format(
      "{}: a run of more than {} characters without a blank, as in {}; such runs are cut for the "
      "training of the vocabulary",
      first, with_commas(kLongestRun), counted(lines, "line"));
}

void warn_of(const CutRuns& cut) {
  if (cut.lines > 0) log::warn(cut.text());
}

Vocabulary train_vocabulary(const VocabularyTraining& options) {
  check(options);
  if (options.algorithm == kPieces) return vocabulary_of_pieces(options);
  const TrainedModel model = train_model(options);
  warn_of(model.cut);
  return Vocabulary::from_model(model.bytes, "the vocabulary just trained");
}

Reachable require_reachable(const VocabularyTraining& options) {
  check(options);
  Reachable found;
  if (options.algorithm == kPieces || !is_in_doubt(options, found.cut)) return found;
  const TrainedModel model = train_model(options);
  return {.cut = model.cut, .model = model.bytes};
}

}  // namespace heed::text
