// Which of sacrebleu's tokenisers finds words in a text: BLEU is 0 where a line is one word.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "score/config.h"

namespace heed::score {

/// For a text in the script of its letters: zh (Chinese), ja-mecab (Japanese: kana among them),
/// ko-mecab (Korean), char (Thai and others without blanks), and 13a for all others and for text
/// that was segmented by blanks.
std::string fitting_tokenizer(std::span<const std::string> lines);

/// What is wrong, with the cure, where BLEU is a metric and `tokenize` finds no words in lines that
/// are written without blanks between words (text::are_written_together()). `name` is theirs.
std::optional<std::string> tokenizer_doubt(std::span<const std::string> lines,
                                           const EvaluationConfig& config, const std::string& name);

/// What has to be installed beside sacrebleu for this tokeniser, as an argument of pip; "" where
/// nothing has.
std::string package_for(const std::string& tokenizer);

}  // namespace heed::score
