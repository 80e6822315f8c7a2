// Folders of Hugging Face's transformers: MarianMT, M2M-100 and NLLB-200.

#include "base/strings.h"
#include "exchange/arrays.h"
#include "exchange/formats.h"
#include "exchange/json_object.h"
#include "exchange/tensors.h"
#include "exchange/transformer_parts.h"

namespace heed::exchange {
namespace {

using engine::Array, engine::Weights;
using model::ModelConfig;

/// All tensors of model.safetensors or pytorch_model.bin, in one file or in several.
Weights huggingface_weights(const Package& package) {
  std::map<std::string, Array> arrays;
  std::string origin;
  const auto take = [&](const char* begin, const char* end, const auto& read) {
    for (const std::string& file : package.files()) {
      if (!file.starts_with(begin) || !file.ends_with(end) || file.find('/') != std::string::npos)
        continue;
      origin = package.place_of(file);
      for (const auto& [name, tensor] : read(package.read(file), origin))
        if (model::is_float(tensor.type)) arrays[name] = array_of(tensor, origin + ": " + name);
    }
  };
  take("model", ".safetensors", read_safetensors);
  if (arrays.empty()) take("pytorch_model", ".bin", read_pickle);
  if (arrays.empty())
    throw UserError(package.place_of("model.safetensors") +
                    ": is missing, and so is pytorch_model.bin");
  return Weights(std::move(arrays), origin);
}

class HuggingFaceTransformer : public ForeignTransformer {
 public:
  HuggingFaceTransformer(const Weights& weights, Array positions)
      : weights_(weights), positions_(std::move(positions)) {}

  Affine module(const PeerModule& module) const override {
    std::vector<Affine> parts;
    for (const std::string& name : module.hugging_face)
      parts.push_back({weights_.at(name + ".weight"), weights_.at(name + ".bias")});
    return parts.size() == 1 ? parts[0] : joined(parts);
  }
  Array embedding(bool target) const override {
    const std::string own =
        fmt::format("model.{}.embed_tokens.weight", target ? "decoder" : "encoder");
    const char* shared = "model.shared.weight";
    return weights_.at(weights_.contains(own) || !weights_.contains(shared) ? own : shared);
  }
  Affine output() const override {
    Affine out;
    if (weights_.contains("lm_head.weight")) out.weight = weights_.at("lm_head.weight");
    if (weights_.contains("final_logits_bias")) {
      out.bias = weights_.at("final_logits_bias", {1, -1});
      out.bias.shape = {out.bias.columns()};
    }
    return out;
  }
  Array positions(bool) const override { return positions_; }

 private:
  const Weights& weights_;
  Array positions_;
};

/// Throws UserError where a second key has another value: heed has one for both sides.
int64_t one_number(const JsonObject& settings, const std::string& key, const std::string& other) {
  const int64_t number = settings.number(key);
  if (settings.number(other) != number)
    throw UserError("{}: '{}' is {} and '{}' is {}; heed's encoder and decoder have the same",
                    settings.place(), key, number, other, settings.number(other));
  return number;
}

model::Activation activation_of(const JsonObject& settings) {
  const std::string name = settings.text("activation_function", "");
  if (name == "relu") return model::Activation::relu;
  if (name == "swish" || name == "silu") return model::Activation::silu;
  if (name == "gelu") return model::Activation::gelu;
  throw UserError("{}: 'activation_function' is '{}'; heed has relu, silu (swish) and gelu",
                  settings.place(), one_line(name));
}

/// What both kinds have.
ModelConfig shape_of(const JsonObject& settings) {
  ModelConfig config;
  config.width = settings.number("d_model");
  config.feed_forward = one_number(settings, "encoder_ffn_dim", "decoder_ffn_dim");
  config.heads = one_number(settings, "encoder_attention_heads", "decoder_attention_heads");
  config.encoder_layers = settings.number("encoder_layers");
  config.decoder_layers = settings.number("decoder_layers");
  config.activation = activation_of(settings);
  config.dropout = settings.real("dropout", 0.1);
  config.attention_dropout = settings.real("attention_dropout", 0);
  config.activation_dropout = settings.real("activation_dropout", 0);
  config.max_positions = settings.number("max_position_embeddings", config.max_positions);
  for (const char* key : {"normalize_embedding", "extra_layer_norm"})
    if (settings.flag(key, false))
      throw UserError("{}: '{}' is true; heed has no layer norm after embeddings", settings.place(),
                      key);
  config = checked(config, settings.place());
  constexpr int64_t kLargestTable = 1 << 28;  // of positions, in numbers
  if (config.max_positions > kLargestTable / config.width)
    throw UserError("{}: 'max_position_embeddings' is {}; at most {} are possible with this width",
                    settings.place(), config.max_positions, kLargestTable / config.width);
  return config;
}

/// Of generation_config.json, or of config.json, where earlier versions of transformers wrote it.
decode::DecodeConfig proposed_search(const Package& package, const ModelConfig& config) {
  const char* file = "generation_config.json";
  const JsonObject settings(package, package.has(file) ? file : "config.json");
  decode::DecodeConfig search;
  search.beam_size = std::clamp<int64_t>(settings.number("num_beams", search.beam_size), 1, 1000);
  search.no_repeat_ngram = std::clamp<int64_t>(settings.number("no_repeat_ngram_size", 0), 0, 100);
  search.alpha = std::clamp(settings.real("length_penalty", 1), 0., 10.);
  search.length_penalty = length_penalty_of(search.alpha);
  search.max_source_length = std::max<int64_t>(config.max_positions - 1, 1);
  return search;
}

/// The symbols of languages, in the order of their ids, by whichever file lists them.
std::vector<std::string> listed_languages(const Package& package) {
  for (const char* file : {"special_tokens_map.json", "tokenizer_config.json"}) {
    if (!package.has(file)) continue;
    const JsonObject settings(package, file);
    for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
      std::vector<std::string> languages;
      if (settings.has(key) && settings.all()[key].is_array())
        for (const auto& token : settings.all()[key]) {
          const auto& text =
              token.is_object() && token.contains("content") ? token["content"] : token;
          if (text.is_string()) languages.push_back(text);
        }
      if (!languages.empty()) return languages;
    }
  }
  throw UserError("{}: is missing, or lists no languages (additional_special_tokens)",
                  package.place_of("special_tokens_map.json"));
}

/// Two SentencePiece files, whose pieces have ids in vocab.json, of each side or of both.
ForeignModel read_marian_mt(const Package& package, const JsonObject& settings) {
  ForeignModel out{.program = "Hugging Face MarianMT"};
  out.model = shape_of(settings);
  out.model.norm = model::Norm::post;
  const bool shared = settings.flag("share_encoder_decoder_embeddings", true);
  const bool tied = settings.flag("tie_word_embeddings", true);
  out.model.tie = !tied ? model::Tie::none : shared ? model::Tie::all : model::Tie::decoder;
  const auto pieces_of = [&](const char* file) {
    return pieces_in(JsonObject(package, file).all(), package.place_of(file));
  };
  const auto table = [&](const char* file) {
    const std::vector<std::string> ids = pieces_of(file);
    return text::ForeignPieces{.names = ids,
                               .pad = "<pad>",
                               .unknown = "<unk>",
                               .end = "</s>",
                               .symbols = languages_among(ids)};
  };
  text::ForeignPieces pieces = table("vocab.json");
  text::ForeignPieces target = shared ? pieces : table("target_vocab.json");
  // OPUS-MT's decoders begin with <pad>; heed's own with <s>.
  const int64_t start = settings.number("decoder_start_token_id");
  if (start < 0 || start >= std::ssize(target.names))
    throw UserError("{}: 'decoder_start_token_id' is {}, and there are {} pieces", settings.place(),
                    start, target.names.size());
  if (const std::string& first = target.names[start]; first != target.pad && first != target.end)
    pieces.begin = target.begin = first;
  const SegmentFile source_file = segment_file(package, "source.spm"),
                    target_file = segment_file(package, "target.spm");
  const SideVocabularies sides = two_vocabularies(source_file, target_file, pieces, target, shared);
  const Weights weights = huggingface_weights(package);
  const std::vector<int64_t> width = pairs_from_halves(out.model.width);
  finish(out, HuggingFaceTransformer(weights, {}), sides,
         {.start = start,
          .writes_start = target.names[start] != target.end,  // it is counted, and forbidden
          .width = width,
          .scaled = settings.flag("scale_embedding", false)},
         settings.place());
  out.decoding = proposed_search(package, out.model);
  return out;
}

/// One SentencePiece file. M2M-100 has ids in vocab.json; NLLB those of the file, moved by one
/// behind four special pieces. The languages follow, by special_tokens_map.json.
ForeignModel read_m2m_100(const Package& package, const JsonObject& settings) {
  const bool nllb = !package.has("vocab.json");
  ForeignModel out{.program = nllb ? "Hugging Face NLLB-200" : "Hugging Face M2M-100"};
  out.model = shape_of(settings);
  out.model.norm = model::Norm::pre;
  out.model.positions = "learned";
  out.model.tie = model::Tie::all;
  const char* segments = "sentencepiece.bpe.model";
  text::ForeignPieces pieces{.pad = "<pad>", .unknown = "<unk>", .end = "</s>"};
  const std::string place = package.place_of(segments);
  if (nllb) {
    pieces.names = {"<s>", "<pad>", "</s>", "<unk>"};
    const std::vector<std::string> own = text::all_pieces(package.read(segments).view, place);
    pieces.names.insert(pieces.names.end(), own.begin() + std::min<std::size_t>(3, own.size()),
                        own.end());
  } else {
    pieces.names =
        pieces_in(JsonObject(package, "vocab.json").all(), package.place_of("vocab.json"));
  }
  pieces.symbols = listed_languages(package);
  pieces.names.insert(pieces.names.end(), pieces.symbols.begin(), pieces.symbols.end());
  if (nllb) pieces.names.emplace_back("<mask>");
  const int64_t rows = settings.number("vocab_size");
  if (rows < std::ssize(pieces.names))
    throw UserError("{}: 'vocab_size' is {}, and there are {} pieces", settings.place(), rows,
                    pieces.names.size());
  // What was made up to fill the last rows.
  while (std::ssize(pieces.names) < rows)
    pieces.names.push_back(fmt::format("<unused {}>", pieces.names.size()));
  const SideVocabularies sides = one_vocabulary(segment_file(package, segments), pieces);
  const Weights weights = huggingface_weights(package);
  constexpr int64_t kFirst = 2;
  finish(out,
         HuggingFaceTransformer(
             weights, tensor2tensor_positions(kFirst, out.model.max_positions, out.model.width)),
         sides,
         {.start = settings.number("decoder_start_token_id"),
          .scaled = settings.flag("scale_embedding", true)},
         settings.place());
  out.decoding = proposed_search(package, out.model);
  return out;
}

}  // namespace

ForeignModel read_huggingface(const Package& package) {
  const JsonObject settings(package, "config.json");
  const std::string type = settings.text("model_type", "");
  if (type == "marian") return read_marian_mt(package, settings);
  if (type == "m2m_100") return read_m2m_100(package, settings);
  throw UserError("{}: 'model_type' is '{}'; heed opens marian and m2m_100 (NLLB, too)",
                  settings.place(), one_line(type));
}

}  // namespace heed::exchange
