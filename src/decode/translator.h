// Text in, text out: pieces, batches sorted by length inside a window, results in the order of the input.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "decode/config.h"
#include "decode/search.h"
#include "model/model.h"
#include "text/vocabulary.h"

namespace heed::decode {

struct Translation {
  std::string text;                     // best hypothesis; empty for an empty line
  std::vector<Hypothesis> hypotheses;   // n_best, best first; empty for an empty line
  std::vector<std::string> texts;       // one per hypothesis
  std::vector<std::string> source_pieces;  // with </s> at the end
};

/// What one ensemble member needs. All members share the target vocabulary.
struct Member {
  model::ModelPtr model;
  text::Vocabulary source, target;
};

class Translator {
 public:
  Translator(std::vector<Member> members, DecodeConfig config, at::Device device, at::ScalarType precision);

  bool keep_attention = false;

  /// One Translation per line, in order. A line that is empty or only white space gives an empty one. A line longer than
  /// the model can take is a UserError that names its 1-based number (`first_line` + index).
  std::vector<Translation> translate(const std::vector<std::string>& lines, int64_t first_line = 1);

  /// log P(target | source) per pair: sum over pieces and eos, and the per-token values.
  struct Score {
    double log_probability = 0;
    std::vector<float> tokens;
  };
  std::vector<Score> score(const std::vector<std::string>& sources, const std::vector<std::string>& targets);

 private:
  std::vector<Member> members_;
  DecodeConfig config_;
  at::Device device_;
  at::ScalarType precision_;
};

}  // namespace heed::decode
