// The kinds that a configuration names, as the registries describe them: what each kind can be
// combined with, and which other code may compute it. Their constructors are beside the mechanisms.
#pragma once

#include <string>
#include <vector>

namespace heed::model {

/// When a recurrent decoder computes its attention, which decides the recurrence around it
/// (model/recurrent/decoder.h).
enum class Timing {
  kBefore,  // with s(t-1); c(t) enters the cell of step t (Bahdanau et al. 2015, A.1.2)
  kAfter,   // with s(t); then the attentional state (Luong et al. 2015, section 3)
  kNever,   // the context is the encoder's summary at every step (Cho et al. 2014)
};

/// The form of a recurrent attention's scores, which decides what code may compute them.
enum class ScoresOf {
  kNothing,   // there are none: the context is the encoder's summary
  kDot,       // s h
  kGeneral,   // s W h
  kAdditive,  // v tanh(W s + U h)
  kLocation,  // W s, one number for each source position
  kOwn,       // another score: LibTorch alone; src/engine/source_attention.cpp knows those above
};

/// One line of model/recurrent/attention/registry.def.
struct AttentionKindInfo {
  const char* name;
  const char* help;  // the score, and the paper
  Timing timing;
  ScoresOf scores;
};

/// The form of self-attention's weights, which decides what code may compute them.
enum class WeightsOf {
  kProducts,  // a softmax of q k / sqrt(head): src/engine, CTranslate2 and all kernels
  kPrepared,  // the same of queries and keys that the kind changed before: the kernels
  kSums,      // no softmax: sums over keys and values (engine/linear_attention.h): src/engine
  kNoScores,  // no softmax: the kind alone
};

/// The keys of the configuration that say what a position sees.
enum class SeenBy {
  kWindow,   // sliding_window, which may be 0
  kPattern,  // sliding_window, global_tokens and attention_stride
  kAll,      // none: every position sees all
};

/// One line of model/transformer/attention/registry.def.
struct SelfAttentionInfo {
  const char* name;
  const char* help;  // the equation, and the paper
  WeightsOf weights;
  SeenBy seen;

  /// Whether there are scores, to which numbers can be added, and weights that can be hidden or
  /// dropped.
  bool has_scores() const { return weights != WeightsOf::kSums && weights != WeightsOf::kNoScores; }
  /// Whether an engine that knows softmax attention can run this kind, if it knows its window.
  bool is_plain() const { return weights == WeightsOf::kProducts && seen == SeenBy::kWindow; }
};

/// How a kind of positions tells the order of words, which decides what it can be combined with
/// (config.cpp) and which function of model::Positions it overrides.
enum class PositionsEffect {
  kEmbeds,      // vectors()
  kRotates,     // rotations(): heads of even width
  kAddsScores,  // by_distance(): not for linear attention, which has no scores
  kNothing,
};

/// One line of model/transformer/positions/registry.def.
struct PositionsKindInfo {
  const char* name;
  const char* help;
  PositionsEffect effect;
};

const std::vector<PositionsKindInfo>& positions_kinds();

/// Return the line of a registry with this name. They throw UserError for an unknown name.
const AttentionKindInfo& attention_info(const std::string& name);
const SelfAttentionInfo& self_attention_info(const std::string& name);
const PositionsKindInfo& positions_info(const std::string& name);

}  // namespace heed::model
