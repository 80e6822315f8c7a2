// Vocabulary::train: SentencePiece's trainer, fed line by line.
#include <sentencepiece_trainer.h>

#include <cctype>
#include <exception>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "base/strings.h"
#include "text/lines.h"
#include "text/vocabulary.h"

namespace heed::text {
namespace {

/// All lines of all files that are not blank, with spaces folded as encode() folds them.
class Sentences : public sentencepiece::SentenceIterator {
 public:
  explicit Sentences(const std::vector<std::string>& files) : files_(files) { Next(); }

  bool done() const override { return done_; }
  const std::string& value() const override { return line_; }

  void Next() override {
    try {
      done_ = !advance();
    } catch (...) {
      // Kept to be thrown once SentencePiece is no longer on the stack.
      error_ = std::current_exception();
      done_ = true;
    }
  }

  sentencepiece::util::Status status() const override {
    if (!error_) return {};
    return {sentencepiece::util::StatusCode::kAborted, "reading fails"};
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  bool advance() {
    for (;;) {
      if (!reader_) {
        if (file_ == files_.size()) return false;
        reader_.emplace(files_[file_++]);
      }
      while (reader_->next(line_)) {
        line_ = fold_spaces(line_);
        if (!is_blank(line_)) return true;
      }
      require_utf8(*reader_);
      reader_.reset();
    }
  }

  const std::vector<std::string>& files_;
  std::size_t file_ = 0;
  std::optional<LineReader> reader_;
  std::string line_;
  bool done_ = false;
  std::exception_ptr error_;
};

std::unordered_map<std::string, std::string> settings_of(const VocabularyTraining& options) {
  return {
      {"model_type", options.algorithm},
      {"vocab_size", std::to_string(options.size)},
      {"character_coverage", fixed(options.coverage, 6)},
      {"pad_id", std::to_string(kPad)},
      {"unk_id", std::to_string(kUnknown)},
      {"bos_id", std::to_string(kBegin)},
      {"eos_id", std::to_string(kEnd)},
      {"unk_surface", "\xE2\x81\x87"},
      // No character is replaced by another: a Chinese comma stays one, and so does an ellipsis.
      {"normalization_rule_name", "identity"},
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
  const std::string text = join(options.files, ", "), size = std::to_string(options.size);
  if (const auto most = number_after(message, "set it to a value <= "); !most.empty())
    throw UserError(text + ": too little text for " + size + " pieces; set " + options.keys +
                    "size to at most " + most);
  if (const auto least = number_after(message, size + " vs "); !least.empty())
    throw UserError(text + ": " + size + " pieces are too few for all its characters; set " +
                    options.keys + "size to at least " + least + ", or " + options.keys +
                    "coverage below " + fixed(options.coverage, 4));
  throw Failure(text + ": SentencePiece cannot train: " + message);
}

}  // namespace

Vocabulary Vocabulary::train(const VocabularyTraining& options) {
  if (options.files.empty()) throw UserError("a vocabulary needs at least one file of text");
  if (options.algorithm != "unigram" && options.algorithm != "bpe")
    throw UserError(options.keys + "algorithm is unigram or bpe, not '" + options.algorithm + "'");
  if (options.coverage < kLeastCoverage || options.coverage > 1)
    throw UserError(options.keys + "coverage must be between " + fixed(kLeastCoverage, 2) +
                    " and 1, got " + fixed(options.coverage, 4));
  if (options.size < 5) throw UserError(options.keys + "size must be at least 5");
  Sentences sentences(options.files);
  sentences.rethrow();
  if (sentences.done())
    throw UserError(join(options.files, ", ") + ": no text to train a vocabulary on");
  std::string model;
  const auto status =
      sentencepiece::SentencePieceTrainer::Train(settings_of(options), &sentences, &model);
  sentences.rethrow();
  if (!status.ok()) explain(options, status.message());
  return from_model(std::move(model), "the vocabulary just trained");
}

}  // namespace heed::text
