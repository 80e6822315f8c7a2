// A model that is served, and which of them answers a request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "decode/translator.h"
#include "serve/answers/answers.h"

namespace heed::serve {

class Parameters;

struct ServedModel : ShownModel {
  std::string source, target;  // codes of its languages
  decode::Translator translator;
};

/// The model that `model` names or, if none is named, the first of those that fit `source` and
/// `target` best. Throws UserError where there is none.
std::size_t choose(const std::vector<ServedModel>& models, const Parameters& parameters);

}  // namespace heed::serve
