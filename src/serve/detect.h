// Which language a text is of, as far as the served models can tell.
#pragma once

#include <string>
#include <vector>

#include "serve/served_model.h"

namespace heed::serve {

struct Guess {
  std::string language;
  double confidence = 0;  // per cent
};

/// One for each source language of the models, the likeliest first. Of one language the confidence
/// is the share of the text's letters that its vocabulary has pieces for. Of several it is this
/// share times the probability of the language given the beginning of the text:
/// - Where each of them is also the target of a model, by log p of the text as output of that
/// model.
/// - Otherwise by the number of pieces of the text in the vocabulary of the language, and by the
///   mean probability of a piece of the translation.
/// For the thread that translates.
std::vector<Guess> guesses_of(std::vector<ServedModel>& models, const std::string& text);

}  // namespace heed::serve
