// SentencePiece behind a small class. Torch-free.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

// The ids every heed vocabulary has; a model trained elsewhere with others is refused with a clear line.
inline constexpr int32_t kPad = 0, kUnknown = 1, kBegin = 2, kEnd = 3;

struct VocabularyTraining {
  std::vector<std::string> files;  // plain, .gz or .zst; all lines of all files are used
  int64_t size = 8000;
  std::string algorithm = "unigram";  // or "bpe"
  double coverage = 1.0;
  uint64_t seed = 1;
};

/// Subword pieces and their ids. Immutable and safe to share between threads.
class Vocabulary {
 public:
  /// Throws UserError naming the file when it is missing, no SentencePiece model, or has other special ids.
  static Vocabulary load(const std::string& path);
  /// Trains in this process. The same input and seed give the same model. Throws UserError where the corpus
  /// cannot support `size` pieces, and says which sizes it can.
  static Vocabulary train(const VocabularyTraining& options);

  void save(const std::string& path) const;  // atomic

  std::vector<int32_t> encode(std::string_view line) const;
  /// One draw of subword regularisation: `alpha` is SentencePiece's smoothing, `seed` decides the draw.
  std::vector<int32_t> sample(std::string_view line, double alpha, uint64_t seed) const;
  std::string decode(const std::vector<int32_t>& ids) const;
  std::string piece(int32_t id) const;  // as SentencePiece spells it, word starts marked with U+2581
  int32_t size() const;
  /// Short checksum of the model, to tell two vocabularies apart in messages.
  std::string fingerprint() const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace heed::text
