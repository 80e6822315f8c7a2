#include "exchange/marian_network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "config/schema.h"
#include "engine/network.h"
#include "exchange/arrays.h"
#include "exchange/plain_transformer.h"
#include "exchange/transformer_parts.h"
#include "model/description/begin.h"
#include "text/foreign_pieces.h"

namespace heed::exchange {
namespace {

using engine::Array, engine::Floats, engine::Weights;
using model::ModelConfig;
namespace names = model::names;

constexpr double kMarianEpsilon = 1e-6;  // of all its layer norms
// What Bergamot's engines multiply at once: rows of a vocabulary, and numbers of a row.
constexpr int64_t kWidthAtOnce = 64;

/// Options that say the same of every model that heed writes. Marian takes others for absent.
constexpr std::string_view kAlways[] = {"type: transformer",
                                        "dec-cell-base-depth: 2",
                                        "dec-cell-high-depth: 1",
                                        "enc-cell: gru",
                                        "enc-cell-depth: 1",
                                        "enc-type: bidirectional",
                                        "factors-combine: sum",
                                        "factors-dim-emb: 0",
                                        "input-types:\n  []",
                                        "layer-normalization: false",
                                        "lemma-dependency: \"\"",
                                        "lemma-dim-emb: 0",
                                        "output-omit-bias: false",
                                        "right-left: false",
                                        "skip: false",
                                        "tied-embeddings-src: false",
                                        "transformer-attention-mask: default",
                                        "transformer-decoder-dim-ffn: 0",
                                        "transformer-decoder-ffn-depth: 0",
                                        "transformer-depth-scaling: false",
                                        "transformer-dim-aan: 2048",
                                        "transformer-aan-activation: swish",
                                        "transformer-aan-depth: 2",
                                        "transformer-aan-nogate: false",
                                        "transformer-ffn-depth: 2",
                                        "transformer-no-affine: false",
                                        "transformer-no-bias: false",
                                        "transformer-no-projection: false",
                                        "transformer-pool: false",
                                        "transformer-postprocess: dan",
                                        "transformer-postprocess-top: \"\"",
                                        "transformer-preprocess: \"\"",
                                        "transformer-rnn-projection: false",
                                        "transformer-tied-layers:\n  []",
                                        "transformer-train-position-embeddings: false",
                                        "ulr: false",
                                        "ulr-dim-emb: 0",
                                        "ulr-trainable-transformation: false"};

Array as_row(Array vector) {
  vector.shape = {1, vector.count()};
  return vector;
}

Floats of_rows(const Array& from, const std::vector<int32_t>& rows, float otherwise) {
  const int64_t columns = from.shape.size() == 1 ? 1 : from.columns();
  Floats out;
  out.reserve(rows.size() * columns);
  for (const int32_t row : rows)
    if (row < 0)
      out.insert(out.end(), columns, otherwise);
    else
      out.insert(out.end(), from.data + row * columns, from.data + (row + 1) * columns);
  return out;
}

class MarianNames {
 public:
  MarianNames(const OwnModel& own, const std::string& place)
      : config_(own.model), weights_(with_scaled_queries(own.model, own.weights)), place_(place) {}

  std::map<std::string, Array> all(const std::vector<int32_t>& source,
                                   const std::vector<int32_t>& target) {
    require_begin_and_positions();
    tokens(source, target);
    for (const PeerModule& module : peer_modules(config_)) add(module);
    return std::move(tensors_);
  }

 private:
  /// Throws unless the decoder begins with the vector that Marian's has, and positions are its.
  void require_begin_and_positions() const {
    if (model::begins_with_zeros(config_)) return;
    const Array& vectors = engine::embedding_of(config_, weights_, true);
    const float* const begin = vectors.data + text::kBegin * config_.width;
    if (std::any_of(begin, begin + config_.width, [](float number) { return number != 0; }))
      throw UserError(
          "{}: its translations begin with a vector that was learned, and Marian's with zeros; "
          "train with model.positions: tensor2tensor (an imported model: import it again, and "
          "tune that one)",
          place_);
    if (config_.positions != "learned") return;
    for (const char* side : {names::kSourcePositions, names::kTargetPositions}) {
      const Array& own = weights_.at(names::within(side, "weight"));
      const Array theirs = tensor2tensor_positions(0, own.rows(), own.columns());
      for (int64_t i = 0; i < own.count(); ++i)
        // Programs that compute angles in fp32 are off by more at later positions.
        if (!(std::abs(own.data[i] - theirs.data[i]) <=
              1e-6F * static_cast<float>(1 + i / own.columns())))
          throw UserError(
              "{}: its vectors of positions were learned (model.positions is learned), and "
              "Marian's are sinusoids; train with model.positions: tensor2tensor (an imported "
              "model: import it again, and tune that one)",
              place_);
    }
  }

  Array vectors_of(bool target, const std::vector<int32_t>& rows) const {
    Floats numbers = of_rows(engine::embedding_of(config_, weights_, target), rows, 0);
    if (config_.positions == "none") {
      // Marian then does not multiply them by the root of the width.
      const double root = std::sqrt(static_cast<double>(config_.width));
      for (float& number : numbers) number = static_cast<float>(number * root);
    }
    return array_from(std::move(numbers), {std::ssize(rows), config_.width});
  }

  void tokens(const std::vector<int32_t>& source, const std::vector<int32_t>& target) {
    if (config_.tie == model::Tie::all) {
      tensors_["Wemb"] = vectors_of(true, target);
    } else {
      tensors_["encoder_Wemb"] = vectors_of(false, source);
      tensors_["decoder_Wemb"] = vectors_of(true, target);
    }
    const auto count = std::ssize(target);
    if (config_.tie == model::Tie::none)
      tensors_["decoder_ff_logit_out_Wt"] =
          array_from(of_rows(weights_.at(names::within(model::kOutputModule, "weight")), target, 0),
                     {count, config_.width});
    tensors_["decoder_ff_logit_out_b"] = array_from(
        of_rows(weights_.at(names::within(model::kOutputModule, "bias")), target, kNeverWritten),
        {1, count});
  }

  void add(const PeerModule& module) {
    const Array& weight = weights_.at(module.own + ".weight");
    if (module.is_norm) {
      const std::string end = module.marian[0].ends_with("_emb_ln") ? "_pre" : "";
      tensors_[module.marian[0] + "_scale" + end] = as_row(weight);
      tensors_[module.marian[0] + "_bias" + end] = as_row(weights_.at(module.own + ".bias"));
      return;
    }
    const int64_t parts = std::ssize(module.marian), rows = weight.rows() / parts;
    for (int64_t part = 0; part < parts; ++part) {
      const std::string& name = module.marian[part];
      tensors_[name] = transposed(rows_of(weight, part * rows, rows));
      if (!module.has_bias) continue;
      const Array bias = rows_of(weights_.at(module.own + ".bias"), part * rows, rows);
      tensors_[std::string(name).replace(name.rfind("_W") + 1, 1, "b")] = as_row(bias);
    }
  }

  const ModelConfig& config_;
  const Weights weights_;
  const std::string& place_;
  std::map<std::string, Array> tensors_;
};

std::string options_of(const OwnModel& own, int64_t source, int64_t target) {
  const ModelConfig& config = own.model;
  const bool recurs = config.decoder == model::DecoderKind::ssru;
  const auto is_true = [](bool what) { return what ? "true" : "false"; };
  std::vector<std::string> lines(std::begin(kAlways), std::end(kAlways));
  const auto add = [&](const char* option, const auto& value) {
    lines.push_back(fmt::format("{}: {}", option, value));
  };
  add("dec-cell", recurs ? "ssru" : "gru");
  add("dec-depth", config.decoder_layers);
  add("dim-emb", config.width);
  add("dim-rnn", config.width);
  lines.push_back(fmt::format("dim-vocabs:\n  - {}\n  - {}", source, target));
  add("enc-depth", config.encoder_layers);
  add("tied-embeddings", is_true(config.tie == model::Tie::decoder));
  add("tied-embeddings-all", is_true(config.tie == model::Tie::all));
  add("transformer-decoder-autoreg", recurs ? "rnn" : "self-attention");
  add("transformer-dim-ffn", config.feed_forward);
  add("transformer-disable-position-embeddings", is_true(config.positions == "none"));
  add("transformer-ffn-activation",
      config.activation == model::Activation::relu ? "relu" : "swish");
  // Imports count the layer as taught to align where it is not "last".
  const decode::AlignmentConfig& alignment = own.decoding.alignment;
  add("transformer-guided-alignment-layer",
      alignment.layer < 0 ? "last" : std::to_string(alignment.layer + 1));
  add("transformer-heads", config.heads);
  add("transformer-postprocess-emb", config.embedding_norm ? "nd" : "d");
  add("transformer-dropout", config.dropout);
  add("transformer-dropout-attention", config.attention_dropout);
  add("transformer-dropout-ffn", config.activation_dropout);
  std::ranges::sort(lines);
  // A text of C ends with a NUL.
  return join(lines, "\n") + '\n' + '\0';
}

std::string key_missing(const char* what, const char* key, const auto& value, const char* cure) {
  return fmt::format("{} (model.{} is {}); train with {}", what, key, value, cure);
}

}  // namespace

std::string missing_in_marian(const ModelConfig& config) {
  ModelConfig plain = config;
  if (plain.decoder == model::DecoderKind::ssru) plain.decoder = model::DecoderKind::attention;
  if (const std::string missing = missing_in_plain_transformer(plain); !missing.empty())
    return missing;
  if (config.norm != model::Norm::post)
    return key_missing(
        "with layer norms before sublayers its decoder does not compute what its training does",
        "norm", config::name_of(config.norm), "model.norm: post");
  if (config.norm_epsilon != kMarianEpsilon)
    return key_missing("its layer norms add 1e-06 to a variance", "norm_epsilon",
                       config.norm_epsilon, "model.norm_epsilon: 1e-6");
  if (config.positions != "tensor2tensor" && config.positions != "learned" &&
      config.positions != "none")
    return key_missing("its sinusoids have other frequencies, and its decoder begins with zeros",
                       "positions", config.positions, "model.positions: tensor2tensor");
  if (config.kv_heads > 0 && config.kv_heads < config.heads)
    return key_missing("each of its heads has keys of its own", "kv_heads", config.kv_heads,
                       "model.kv_heads: 0");
  if (config.activation == model::Activation::gelu)
    return key_missing("its gelu is an approximation", "activation", "gelu",
                       "model.activation: silu or relu");
  return "";
}

std::string missing_in_bergamot(const ModelConfig& config) {
  if (const std::string missing = missing_in_marian(config); !missing.empty()) return missing;
  if (config.decoder != model::DecoderKind::ssru)
    return key_missing("its students have no self-attention in the decoder", "decoder",
                       config::name_of(config.decoder), "model.decoder: ssru");
  if (config.activation != model::Activation::relu)
    return key_missing("it computes relu, whatever a file says", "activation",
                       config::name_of(config.activation), "model.activation: relu");
  if (config.tie != model::Tie::all)
    return key_missing("its students have one table of vectors", "tie", config::name_of(config.tie),
                       "model.tie: all");
  if (config.positions == "none")
    return key_missing("it always adds positions", "positions", "none",
                       "model.positions: tensor2tensor");
  if (config.embedding_norm)
    return key_missing("it has no layer norm after embeddings", "embedding_norm", "true",
                       "model.embedding_norm: false");
  for (const auto& [key, width] :
       {std::pair("width", config.width), std::pair("feed_forward", config.feed_forward)})
    if (width % kWidthAtOnce != 0)
      return key_missing("its products take 64 numbers at once", key, width,
                         "a multiple of 64 there");
  return "";
}

std::string search_missing_in_marian(const decode::DecodeConfig& config) {
  if (config.length_penalty == decode::LengthPenalty::gnmt)
    return "it divides by length^alpha (decoding.length_penalty is gnmt); --set "
           "decoding.length_penalty=average";
  if (config.coverage_penalty > 0)
    return "it has no such penalty; --set decoding.coverage_penalty=0";
  if (config.min_length > 0) return "it has no such limit; --set decoding.min_length=0";
  if (config.no_repeat_ngram > 0) return "it has no such rule; --set decoding.no_repeat_ngram=0";
  if (std::ranges::any_of(config.forbid, [](const auto& piece) { return piece != "<unk>"; }))
    return "it forbids <unk> alone; --set decoding.forbid='[<unk>]'";
  if (decode::samples(config.sampling))
    return "heed's sampling is not its; --set decoding.sampling.top_k=0 --set "
           "decoding.sampling.top_p=0";
  if (config.mbr > 0) return "it knows no minimum Bayes risk; --set decoding.mbr=0";
  if (!config.glossary.empty()) return "it has no glossary; --set decoding.glossary=''";
  if (config.n_best > 1) return "its lists are an option of its command; --set decoding.n_best=1";
  return "";
}

std::string search_missing_in_bergamot(const decode::DecodeConfig& config) {
  if (const std::string missing = search_missing_in_marian(config); !missing.empty())
    return missing;
  if (config.beam_size > 1) return "it searches greedily; --set decoding.beam_size=1";
  if (config.word_penalty != 0) return "it has no word penalty; --set decoding.word_penalty=0";
  return "";
}

std::vector<int32_t> marian_rows(const Weights& weights, int64_t pieces, int64_t multiple) {
  const Array& bias = weights.at(names::within(model::kOutputModule, "bias"));
  std::vector<int32_t> rows = {text::kEnd, text::kUnknown};
  // Tuning may have changed such a bias a little.
  const auto is_written = [&](int32_t id) { return bias.data[id] > kNeverWritten / 2; };
  if (is_written(text::kPad) || is_written(text::kBegin))
    rows.insert(rows.end(), {text::kPad, text::kBegin});
  for (auto id = text::kEnd + 1; id < pieces; ++id) rows.push_back(id);
  while (std::ssize(rows) % multiple != 0) rows.push_back(-1);
  return rows;
}

MarianNetwork marian_network(const OwnModel& own, int64_t multiple, const std::string& place) {
  expect(missing_in_marian(own.model).empty(), "a model that Marian can run");
  MarianNetwork out{.source = marian_rows(own.weights, own.source.size(), multiple),
                    .target = marian_rows(own.weights, own.target.size(), multiple)};
  out.tensors = MarianNames(own, place).all(out.source, out.target);
  out.options = options_of(own, std::ssize(out.source), std::ssize(out.target));
  return out;
}

}  // namespace heed::exchange
