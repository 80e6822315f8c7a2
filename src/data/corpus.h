// Parallel corpora, tokenised once and held compactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/scratch.h"
#include "data/config.h"
#include "data/flaws.h"
#include "data/links.h"
#include "data/noise.h"
#include "data/notice.h"
#include "data/origin.h"
#include "text/vocabulary.h"

namespace heed::data {

struct Example;  // data/example.h

/// Many short sequences in one array, which is read after seal() (base/descriptor.h).
template <class T>
class Sequences {
 public:
  explicit Sequences(const ScratchFolder& folder = {}) : items_(folder), ends_(folder) {}
  void append(std::span<const T> items) {
    items_.append(items);
    ends_.push_back(items_.size());
  }
  void seal() {
    items_.seal();
    ends_.seal();
  }
  int64_t size() const { return ends_.size(); }
  int64_t total() const { return items_.size(); }
  std::size_t on_disk() const { return items_.on_disk() + ends_.on_disk(); }
  /// Two words, the addresses of both arrays (Scratch::address()).
  std::string address() const { return items_.address() + " " + ends_.address(); }
  static Sequences at(std::istream& address) {
    std::string items, ends;
    address >> items >> ends;
    Sequences sequences;
    sequences.items_ = ScratchArray<T>::at(items);
    sequences.ends_ = ScratchArray<int64_t>::at(ends);
    return sequences;
  }
  int64_t length(int64_t i) const { return ends_[i] - begin(i); }
  std::span<const T> operator[](int64_t i) const { return items_.slice(begin(i), ends_[i]); }

 private:
  int64_t begin(int64_t i) const { return i == 0 ? 0 : ends_[i - 1]; }
  ScratchArray<T> items_;
  ScratchArray<int64_t> ends_;
};

/// Sequences of ids, with 2 bytes for each id where the vocabulary is small enough.
class Ids {
 public:
  explicit Ids(int64_t vocabulary = 0, const ScratchFolder& folder = {})
      : narrow_(vocabulary <= 65536), small_(folder), large_(folder) {}
  void append(const std::vector<int32_t>& ids);
  void seal();
  int64_t size() const { return narrow_ ? small_.size() : large_.size(); }
  int64_t total() const { return narrow_ ? small_.total() : large_.total(); }
  std::size_t on_disk() const { return small_.on_disk() + large_.on_disk(); }
  std::string address() const;
  static Ids at(std::istream& address);
  int64_t length(int64_t i) const { return narrow_ ? small_.length(i) : large_.length(i); }
  std::vector<int32_t> operator[](int64_t i) const;

 private:
  bool narrow_;
  Sequences<uint16_t> small_;
  Sequences<int32_t> large_;
};

/// Counts of what happened to the pairs of one pair of files.
struct CorpusReport {
  std::string source, target;  // paths
  int64_t max_length = 0;      // pieces on either side
  int64_t max_words = 0;       // on either side
  int64_t pairs = 0, kept = 0;
  int64_t source_pieces = 0, target_pieces = 0;    // of the pairs kept, without eos
  int64_t source_unknown = 0, target_unknown = 0;  // of these: characters without a piece
  Notice blank, wordy, dropped, truncated;
  std::array<Notice, kFlaws> cleaned{};  // left out, by Flaw
  double clean_ratio = 0;                // the limit of Flaw::ratio

  std::string alignment;      // path, if an alignment was read
  int64_t links = 0;          // links between words, in the pairs kept
  int64_t without_links = 0;  // pairs kept without links
  Notice other_words;         // pairs whose links are not used

  /// The report for the log: a line of counts, and a line for each thing that happened to pairs.
  std::string text() const;
};

/// Sentence pairs of one or several corpora, with weights. Immutable; safe to share. Where it was
/// read with a scratch folder, it holds at most a MiB of each of its arrays in memory.
class Corpus {
 public:
  struct Part {
    int64_t begin = 0, end = 0;  // pairs
    double weight = 1;
  };

  /// A list of words by which another process of this user and machine finds this corpus while it
  /// exists. It must have been read with a shared ScratchFolder.
  std::string address() const;
  /// The corpus with this address, without copying it; it has no reports. `source` and `target` are
  /// its vocabularies. Throws Failure where it cannot be found.
  static Corpus at(const std::string& address, const text::Vocabulary& source,
                   const text::Vocabulary& target);

  int64_t size() const { return source_.size(); }
  int64_t source_length(int64_t i) const { return source_.length(i); }  // without eos
  int64_t target_length(int64_t i) const { return target_.length(i); }
  Example example(int64_t i) const;
  bool has_links() const { return has_links_; }

  /// The pair with noise and with a share of `terms`, and with its pieces drawn anew
  /// (Vocabulary::sample) where alpha is above 0. `seed` decides all draws. A side whose draw is
  /// longer than max_length keeps its best pieces; where noise makes a side longer than that, the
  /// pair stays without it. Links follow their words; where the vocabulary finds other words in a
  /// noisy source, or it has no blanks, they are left out. Without keep_text this is the same as
  /// example().
  Example sample(int64_t i, double alpha, uint64_t seed, const NoiseConfig& noise = {},
                 double terms = 0) const;

  const std::vector<Part>& parts() const { return parts_; }
  const std::vector<CorpusReport>& reports() const { return reports_; }
  std::string report() const;  // the texts of all reports
  int64_t source_pieces() const { return source_.total(); }
  int64_t target_pieces() const { return target_.total(); }
  std::size_t on_disk() const;  // bytes in the scratch folder
  /// Returns the checksum of all ids, links and weights.
  uint64_t fingerprint() const { return fingerprint_; }

 private:
  friend class CorpusReader;  // corpus_reader.cpp
  friend class CorpusOfIds;   // of the tests: builds a corpus from ids instead of files
  struct Languages {
    text::Vocabulary source, target;
  };

  void append(const Example& example);
  void finish();
  Example without_links(int64_t i) const;
  NoisyPair changed(int64_t i, const NoiseConfig& noise, double terms,
                    const std::function<uint64_t(uint64_t)>& seed) const;
  void add_links(int64_t i, Example& example, const NoisyPair* noisy = nullptr) const;

  Ids source_, target_;
  bool source_end_ = true;  // Example::source_end
  ScratchArray<Origin> origins_;
  std::vector<Part> parts_;
  std::vector<CorpusReport> reports_;
  uint64_t fingerprint_ = 0;
  std::optional<Languages> languages_;  // for pieces drawn anew and for links of words
  // Subword sampling and noise alone need the text.
  bool has_text_ = false;
  Sequences<char> source_text_, target_text_;
  int64_t max_length_ = 0;
  // Links of words; in a corpus from ids, links of pieces.
  bool has_links_ = false;
  Sequences<PieceLink> links_;
};

}  // namespace heed::data
