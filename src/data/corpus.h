// Parallel corpora, tokenised once and held compactly. No Torch here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/batch.h"
#include "data/config.h"
#include "text/vocabulary.h"

namespace heed::data {

/// Many short sequences of ids in one array: 2 bytes an id where the vocabulary allows.
class Sequences {
 public:
  explicit Sequences(int64_t vocabulary = 0) : narrow_(vocabulary <= 65536) {}
  void append(std::span<const int32_t> ids);
  int64_t size() const { return static_cast<int64_t>(ends_.size()); }
  int64_t length(int64_t i) const { return ends_[i] - begin(i); }
  std::vector<int32_t> operator[](int64_t i) const;
  int64_t total() const { return ends_.empty() ? 0 : ends_.back(); }

 private:
  int64_t begin(int64_t i) const { return i == 0 ? 0 : ends_[i - 1]; }
  bool narrow_;
  std::vector<uint16_t> small_;
  std::vector<int32_t> large_;
  std::vector<int64_t> ends_;
};

/// Pairs that something happened to: how many, and the first lines.
struct Notice {
  int64_t count = 0;
  std::vector<int64_t> lines;  // at most ten
  void add(int64_t line);
  std::string text() const;  // "3 (lines 4, 17, 90)"; "12 (lines 1, ... and 2 more)"
};

/// What became of one pair of files.
struct CorpusReport {
  std::string source, target;  // paths
  int64_t max_length = 0;      // pieces on either side
  int64_t pairs = 0, kept = 0;
  int64_t source_pieces = 0, target_pieces = 0;    // of the pairs kept, without eos
  int64_t source_unknown = 0, target_unknown = 0;  // among them, characters without a piece
  Notice blank, dropped, truncated;

  /// For the log: a line of counts and one for each thing that happened to pairs.
  std::string text() const;
};

/// How a corpus is read.
struct CorpusReading {
  int64_t max_length = 0;                 // pieces on either side; 0 for no limit
  std::string limit = "data.max_length";  // the key that sets it, for messages
  LongSentences long_sentences = LongSentences::drop;
  bool keep_text = false;  // for subword sampling
  int64_t threads = 1;     // the result does not depend on it
};

/// Sentence pairs of one or several corpora, with weights. Immutable; safe to share.
class Corpus {
 public:
  struct Part {
    int64_t begin = 0, end = 0;  // pairs
    double weight = 1;
  };

  /// Reads and encodes all files. Pairs with a blank side are left out; those longer than
  /// max_length are treated as `long_sentences` says. Throws UserError for a missing or empty file,
  /// files of different length, a long pair under `error`, and where no pair is left.
  static Corpus read(const std::vector<CorpusFiles>& files, const text::Vocabulary& source,
                     const text::Vocabulary& target, const CorpusReading& reading);

  /// A corpus of ready ids, each part with its weight.
  static Corpus of(const std::vector<std::vector<Example>>& parts,
                   const std::vector<double>& weights = {});

  int64_t size() const { return source_.size(); }
  int64_t source_length(int64_t i) const { return source_.length(i); }  // without eos
  int64_t target_length(int64_t i) const { return target_.length(i); }
  Example example(int64_t i) const;

  /// The pair with its pieces drawn anew (Vocabulary::sample), `seed` deciding; a side whose draw
  /// is longer than max_length keeps its best pieces. The same as example() without keep_text.
  Example sample(int64_t i, double alpha, uint64_t seed) const;

  const std::vector<Part>& parts() const { return parts_; }
  const std::vector<CorpusReport>& reports() const { return reports_; }
  std::string report() const;  // the text of all
  int64_t source_pieces() const { return source_.total(); }
  int64_t target_pieces() const { return target_.total(); }
  /// Checksum of all ids and weights.
  uint64_t fingerprint() const { return fingerprint_; }

 private:
  friend class CorpusReader;  // corpus_reader.cpp
  struct Text {
    std::string bytes;
    std::vector<std::size_t> ends;
    void append(std::string_view line);
    std::string_view operator[](int64_t i) const;
  };
  struct Languages {
    text::Vocabulary source, target;
  };

  void append(const Example& example);
  void finish();

  Sequences source_, target_;
  std::vector<Origin> origins_;
  std::vector<Part> parts_;
  std::vector<CorpusReport> reports_;
  uint64_t fingerprint_ = 0;
  // For subword sampling only.
  std::optional<Languages> languages_;
  Text source_text_, target_text_;
  int64_t max_length_ = 0;
};

}  // namespace heed::data
