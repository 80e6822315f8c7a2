// Reads folders of Hugging Face's transformers: MarianMT, M2M-100 and NLLB-200.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "engine/weights.h"
#include "exchange/arrays.h"
#include "exchange/foreign_model.h"
#include "exchange/formats.h"
#include "exchange/huggingface_parts.h"
#include "exchange/json_object.h"
#include "exchange/package.h"
#include "exchange/plain_transformer.h"
#include "exchange/side_vocabularies.h"
#include "exchange/tensors.h"
#include "exchange/transformer_parts.h"
#include "model/description/config.h"
#include "text/foreign_pieces.h"
#include "text/symbol_cut.h"

namespace heed::exchange {
namespace {

using engine::Array, engine::Weights;
using model::ModelConfig;

std::string embedding_file_name(const Weights& weights, bool target) {
  const std::string own =
      fmt::format("model.{}.embed_tokens.weight", target ? "decoder" : "encoder");
  const char* shared = "model.shared.weight";
  return weights.contains(own) || !weights.contains(shared) ? own : shared;
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
    return weights_.at(embedding_file_name(weights_, target));
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

/// The sizes and options of the network, which both kinds have under the same keys.
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
  constexpr int64_t kLargestTable = 1 << 28;  // numbers of the table of positions
  if (config.max_positions > kLargestTable / config.width)
    throw UserError("{}: 'max_position_embeddings' is {}; at most {} are possible with this width",
                    settings.place(), config.max_positions, kLargestTable / config.width);
  return config;
}

int64_t rows_of_side(const Weights& weights, bool target) {
  return weights.at(embedding_file_name(weights, target), {-1, -1}).rows();
}

/// Throws UserError where the numbers of word vectors, of config.json and of names do not match.
void require_rows_of(const Package& package, const JsonObject& settings, const Weights& weights,
                     bool target, const std::string& vocabulary, std::size_t names,
                     std::vector<std::string>& notes) {
  const char* own = "decoder_vocab_size";
  const std::string key = target && settings.has(own) ? own : "vocab_size";
  require_rows({.side = target ? "decoder" : "encoder",
                .key = key,
                .vocabulary = package.place_of(vocabulary),
                .rows = rows_of_side(weights, target),
                .said = settings.number(key),
                .names = static_cast<int64_t>(names)},
               settings.place(), notes);
}

/// Throws UserError where matrices differ that are one according to config.json: programs do not
/// agree on which of them counts then.
void require_tied(const Weights& weights, model::Tie tie, const std::string& place) {
  if (tie == model::Tie::none) return;
  const std::string first = embedding_file_name(weights, true);
  const Array& vectors = weights.at(first);
  for (const std::string other :
       {"lm_head.weight", "model.shared.weight", "model.encoder.embed_tokens.weight"}) {
    const bool of_both = other != "lm_head.weight";
    if (!weights.contains(other) || (of_both && tie != model::Tie::all)) continue;
    const Array& same = weights.at(other);
    if (same.shape != vectors.shape ||
        !std::equal(vectors.data, vectors.data + vectors.count(), same.data))
      throw UserError(
          "{}: 'tie_word_embeddings' is not false, and the tensors {} and {} differ; say false "
          "there if they are to differ",
          place, first, other);
  }
}

void append(std::vector<std::string>& forbid, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (std::ranges::count(forbid, name) == 0) forbid.push_back(name);
}

/// Reads MarianMT: two SentencePiece files, whose pieces have ids in a vocab.json of each side or
/// of both.
ForeignModel read_marian_mt(const Package& package, const JsonObject& settings) {
  ForeignModel out{.program = "Hugging Face MarianMT"};
  out.model = shape_of(settings);
  out.model.norm = model::Norm::post;
  const bool shared = settings.flag("share_encoder_decoder_embeddings", true);
  const bool tied = settings.flag("tie_word_embeddings", true);
  out.model.tie = !tied ? model::Tie::none : shared ? model::Tie::all : model::Tie::decoder;
  const auto table = [&](const char* file, bool with_added) {
    NumberedPieces ids;
    ids.put_all(JsonObject(package, file).all(), package.place_of(file));
    if (with_added) put_added(package, TokenizerKind::python, ids, out.notes);
    text::ForeignPieces pieces{.names = ids.names(),
                               .pad = "<pad>",
                               .unknown = "<unk>",
                               .end = "</s>",
                               .symbols = ids.symbols()};
    for (text::ForeignSymbol& language :
         language_symbols(ids.names(), {.place = text::SymbolPlace::first}))
      if (std::ranges::count(ids.symbols(), language.piece, &text::ForeignSymbol::piece) == 0)
        pieces.symbols.push_back(std::move(language));
    return pieces;
  };
  const char* target_file_name = shared ? "vocab.json" : "target_vocab.json";
  text::ForeignPieces pieces = table("vocab.json", true);
  text::ForeignPieces target = shared ? pieces : table(target_file_name, false);
  // OPUS-MT's decoders begin with <pad>; heed's own with <s>.
  const int64_t start = settings.number("decoder_start_token_id");
  if (start < 0 || start >= std::ssize(target.names))
    throw UserError("{}: 'decoder_start_token_id' is {}, and there are {} pieces", settings.place(),
                    start, target.names.size());
  if (const std::string& first = target.names[start]; first != target.pad && first != target.end)
    pieces.begin = target.begin = first;
  const SegmentFile source_file = segment_file(package, "source.spm"),
                    target_file = segment_file(package, "target.spm");
  const Weights weights = huggingface_weights(package);
  require_tied(weights, out.model.tie, settings.place());
  require_rows_of(package, settings, weights, false, "vocab.json", pieces.names.size(), out.notes);
  if (!shared)
    require_rows_of(package, settings, weights, true, target_file_name, target.names.size(),
                    out.notes);
  const std::vector<std::string> unnamed = name_rows(target.names, rows_of_side(weights, true));
  if (shared) pieces.names = target.names;
  const SideVocabularies sides = two_vocabularies(source_file, target_file, pieces, target, shared);
  out.languages = languages_among(pieces.names);
  const std::vector<int64_t> width = pairs_from_halves(out.model.width);
  finish(out, HuggingFaceTransformer(weights, {}), sides,
         {.start = start,
          .writes_start = target.names[start] != target.end,  // it is counted, and forbidden
          .width = width,
          .scaled = settings.flag("scale_embedding", false)},
         settings.place());
  out.decoding = proposed_search(package, out.model, target.names, 1, out.notes).decoding;
  append(out.decoding.forbid, unnamed);
  return out;
}

/// Reads M2M-100 or NLLB-200: one SentencePiece file, whose pieces' ids are in other files.
ForeignModel read_m2m_100(const Package& package, const JsonObject& settings) {
  const bool nllb = !package.has("vocab.json");
  ForeignModel out{.program = nllb ? "Hugging Face NLLB-200" : "Hugging Face M2M-100"};
  out.model = shape_of(settings);
  out.model.norm = model::Norm::pre;
  out.model.positions = "learned";
  out.model.tie = settings.flag("tie_word_embeddings", true) ? model::Tie::all : model::Tie::none;
  const char* segments = "sentencepiece.bpe.model";
  if (!package.has(segments) && !package.has("tokenizer.json"))
    throw UserError(
        "{}: is missing, and so is tokenizer.json; take one of them from where the model is from",
        package.place_of(segments));
  const NumberedPieces table =
      nllb ? nllb_pieces(package, segments, out.notes) : m2m_100_pieces(package, out.notes);
  text::ForeignPieces pieces{.names = table.names(),
                             .pad = "<pad>",
                             .unknown = "<unk>",
                             .end = "</s>",
                             .symbols = table.symbols()};
  const Weights weights = huggingface_weights(package);
  require_tied(weights, out.model.tie, settings.place());
  require_rows_of(package, settings, weights, false, nllb ? "tokenizer.json" : "vocab.json",
                  pieces.names.size(), out.notes);
  const std::vector<std::string> unnamed = name_rows(pieces.names, rows_of_side(weights, true));
  out.languages = languages_among(pieces.names);
  const SideVocabularies sides = one_vocabulary(
      package.has(segments) ? segment_file(package, segments) : segments_of_tokenizer(package),
      pieces);
  constexpr int64_t kFirst = 2;
  finish(out,
         HuggingFaceTransformer(
             weights, tensor2tensor_positions(kFirst, out.model.max_positions, out.model.width)),
         sides,
         {.start = settings.number("decoder_start_token_id"),
          .scaled = settings.flag("scale_embedding", true)},
         settings.place());
  constexpr int64_t kGiven = 2;  // </s> and the language
  const char* tokenizer = "tokenizer_config.json";
  if (nllb && package.has(tokenizer) &&
      JsonObject(package, tokenizer).flag("legacy_behaviour", false))
    out.notes.push_back(fmt::format(
        "{}: 'legacy_behaviour' puts the source's language after a text; heed puts it before, as "
        "NLLB-200 was trained",
        package.place_of(tokenizer)));
  const ProposedSearch search =
      proposed_search(package, out.model, pieces.names, kGiven, out.notes);
  out.decoding = search.decoding;
  append(out.decoding.forbid, unnamed);
  out.source_language = language_of_tokenizer(package, "src_lang", out.languages);
  out.target_language = search.target_language.empty()
                            ? language_of_tokenizer(package, "tgt_lang", out.languages)
                            : search.target_language;
  return out;
}

}  // namespace

std::string huggingface_file_in(const Package& package) {
  const std::string settings = "config.json";
  if (!package.has(settings)) return "";
  // Other programs write a file of this name, too. Without weights of Hugging Face beside it, it is
  // theirs where they recognise the package.
  const bool is_of_others =
      !has_huggingface_weights(package) &&
      std::ranges::any_of(import_formats(), [&](const ImportFormat& format) {
        return format.file_in != huggingface_file_in && !format.file_in(package).empty();
      });
  return is_of_others ? "" : settings;
}

ForeignModel read_huggingface(const Package& package, const SegmentFiles& segments) {
  if (!segments.source.empty() || !segments.target.empty())
    throw UserError(
        "{}: a model of Hugging Face brings its own SentencePiece files; leave out "
        "--source-sentencepiece and --target-sentencepiece",
        package.place_of(""));
  const JsonObject settings(package, "config.json");
  const std::string type = settings.text("model_type", "");
  if (type == "marian") return read_marian_mt(package, settings);
  if (type == "m2m_100") return read_m2m_100(package, settings);
  throw UserError("{}: 'model_type' is '{}'; heed opens marian and m2m_100 (NLLB, too)",
                  settings.place(), one_line(type));
}

}  // namespace heed::exchange
