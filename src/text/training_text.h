// The text that a vocabulary is trained on, as SentencePiece's trainer reads it, and models made
// from it. Inside text/ only.
#pragma once

#include <sentencepiece_trainer.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/lines.h"
#include "text/tsv.h"
#include "text/utf8.h"
#include "text/vocabulary_training.h"

namespace heed::text {

/// A model's normalisation of a text before it looks for pieces; an empty function leaves the text
/// as it is.
using Normalise = std::function<std::string(const std::string&)>;

/// Reads all lines of all files that are not blank, with spaces folded as encode() folds them, a
/// share in capitals, and then normalised. Runs longer than kLongestRun are cut with blanks.
class TrainingSentences : public sentencepiece::SentenceIterator {
 public:
  explicit TrainingSentences(const VocabularyTraining& options, Normalise normalise = {})
      : files_(options.files), upper_(options.upper), normalise_(std::move(normalise)) {
    Next();
  }

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

  /// The cut runs in the lines so far.
  const CutRuns& cut() const { return cut_; }

 private:
  bool advance() {
    for (;;) {
      if (!reader_) {
        if (file_ == files_.size()) return false;
        reader_.emplace(files_[file_++].path);
      }
      while (next()) {
        line_ = fold_spaces(line_);
        raised_ += upper_;
        if (raised_ >= 1) {
          raised_ -= 1;
          line_ = upper_case(line_);
        }
        if (normalise_) line_ = normalise_(line_);
        blank_out_reserved();
        cut_runs();
        if (!is_blank(line_)) return true;
      }
      require_utf8(*reader_);
      reader_.reset();
    }
  }

  /// SentencePiece marks word boundaries of its own with U+2585, and leaves out lines that have it.
  void blank_out_reserved() {
    constexpr std::string_view kReserved = "\u2585";
    for (std::size_t at = 0; (at = line_.find(kReserved, at)) != std::string::npos;)
      line_.replace(at, kReserved.size(), " ");
  }

  void cut_runs() {
    if (std::ssize(line_) <= kLongestRun) return;
    std::string cut;
    int64_t run = 0;
    each_code_point(line_, [&](const CodePoint& point, std::string_view bytes) {
      run = point.value == ' ' ? 0 : run + 1;
      if (run > kLongestRun) {
        cut += ' ';
        run = 1;
      }
      cut += bytes;
    });
    if (cut.size() == line_.size()) return;
    if (cut_.lines++ == 0)
      cut_.first = reader_->name() + ":" + std::to_string(reader_->line_number());
    line_ = std::move(cut);
  }

  /// Puts the next text of the file into line_: a line, or one or both of its columns. False at the
  /// end.
  bool next() {
    if (!target_.empty()) {
      line_ = std::exchange(target_, "");
      return true;
    }
    if (!reader_->next(line_)) return false;
    const TsvColumn column = files_[file_ - 1].column;
    if (column == TsvColumn::whole) return true;
    const Columns columns = columns_of(line_, *reader_);
    if (column == TsvColumn::both) target_ = columns.target;
    line_ = std::string(column == TsvColumn::target ? columns.target : columns.source);
    return true;
  }

  const std::vector<TextFile>& files_;
  double upper_, raised_ = 0;  // the next line in capitals is due at 1
  Normalise normalise_;
  std::size_t file_ = 0;
  std::optional<LineReader> reader_;
  std::string line_;
  std::string target_;  // target side of a line whose source side was given before
  bool done_ = false;
  CutRuns cut_;
  std::exception_ptr error_;
};

/// The names of the files, for messages.
std::string names_of(const std::vector<TextFile>& files);

/// Logs a warning of cut runs, unless there are none.
void warn_of(const CutRuns& cut);

/// Throws UserError where no vocabulary can be trained with these options.
void check(const VocabularyTraining& options);

struct TrainedModel {
  std::string bytes;  // of the model's file
  CutRuns cut;        // in its text
};

/// SentencePiece's model of the text, trained in a process of its own. With `up_to` it has fewer
/// pieces than asked for where the text has no more. Throws what train_vocabulary() throws.
TrainedModel train_model(const VocabularyTraining& options, bool up_to = false,
                         const Normalise& normalise = {});

}  // namespace heed::text
