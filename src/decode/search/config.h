// The `decoding` section of the configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/graphs.h"
#include "config/schema.h"

namespace heed::decode {

HEED_ENUM(LengthPenalty, (none, "1."), (average, "Its length."), (power, "length^alpha."),
          (gnmt, "((5 + length) / 6)^alpha (Wu et al. 2016)."))
HEED_ENUM(
    WeightType, (fp32, "The configuration's precision."), (bf16, "bf16, whatever the precision."),
    (int8, "Whole numbers of 8 bits: the fastest on most CPUs."),
    (auto_,
     "On a CPU what the model's products are measured to be fastest in: fp32, bf16 or int8; on a "
     "GPU the configuration's precision. A training on a CPU writes its choice into the run's "
     "config.yaml."),
    (auto_fp32, "fp32, as auto has chosen; on a GPU the configuration's precision."),
    (auto_bf16, "bf16, as auto has chosen; on a GPU the configuration's precision."),
    (auto_int8, "int8, as auto has chosen; on a GPU the configuration's precision."))
using config::Graphs;

struct SamplingConfig {
  HEED_CONFIG(SamplingConfig);
  HEED_FREE(int64_t, top_k, 0,
            "Sample among the k most probable pieces. 0: no such limit; if top_p is 0, too, search "
            "instead of sampling.",
            config::Between<int64_t>{0, 1000000})
  HEED_FREE(double, top_p, 0.0,
            "Sample among the most probable pieces that together have this probability. 0: no such "
            "limit.",
            config::Between<double>{0.0, 1.0})
  HEED_FREE(
      double, temperature, 1.0,
      "A value above 1 makes the sampled distribution flatter, a value below 1 makes it sharper.",
      config::Between<double>{0.01, 100})
  HEED_FREE(int64_t, seed, 1, "Seed of the sampling; the same seed gives the same translations.")
};

/// The cross-attention that links words where neither training.guided_alignment nor an option of a
/// command says it.
struct AlignmentConfig {
  HEED_CONFIG(AlignmentConfig);
  HEED_FREE(int64_t, layer, -1,
            "Decoder layer whose cross-attention links words, from 0. -1: the one that "
            "training.guided_alignment taught, or the one before the last.",
            config::Between<int64_t>{-1, 63})
  HEED_FREE(int64_t, head, -1,
            "Its head that links words, from 0; heads that were pruned count. -1: the one that "
            "training.guided_alignment taught, or the mean of the layer's heads.",
            config::Between<int64_t>{-1, 255})

  bool is_given() const { return layer >= 0 || head >= 0; }
};

struct DecodeConfig {
  HEED_CONFIG(DecodeConfig);
  HEED_FREE(int64_t, beam_size, 5, "Hypotheses kept at each step; 1 is greedy.",
            config::Between<int64_t>{1, 1000})
  HEED_FREE(
      int64_t, n_best, 1,
      "Translations returned per sentence; at most beam_size, with mbr at most mbr, with sampling "
      "alone any number.",
      config::Between<int64_t>{1, 1000})
  HEED_FREE(LengthPenalty, length_penalty, LengthPenalty::average,
            "What a hypothesis' log-probability is divided by.")
  HEED_FREE(double, alpha, 1.0, "power, gnmt: the exponent; larger favours longer translations.",
            config::Between<double>{0.0, 10})
  HEED_FREE(double, word_penalty, 0.0,
            "Subtracted from a hypothesis' log-probability for each of its pieces, </s> included, "
            "before the division: above 0 favours shorter translations, below 0 longer ones.",
            config::Between<double>{-100, 100})
  HEED_FREE(double, coverage_penalty, 0.0,
            "GNMT's beta: favours translations that attend to every source word. 0: off.",
            config::Between<double>{0.0, 10})
  HEED_FREE(int64_t, max_source_length, 1024,
            "Longer source lines are cut to this many pieces before they are translated; each cut "
            "line is logged. Given pairs are read up to this length, or data.max_length if that is "
            "more.",
            config::Between<int64_t>{1, 1000000})
  HEED_FREE(int64_t, min_length, 0, "Shortest translation, in pieces.",
            config::Between<int64_t>{0, 100000})
  HEED_FREE(double, max_length_ratio, 3.0,
            "Longest translation: this many times the source's pieces, plus max_length_extra; or "
            "min_length if that is more. A translation that is cut there is logged.",
            config::Between<double>{0.1, 100})
  HEED_FREE(double, max_length_extra, 10.0,
            "Pieces that the longest translation has beyond max_length_ratio.",
            config::Between<double>{0.0, 100000})
  HEED_FREE(int64_t, no_repeat_ngram, 0,
            "No sequence of this many pieces occurs twice in a translation. 0: no such rule.",
            config::Between<int64_t>{0, 100})
  HEED_FREE(std::vector<std::string>, forbid, {},
            "Pieces of the target vocabulary that no translation has, for example <unk>; U+2581 "
            "marks the beginning of a word.")
  HEED_SECTION(SamplingConfig, sampling, "Sample instead of searching.")
  HEED_FREE(int64_t, mbr, 0,
            "Minimum Bayes risk: number of candidates, of which the one that is most similar to "
            "all others is taken, by chrF. Candidates are samples if decoding.sampling is on, else "
            "the best hypotheses of the beam. 0: off.",
            config::Between<int64_t>{0, 1000})
  HEED_FREE(int64_t, batch_size, 32,
            "Sentences translated together. 0: on a GPU as many as fit in its memory, on a CPU 32.",
            config::Between<int64_t>{0, 100000})
  HEED_FREE(WeightType, weights, WeightType::fp32,
            "Precision of the matrix products while translating.")
  HEED_FREE(std::string, shortlist, "",
            "File of `heed shortlist`: on a CPU a translation has only the pieces that the file "
            "lists for its source. Empty: all pieces.")
  HEED_FREE(
      std::string, glossary, "",
      "File of terms, source TAB target, TAB and more targets, or a glossary of another program, "
      "CSV or TBX: a translation has one of the targets where its source has the term. Empty: no "
      "terms.")
  HEED_FREE(bool, glossary_exact_case, false, "Upper and lower case differ in terms.")
  HEED_FREE(bool, glossary_whole_words, true, "No term begins or ends inside a word.")
  HEED_FREE(bool, glossary_inline, false,
            "Put the first target of a term into the source, after the term; the search is not "
            "constrained. For models that were trained with data.terms.")
  HEED_SECTION(AlignmentConfig, alignment,
               "Which attention links words: for alignments, markup, kept items and <unk>.")
  HEED_FREE(Graphs, graphs, Graphs::auto_,
            "Whether a Transformer's steps on a GPU are recorded as CUDA graphs, which one launch "
            "starts again.")
};

/// Whether an engine of such weights multiplies whole numbers.
bool is_int8(WeightType weights);
/// Whether `auto` has become this type.
bool is_chosen(WeightType weights);

/// Whether translations are sampled instead of searched for.
bool samples(const SamplingConfig& config);

/// Returns the configuration of the same search with `n_best` translations of a sentence.
DecodeConfig with_n_best(DecodeConfig config, int64_t n_best);

/// Checks the rules between fields. Throws ConfigError.
void check(const DecodeConfig& config);
/// Throws ConfigError where such a search cannot put a glossary's terms into translations.
void check_terms(const DecodeConfig& config);

}  // namespace heed::decode
