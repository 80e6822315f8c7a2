// A model that is served.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decode/translator.h"

namespace heed::serve {

struct Model {
  std::string name;
  std::string source, target;              // codes of its languages
  std::vector<std::string> kinds;          // of attention that it has to show; empty: none
  std::vector<std::string> softmax_kinds;  // those whose heads' weights are a softmax of scores
  int64_t layer = 0, head = 0;             // where its alignment is best seen; head -1: mean of all
  decode::Translator translator;
};

}  // namespace heed::serve
