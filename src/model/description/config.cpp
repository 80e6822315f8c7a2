#include "model/description/config.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "base/strings.h"
#include "model/description/kinds.h"

namespace heed::model {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw config::ConfigError("model." + message);
}

void check_rnn(const ModelConfig& model) {
  const Timing timing = attention_info(model.attention).timing;
  const bool luong = timing == Timing::kAfter;
  require(model.hidden_size % 2 == 0, fmt::format("hidden_size: got {}, expected an even number: "
                                                  "each direction of the encoder has half of it",
                                                  model.hidden_size));
  require(luong || model.window == Window::global,
          fmt::format("window: {} needs one of the luong attentions, not '{}'",
                      config::name_of(model.window), model.attention));
  require(model.attention != "luong_location" || model.window == Window::global,
          "window: luong_location has weights of its own for every position; set window: global");
  require(
      luong || !model.input_feeding,
      fmt::format("input_feeding: needs one of the luong attentions, not '{}'", model.attention));
  require(timing == Timing::kBefore || model.readout == Readout::linear,
          fmt::format("readout: maxout belongs to attention: bahdanau, not '{}'", model.attention));
  require(timing != Timing::kNever || model.attention_normaliser == "softmax",
          "attention_normaliser: attention: none has no weights; leave it softmax");
  require(timing != Timing::kNever || model.attention_heads == 1,
          "attention_heads: attention: none has nothing to split; set it to 1");
  require(model.hidden_size % model.attention_heads == 0,
          fmt::format("attention_heads: {} heads do not divide model.hidden_size {}",
                      model.attention_heads, model.hidden_size));
  require(
      model.coverage == Coverage::none ||
          (timing != Timing::kNever && model.attention != "luong_location"),
      fmt::format("coverage: attention: {} looks at no source word; use none, or another attention",
                  model.attention));
  require(model.pruned_heads.empty(), "pruned_heads: belong to type: transformer");
  require(!model.embedding_norm, "embedding_norm: belongs to type: transformer; set it to false");
}

/// Returns the head of a name such as "encoder.0.2" if it is of this kind and layer, else nothing.
/// Throws ConfigError where it is not the name of a head.
std::optional<int64_t> pruned_head(const std::string& name, AttentionKind kind, int64_t layer) {
  const std::vector<std::string> parts = split(name, '.');
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.size() < 6 && std::ranges::all_of(text, ::isdigit);
  };
  const auto of_kind = config::attention_kind(parts.front());
  require(
      parts.size() == 3 && of_kind && is_attention(*of_kind) && is_number(parts[1]) &&
          is_number(parts[2]),
      fmt::format("pruned_heads: '{}' is not like encoder.0.2, decoder.0.2 or cross.0.2", name));
  if (of_kind != kind || std::stoll(parts[1]) != layer) return std::nullopt;
  return std::stoll(parts[2]);
}

void check_pruned(const ModelConfig& model) {
  if (model.pruned_heads.empty()) return;
  require(model.kv_heads == 0 || model.kv_heads == model.heads,
          "pruned_heads: heads that share keys cannot be pruned");
  std::size_t known = 0;
  for (const AttentionKind kind :
       {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}) {
    if (kind == AttentionKind::decoder && model.decoder != DecoderKind::attention) continue;
    const bool encoder = kind == AttentionKind::encoder;
    for (int64_t layer = 0; layer < (encoder ? model.encoder_layers : model.decoder_layers);
         ++layer) {
      const auto kept = static_cast<std::size_t>(std::ssize(kept_heads(model, kind, layer)));
      require(kept > 0, fmt::format("pruned_heads: no head of {} attention is left in layer {}",
                                    name_of(kind), layer));
      known += static_cast<std::size_t>(model.heads) - kept;
    }
  }
  require(known == model.pruned_heads.size(),
          "pruned_heads: names a head twice, or one that is not there");
}

std::vector<std::string> positions_without_scores() {
  std::vector<std::string> names;
  for (const PositionsKindInfo& kind : positions_kinds())
    if (kind.effect != PositionsEffect::kAddsScores) names.emplace_back(kind.name);
  return names;
}

void check_self_attention(const ModelConfig& model) {
  const SelfAttentionInfo& kind = self_attention_info(model.self_attention);
  const std::string name = "self_attention: " + model.self_attention;
  require(kind.seen != SeenBy::kAll || model.sliding_window == 0,
          fmt::format("sliding_window: {} sees everything; set it to 0", name));
  require(kind.has_scores() || model.attention_dropout == 0,
          fmt::format("attention_dropout: {} has no weights to drop; set it to 0", name));
  require(
      kind.has_scores() || positions_info(model.positions).effect != PositionsEffect::kAddsScores,
      fmt::format("positions: {} adds to scores, which {} has not; use one of {}", model.positions,
                  name, join(positions_without_scores(), ", ")));
  const bool sparse = kind.seen == SeenBy::kPattern;
  require(sparse || (model.global_tokens == 0 && model.attention_stride == 0),
          "global_tokens, attention_stride: belong to self_attention: sparse");
  require(!sparse || model.sliding_window > 0,
          fmt::format("sliding_window: {} needs one; 1 is the smallest", name));
}

void check_transformer(const ModelConfig& model) {
  // Keys of the other type do not matter, except this one: other trainers call a Transformer's
  // heads so.
  require(model.attention_heads == 1,
          "attention_heads: belongs to type: rnn; heads is the number of a Transformer's");
  require(
      model.width % model.heads == 0,
      fmt::format("heads: {} heads do not divide model.width {} evenly", model.heads, model.width));
  require(model.kv_heads == 0 || model.heads % model.kv_heads == 0,
          fmt::format("kv_heads: {} does not divide model.heads {} evenly", model.kv_heads,
                      model.heads));
  const int64_t head = model.width / model.heads;
  require(positions_info(model.positions).effect != PositionsEffect::kRotates || head % 2 == 0,
          fmt::format("positions: {} turns pairs of numbers, so a head's width must be even; width "
                      "/ heads is {}",
                      model.positions, head));
  check_self_attention(model);
  check_pruned(model);
}

}  // namespace

const std::map<std::string_view, KeyOf>& keys_by_network() {
  static const std::map<std::string_view, KeyOf> keys = {
      {"type", KeyOf::both},
      {"cell", KeyOf::rnn},
      {"embedding_size", KeyOf::rnn},
      {"hidden_size", KeyOf::rnn},
      {"layers", KeyOf::rnn},
      {"attention", KeyOf::rnn},
      {"window", KeyOf::rnn},
      {"window_size", KeyOf::rnn_sight},
      {"input_feeding", KeyOf::rnn},
      {"attention_heads", KeyOf::rnn},
      {"coverage", KeyOf::rnn},
      {"coverage_size", KeyOf::rnn},
      {"readout", KeyOf::rnn},
      {"width", KeyOf::transformer},
      {"feed_forward", KeyOf::transformer},
      {"heads", KeyOf::transformer},
      {"kv_heads", KeyOf::transformer},
      {"pruned_heads", KeyOf::transformer},
      {"encoder_layers", KeyOf::transformer},
      {"decoder_layers", KeyOf::transformer},
      {"decoder", KeyOf::transformer},
      {"norm", KeyOf::transformer},
      {"norm_epsilon", KeyOf::transformer},
      {"embedding_norm", KeyOf::transformer},
      {"positions", KeyOf::transformer},
      {"max_positions", KeyOf::both},
      {"sliding_window", KeyOf::transformer_sight},
      {"self_attention", KeyOf::transformer},
      {"global_tokens", KeyOf::transformer_sight},
      {"attention_stride", KeyOf::transformer_sight},
      {"attention_scale", KeyOf::transformer},
      {"activation", KeyOf::transformer},
      {"dropout", KeyOf::dropout},
      {"attention_normaliser", KeyOf::both},
      {"attention_dropout", KeyOf::dropout},
      {"activation_dropout", KeyOf::dropout},
      {"word_dropout", KeyOf::dropout},
      {"tie", KeyOf::both},
  };
  return keys;
}

bool is_of_network(std::string_view key, const ModelConfig& config) {
  const bool rnn = config.type == ModelType::rnn;
  if (key == "max_positions")
    return rnn ? config.attention == "luong_location" : config.positions == "learned";
  if (key == "coverage_size" && config.coverage != Coverage::neural) return false;
  const KeyOf of = keys_by_network().at(key);
  return of == KeyOf::both || of == (rnn ? KeyOf::rnn : KeyOf::transformer);
}

std::string keys_of_other_network(std::string_view key) {
  static const std::map<std::string_view, const char*> others = {
      {"attention_heads", "heads"},
      {"decoder_layers", "layers"},
      {"embedding_size", "width"},
      {"encoder_layers", "layers"},
      {"heads", "attention_heads"},
      {"hidden_size", "width"},
      {"layers", "encoder_layers and decoder_layers"},
      {"sliding_window", "window and window_size"},
      {"width", "hidden_size and embedding_size"},
      {"window", "sliding_window"},
      {"window_size", "sliding_window"}};
  const auto found = others.find(key);
  return found == others.end() ? "" : found->second;
}

int64_t decoder_layer(const ModelConfig& config, int64_t layer) {
  return layer < 0 ? std::max<int64_t>(0, config.decoder_layers + layer) : layer;
}

std::string positions_of_side(const ModelConfig& config, bool decoder) {
  const bool added = positions_info(config.positions).effect == PositionsEffect::kEmbeds;
  return !decoder || added || config.decoder == DecoderKind::attention ? config.positions : "none";
}

bool changes_result(std::string_view key, const ModelConfig& config) {
  const bool rnn = config.type == ModelType::rnn;
  if (key == "window_size" && config.window == Window::global) return false;
  return is_of_network(key, config) ||
         keys_by_network().at(key) == (rnn ? KeyOf::rnn_sight : KeyOf::transformer_sight);
}

std::vector<int64_t> kept_heads(const ModelConfig& config, AttentionKind kind, int64_t layer) {
  std::vector<int64_t> kept;
  for (int64_t head = 0; head < config.heads; ++head) kept.push_back(head);
  for (const std::string& name : config.pruned_heads)
    if (const auto head = pruned_head(name, kind, layer)) std::erase(kept, *head);
  return kept;
}

std::optional<int64_t> index_among(const std::vector<int64_t>& kept, int64_t head) {
  const auto found = std::ranges::find(kept, head);
  if (found == kept.end()) return std::nullopt;
  return found - kept.begin();
}

void check(const ModelConfig& config, bool shares_pieces) {
  config.type == ModelType::rnn ? check_rnn(config) : check_transformer(config);
  require(config.tie != Tie::all || shares_pieces,
          "tie: all needs one vocabulary for both sides; set data.vocabulary.kind: joint, or tie: "
          "decoder");
}

}  // namespace heed::model
