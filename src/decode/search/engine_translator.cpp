#include "decode/search/engine_translator.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "decode/search/engine_steps.h"

namespace heed::decode {
namespace {

std::vector<MemberText> texts_of(const std::vector<EngineMember>& members) {
  std::vector<MemberText> texts;
  for (const EngineMember& member : members) texts.push_back(member.text);
  return texts;
}

}  // namespace

void require_coverage(const DecodeConfig& config, bool attends) {
  if (config.coverage_penalty > 0 && !attends)
    throw UserError(
        "decoding.coverage_penalty: counts the attention of the first model, which has none; set "
        "it to 0");
}

EngineTranslator::EngineTranslator(std::vector<EngineMember> members, DecodeConfig config,
                                   engine::WeightFormat numbers, const engine::Threads& threads)
    : LineTranslator(texts_of(members), std::move(config), threads),
      longest_(std::numeric_limits<int64_t>::max()) {
  require_coverage(config_, members.front().attends);
  for (EngineMember& member : members) {
    longest_ = std::min(longest_, member.longest);
    networks_.push_back(std::move(member.network));
  }
  together_ = engine::sentences_together(numbers);
}

std::vector<std::vector<Hypothesis>> EngineTranslator::search_batch(
    const std::vector<data::Batch>& sources, const SearchOptions& options) {
  return search(networks_, sources, options, longest_, *threads_);
}

}  // namespace heed::decode
