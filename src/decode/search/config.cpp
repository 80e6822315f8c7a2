#include "decode/search/config.h"

#include <algorithm>

namespace heed::decode {

DecodeConfig with_n_best(DecodeConfig config, int64_t n_best) {
  config.n_best = n_best;
  return config;
}

bool is_int8(WeightType weights) {
  return weights == WeightType::int8 || weights == WeightType::auto_int8;
}

bool is_chosen(WeightType weights) {
  return weights == WeightType::auto_fp32 || weights == WeightType::auto_bf16 ||
         weights == WeightType::auto_int8;
}

bool samples(const SamplingConfig& config) {
  return config.top_k > 0 || config.top_p > 0;
}

void check_terms(const DecodeConfig& config) {
  if (config.glossary_inline || (config.beam_size > 1 && !samples(config.sampling))) return;
  throw config::ConfigError(
      "decoding.glossary: needs a decoding.beam_size of 2 or more and no decoding.sampling, or "
      "decoding.glossary_inline");
}

void check(const DecodeConfig& config) {
  const bool drawn = samples(config.sampling);
  if (!drawn && config.n_best > config.beam_size)
    throw config::ConfigError(
        "decoding.n_best: got {}, but a beam of {} holds no more than that; raise "
        "decoding.beam_size",
        config.n_best, config.beam_size);
  if (config.mbr > 0 && config.n_best > config.mbr)
    throw config::ConfigError(
        "decoding.n_best: got {}, but decoding.mbr chooses among {} candidates; raise decoding.mbr",
        config.n_best, config.mbr);
  if (!drawn && config.mbr > config.beam_size)
    throw config::ConfigError(
        "decoding.mbr: got {}, but a beam of {} holds no more than that; raise decoding.beam_size, "
        "or draw the candidates with decoding.sampling.top_p: 1",
        config.mbr, config.beam_size);
  if (std::ranges::count(config.forbid, "</s>") > 0)
    throw config::ConfigError(
        "decoding.forbid: without '</s>' no translation would end; leave it out, or set "
        "decoding.min_length");
  if (!config.glossary.empty()) check_terms(config);
  if (drawn && config.coverage_penalty > 0)
    throw config::ConfigError(
        "decoding.coverage_penalty: ranks hypotheses of a search, and decoding.sampling replaces "
        "the search; set one "
        "of them to 0");
}

}  // namespace heed::decode
