// Vocabulary::train: SentencePiece's trainer, fed line by line.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "base/strings.h"
#include "text/normal_form.h"
#include "text/training_text.h"

namespace heed::text {
namespace {

/// A file in memory that SentencePiece reads by its path.
class RulesFile {
 public:
  explicit RulesFile(const std::string& rules)
      : descriptor_(::memfd_create("heed-rules", MFD_CLOEXEC)) {
    const auto size = static_cast<ssize_t>(rules.size());
    if (descriptor_ < 0 || ::write(descriptor_, rules.data(), rules.size()) != size)
      throw Failure("vocabulary: no memory for the rules of normalisation");
  }
  ~RulesFile() { ::close(descriptor_); }
  RulesFile(const RulesFile&) = delete;
  RulesFile& operator=(const RulesFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

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

[[noreturn]] void explain(const VocabularyTraining& options, const std::string& message) {
  const std::string text = names_of(options.files), size = std::to_string(options.size);
  if (const auto most = number_after(message, "set it to a value <= "); !most.empty()) {
    const int64_t possible = std::stoll(most);
    const std::string cure = possible < options.fewest
                                 ? "it gives " + most + ", and " + std::to_string(options.fewest) +
                                       " are the fewest: add text"
                                 : "set " + options.keys + "size to at most " + most;
    throw TooLittleText(text + ": too little text for " + size + " pieces; " + cure, possible);
  }
  if (const auto least = number_after(message, size + " vs "); !least.empty())
    throw UserError(text + ": " + size + " pieces are too few for all its characters; set " +
                    options.keys + "size to at least " + least + ", or " + options.keys +
                    "coverage below " + fixed(options.coverage, 4));
  throw Failure(text + ": SentencePiece cannot train: " + message);
}

/// What SentencePiece would take apart, or has already.
std::string fault_of(const std::string& symbol) {
  if (symbol.empty()) return "is empty";
  if (!is_utf8(symbol)) return "is not UTF-8";
  const std::string folded = fold_spaces(symbol);
  if (folded.find_first_of(" ,\"") != std::string::npos ||
      symbol.find("\xE2\x96\x81") != std::string::npos)
    return "has a blank, a comma, a quotation mark or U+2581 in it";
  for (const char* special : {"<pad>", "<unk>", "<s>", "</s>"})
    if (symbol == special) return "is a special piece of every vocabulary";
  return "";
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
    if (!fault.empty()) throw UserError(key + ": the symbol '" + symbol + "' " + fault);
  }
}

void check(const VocabularyTraining& options) {
  if (options.files.empty()) throw UserError("a vocabulary needs at least one file of text");
  if (options.algorithm != "unigram" && options.algorithm != "bpe")
    throw UserError(options.keys + "algorithm is unigram or bpe, not '" + options.algorithm + "'");
  if (options.normalise != "none" && options.normalise != "nfc" && options.normalise != "nfkc")
    throw UserError(options.keys + "normalise is none, nfc or nfkc, not '" + options.normalise +
                    "'");
  if (options.coverage < kLeastCoverage || options.coverage > 1)
    throw UserError(options.keys + "coverage must be between " + fixed(kLeastCoverage, 2) +
                    " and 1, got " + fixed(options.coverage, 4));
  if (options.size < options.fewest)
    throw UserError(options.keys + "size must be at least " + std::to_string(options.fewest));
  check_symbols(options.symbols, options.keys + "symbols");
}

std::string train_model(const VocabularyTraining& options, bool up_to, const Normalise& normalise) {
  Sentences sentences(options.files, normalise);
  sentences.rethrow();
  if (sentences.done())
    throw UserError(names_of(options.files) + ": no text to train a vocabulary on");
  std::string model;
  auto settings = settings_of(options, up_to);
  std::optional<RulesFile> rules;
  if (options.normalise == "nfc") {
    rules.emplace(nfc_rules());
    settings["normalization_rule_tsv"] = rules->path();
  }
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &sentences, &model);
  sentences.rethrow();
  if (!status.ok()) explain(options, status.message());
  return model;
}

Vocabulary Vocabulary::train(const VocabularyTraining& options) {
  check(options);
  return from_model(train_model(options), "the vocabulary just trained");
}

}  // namespace heed::text
