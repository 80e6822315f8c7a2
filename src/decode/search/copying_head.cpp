#include "decode/search/copying_head.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "decode/search/reading.h"
#include "study/attention_matrix.h"

namespace heed::decode {
namespace {

constexpr std::size_t kLines = 24, kNumbers = 8;
constexpr double kMostError = 0.3;  // of a head that links words; the others have some 0.6 or more

/// Lines of numbers, the same in another order, and the links between them.
struct Probe {
  std::vector<std::string> sources, targets;
  std::vector<study::GoldAlignment> links;
};

template <class Values>
void shuffle(Values& values, std::mt19937& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

/// Each number of a line has another first digit, so that pieces of one digit differ, too.
Probe probe() {
  Probe out;
  std::mt19937 random(1);
  for (std::size_t line = 0; line < kLines; ++line) {
    std::array<int64_t, 9> digits{1, 2, 3, 4, 5, 6, 7, 8, 9};
    std::array<std::size_t, kNumbers> order{};
    for (std::size_t i = 0; i < kNumbers; ++i) order[i] = i;
    shuffle(digits, random);
    shuffle(order, random);
    std::vector<std::string> source, target;
    for (std::size_t i = 0; i < kNumbers; ++i) {
      std::string& number = source.emplace_back(std::to_string(digits[i]));
      for (std::size_t more = random() % 3; more > 0; --more)
        number += std::to_string(random() % 10);
    }
    study::GoldAlignment& links = out.links.emplace_back();
    for (std::size_t i = 0; i < kNumbers; ++i) {
      target.push_back(source[order[i]]);
      links.sure.insert({order[i], i});
    }
    links.possible = links.sure;
    out.sources.push_back(join(source, " "));
    out.targets.push_back(join(target, " "));
  }
  return out;
}

}  // namespace

study::AlignmentChoice copying_head(const LineTranslator& translator,
                                    const study::AlignmentChoice& usual) {
  const Probe lines = probe();
  const auto read =
      attention_maps(translator, lines.sources, std::optional(lines.targets), AttentionRequest{});
  study::AlignmentSweep sweep;
  for (std::size_t i = 0; i < read.size(); ++i)
    if (study::count_words(read[i].source_pieces) == kNumbers + 1 &&
        study::count_words(read[i].target_pieces) == kNumbers + 1)
      sweep.add(read[i].matrices, lines.links[i], "probe");
  if (sweep.errors().empty()) return usual;
  const study::AlignmentChoice best = sweep.best();
  return sweep.errors().at(best).rate() <= kMostError ? best : usual;
}

}  // namespace heed::decode
