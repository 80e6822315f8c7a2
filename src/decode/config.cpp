#include "decode/config.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace heed::decode {

bool samples(const SamplingConfig& config) {
  return config.top_k > 0 || config.top_p > 0;
}

void check(const DecodeConfig& config) {
  const bool drawn = samples(config.sampling);
  if (!drawn && config.n_best > config.beam_size)
    throw config::ConfigError("decoding.n_best: got " + std::to_string(config.n_best) +
                              ", but a beam of " + std::to_string(config.beam_size) +
                              " holds no more than that; raise decoding.beam_size");
  if (config.mbr > 0 && config.n_best > config.mbr)
    throw config::ConfigError("decoding.n_best: got " + std::to_string(config.n_best) +
                              ", but decoding.mbr chooses among " + std::to_string(config.mbr) +
                              " candidates; raise decoding.mbr");
  if (!drawn && config.mbr > config.beam_size)
    throw config::ConfigError("decoding.mbr: got " + std::to_string(config.mbr) +
                              ", but a beam of " + std::to_string(config.beam_size) +
                              " holds no more than that; raise decoding.beam_size, or draw the "
                              "candidates with decoding.sampling.top_p: 1");
  if (std::ranges::count(config.forbid, "</s>") > 0)
    throw config::ConfigError(
        "decoding.forbid: without '</s>' no translation would end; leave it out, or set "
        "decoding.min_length");
  if (drawn && config.coverage_penalty > 0)
    throw config::ConfigError(
        "decoding.coverage_penalty: ranks hypotheses of a search, and decoding.sampling replaces "
        "the search; set one "
        "of them to 0");
}

}  // namespace heed::decode
