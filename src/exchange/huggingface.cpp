// Reads folders of Hugging Face's transformers: MarianMT, M2M-100, NLLB-200 and mBART-50.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
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

/// The vectors of positions of encoder and decoder.
using Tables = std::array<Array, 2>;

class HuggingFaceTransformer : public ForeignTransformer {
 public:
  /// `weights`, `config` and `settings` must outlive this object.
  HuggingFaceTransformer(const Weights& weights, const ModelConfig& config,
                         const JsonObject& settings, Tables positions)
      : weights_(weights), config_(config), settings_(settings), positions_(std::move(positions)) {}

  Affine module(const PeerModule& module) const override {
    std::vector<Affine> parts;
    for (const std::string& name : module.hugging_face) {
      const int64_t rows = name.ends_with(".fc1") ? config_.feed_forward : config_.width,
                    columns = name.ends_with(".fc2") ? config_.feed_forward : config_.width;
      const std::vector<int64_t> matrix = {rows, columns}, vector = {rows};
      parts.push_back(
          {read(name + ".weight", module.is_norm ? vector : matrix), read(name + ".bias", vector)});
    }
    return parts.size() == 1 ? parts[0] : joined(parts);
  }
  Array embedding(bool target) const override {
    return read(embedding_file_name(weights_, target), {-1, config_.width});
  }
  Affine output() const override {
    Affine out;
    if (weights_.contains("lm_head.weight"))
      out.weight = read("lm_head.weight", {-1, config_.width});
    if (weights_.contains("final_logits_bias")) {
      out.bias = read("final_logits_bias", {1, -1});
      out.bias.shape = {out.bias.columns()};
    }
    return out;
  }
  Array positions(bool decoder) const override { return positions_[decoder ? 1 : 0]; }

  /// Throws UserError where there is a tensor that was not read and that is no copy of another:
  /// config.json is that of a smaller model, or the network has parts that heed lacks.
  void require_all_read() const {
    for (const auto& [name, array] : weights_.all()) {
      if (read_.contains(name) || is_known(name)) continue;
      for (const bool decoder : {false, true}) {
        const int64_t layers = decoder ? config_.decoder_layers : config_.encoder_layers;
        if (name.starts_with(fmt::format("model.{}.layers.", model::names::stack(decoder))))
          throw UserError(
              "{}: '{}_layers' is {}, and the weights have the tensor {}, which such a layer, or "
              "so many layers, lack; they are not of one model",
              settings_.place(), model::names::stack(decoder), layers, one_line(name));
      }
      throw UserError(
          "{}: the weights have the tensor {}, which transformers lacks in '{}'; they are not of "
          "one model",
          settings_.place(), one_line(name), one_line(settings_.text("model_type", "")));
    }
  }

 private:
  /// Whether it repeats other numbers: word vectors, which require_tied() compares or which are not
  /// used beside a side's own; sinusoids, which transformers computes; fairseq's version.
  static bool is_known(const std::string& name) {
    for (const std::string stack : {"model.encoder.", "model.decoder."})
      if (name == stack + "embed_tokens.weight" || name.starts_with(stack + "embed_positions.") ||
          name == stack + "version")
        return true;
    return name == "model.shared.weight" || name == "lm_head.weight";
  }

  /// The tensor of a name; -1 stands for any size.
  const Array& read(const std::string& name, const std::vector<int64_t>& shape) const {
    read_.insert(name);
    const Array& array = weights_.at(name);
    const auto fits = [](int64_t size, int64_t wanted) { return wanted < 0 || size == wanted; };
    if (!std::ranges::equal(array.shape, shape, fits))
      throw UserError(
          "{}: 'd_model' is {} and 'encoder_ffn_dim' is {}, and the tensor {} is {}; they are not "
          "of one model",
          settings_.place(), config_.width, config_.feed_forward, name,
          nlohmann::json(array.shape).dump());
    return array;
  }

  const Weights& weights_;
  const ModelConfig& config_;
  const JsonObject& settings_;
  Tables positions_;
  mutable std::set<std::string> read_;
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
  if (!settings.has("activation_function"))
    throw UserError("{}: has no 'activation_function', which says relu, silu (swish) or gelu",
                    settings.place());
  const std::string name = settings.text("activation_function", "");
  if (name == "relu") return model::Activation::relu;
  if (name == "swish" || name == "silu") return model::Activation::silu;
  if (name == "gelu") return model::Activation::gelu;
  throw UserError("{}: 'activation_function' is '{}'; heed has relu, silu (swish) and gelu",
                  settings.place(), one_line(name));
}

/// The sizes and options of the network, which all kinds have under the same keys.
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
  config = checked(config, settings.place());
  constexpr int64_t kLargestTable = 1 << 28;  // numbers of the table of positions
  if (config.max_positions > kLargestTable / config.width)
    throw UserError("{}: 'max_position_embeddings' is {}; at most {} are possible with this width",
                    settings.place(), config.max_positions, kLargestTable / config.width);
  return config;
}

/// Throws UserError where the configuration asks for layer norms that transformers has in BART's
/// other relatives alone.
void require_no_other_norms(const JsonObject& settings) {
  for (const char* key : {"normalize_embedding", "extra_layer_norm"})
    if (settings.flag(key, false))
      throw UserError("{}: '{}' is true, and transformers has no such layer in '{}'",
                      settings.place(), key, one_line(settings.text("model_type", "")));
}

int64_t rows_of_side(const Weights& weights, bool target) {
  return weights.at(embedding_file_name(weights, target), {-1, -1}).rows();
}

/// Throws UserError where the numbers of word vectors, of config.json and of names do not match.
void require_rows_of(const Package& package, const JsonObject& settings, const Weights& weights,
                     bool target, const std::string& vocabulary, std::size_t names, int64_t added,
                     std::vector<std::string>& notes) {
  const char* own = "decoder_vocab_size";
  const std::string key = target && settings.has(own) ? own : "vocab_size";
  require_rows({.side = target ? "decoder" : "encoder",
                .key = key,
                .vocabulary = package.place_of(vocabulary),
                .rows = rows_of_side(weights, target),
                .said = settings.number(key),
                .names = static_cast<int64_t>(names),
                .added = added},
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
  int64_t added = 0;  // pieces of vocab.json's side that other files have
  require_no_other_norms(settings);
  out.model = shape_of(settings);
  out.model.norm = model::Norm::post;
  const bool shared = settings.flag("share_encoder_decoder_embeddings", true);
  const bool tied = settings.flag("tie_word_embeddings", true);
  out.model.tie = !tied ? model::Tie::none : shared ? model::Tie::all : model::Tie::decoder;
  const auto table = [&](const char* file, bool with_added) {
    NumberedPieces ids;
    ids.put_all(JsonObject(package, file).all(), package.place_of(file));
    if (with_added) {
      put_added(package, TokenizerKind::python, ids, out.notes);
      added = ids.added();
    }
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
  require_rows_of(package, settings, weights, false, "vocab.json", pieces.names.size(), added,
                  out.notes);
  if (!shared)
    require_rows_of(package, settings, weights, true, target_file_name, target.names.size(), 0,
                    out.notes);
  const std::vector<std::string> unnamed = name_rows(target.names, rows_of_side(weights, true));
  if (shared) pieces.names = target.names;
  const SideVocabularies sides = two_vocabularies(source_file, target_file, pieces, target, shared);
  out.languages = languages_among(pieces.names);
  const std::vector<int64_t> width = pairs_from_halves(out.model.width);
  const HuggingFaceTransformer transformer(weights, out.model, settings, {});
  finish(out, transformer, sides,
         {.start = start,
          .writes_start = target.names[start] != target.end,  // it is counted, and forbidden
          .width = width,
          .scaled = settings.flag("scale_embedding", false)},
         settings.place());
  transformer.require_all_read();
  out.decoding = proposed_search(package, out.model, target.names, 1, out.notes).decoding;
  append(out.decoding.forbid, unnamed);
  // With symbols, one of them is the language.
  if (pieces.symbols.empty() && target.symbols.empty() && package.has(kTokenizerConfig)) {
    const JsonObject tokenizer(package, kTokenizerConfig);
    out.source_language = code_of_language(tokenizer.text("source_lang", ""));
    out.target_language = code_of_language(tokenizer.text("target_lang", ""));
  }
  return out;
}

/// What the models of many languages differ in.
struct ManyLanguages {
  ForeignModel out;  // with the program's name
  NumberedPieces table;
  std::string vocabulary;  // the file of the ids
  /// Makes the vectors of positions of a network.
  std::function<Tables(const Weights& weights, const ModelConfig& config)> positions;
  bool embedding_norm = false;
  bool scales = true;  // word vectors, where config.json does not say it
  /// Whether a source begins with the symbol of the target's language, and a target with none.
  bool target_before_source = false;
};

constexpr const char* kSegments = "sentencepiece.bpe.model";

void require_segments(const Package& package) {
  if (!package.has(kSegments) && !package.has(kTokenizer))
    throw UserError(
        "{}: is missing, and so is tokenizer.json; take one of them from where the model is from",
        package.place_of(kSegments));
}

/// Whether it is a SMaLL-100 (Mohammadshahi et al. 2022): an M2M-100 with a tokenizer of its own,
/// which is a file beside the model.
bool is_small_100(const Package& package) {
  return package.has("tokenization_small100.py") ||
         (package.has(kTokenizerConfig) &&
          JsonObject(package, kTokenizerConfig).text("tokenizer_class", "") == "SMALL100Tokenizer");
}

/// Gives symbols of languages the names with which heed puts a target's language before the source:
/// __fr__ becomes <2fr>.
void put_before_source(text::ForeignPieces& pieces) {
  const auto rename = [&](std::string& name) {
    if (name.starts_with("__") && !languages_among({name}).empty())
      name = fmt::format("<2{}>", name.substr(2, name.size() - 4));
  };
  for (std::string& name : pieces.names) rename(name);
  for (auto& [name, cut] : pieces.symbols) rename(name);
}

/// Reads a model with one SentencePiece file, whose pieces' ids are in other files, and with
/// symbols of languages.
ForeignModel read_many_languages(const Package& package, const JsonObject& settings,
                                 ManyLanguages kind) {
  ForeignModel out = std::move(kind.out);
  out.model = shape_of(settings);
  out.model.embedding_norm = kind.embedding_norm;
  out.model.norm = model::Norm::pre;
  out.model.positions = "learned";
  out.model.tie = settings.flag("tie_word_embeddings", true) ? model::Tie::all : model::Tie::none;
  text::ForeignPieces pieces{.names = kind.table.names(),
                             .pad = "<pad>",
                             .unknown = "<unk>",
                             .end = "</s>",
                             .symbols = kind.table.symbols()};
  const Weights weights = huggingface_weights(package);
  require_tied(weights, out.model.tie, settings.place());
  require_rows_of(package, settings, weights, false, kind.vocabulary, pieces.names.size(),
                  kind.table.added(), out.notes);
  const std::vector<std::string> unnamed = name_rows(pieces.names, rows_of_side(weights, true));
  out.languages = languages_among(pieces.names);
  const std::vector<std::string> names = pieces.names;
  if (kind.target_before_source) put_before_source(pieces);
  const SideVocabularies sides = one_vocabulary(
      package.has(kSegments) ? segment_file(package, kSegments) : segments_of_tokenizer(package),
      pieces);
  const HuggingFaceTransformer transformer(weights, out.model, settings,
                                           kind.positions(weights, out.model));
  finish(out, transformer, sides,
         {.start = settings.number("decoder_start_token_id"),
          .scaled = settings.flag("scale_embedding", kind.scales)},
         settings.place());
  transformer.require_all_read();
  const int64_t given = kind.target_before_source ? 1 : 2;  // </s> and the language
  const ProposedSearch search = proposed_search(package, out.model, names, given, out.notes);
  out.decoding = search.decoding;
  append(out.decoding.forbid, unnamed);
  if (!kind.target_before_source)
    out.source_language = language_of_tokenizer(package, "src_lang", out.languages);
  out.target_language = search.target_language.empty()
                            ? language_of_tokenizer(package, "tgt_lang", out.languages)
                            : search.target_language;
  return out;
}

/// Reads M2M-100 or NLLB-200.
ForeignModel read_m2m_100(const Package& package, const JsonObject& settings) {
  require_no_other_norms(settings);
  require_segments(package);
  const bool nllb = !package.has("vocab.json");
  // Before `kind`: GCC 12 frees members of an aggregate twice where a later initializer throws.
  const bool target_before_source = is_small_100(package);
  ManyLanguages kind{.out = {.program = nllb ? "Hugging Face NLLB-200" : "Hugging Face M2M-100"},
                     .vocabulary = nllb ? kTokenizer : "vocab.json",
                     .positions =
                         [](const Weights&, const ModelConfig& config) {
                           constexpr int64_t kFirst = 2;
                           const Array table =
                               tensor2tensor_positions(kFirst, config.max_positions, config.width);
                           return Tables{table, table};
                         },
                     .target_before_source = target_before_source};
  if (kind.target_before_source) kind.out.program = "Hugging Face SMaLL-100";
  kind.table = nllb ? nllb_pieces(package, kSegments, kind.out.notes)
                    : m2m_100_pieces(package, kind.out.notes);
  if (nllb && package.has(kTokenizerConfig) &&
      JsonObject(package, kTokenizerConfig).flag("legacy_behaviour", false))
    kind.out.notes.push_back(fmt::format(
        "{}: 'legacy_behaviour' puts the source's language after a text; heed puts it before, as "
        "NLLB-200 was trained",
        package.place_of(kTokenizerConfig)));
  return read_many_languages(package, settings, std::move(kind));
}

/// Throws UserError unless sources are "LANGUAGE text </s>", as mBART-50 has them.
void require_mbart_50(const Package& package, const JsonObject& settings) {
  std::string kind = settings.text("tokenizer_class", ""), place = settings.place();
  if (kind.empty() && package.has(kTokenizerConfig)) {
    const JsonObject tokenizer(package, kTokenizerConfig);
    kind = tokenizer.text("tokenizer_class", "");
    place = tokenizer.place();
  }
  if (kind == "MBart50Tokenizer" || kind == "MBart50TokenizerFast") return;
  if (kind.empty() || kind == "MBartTokenizer" || kind == "MBartTokenizerFast")
    throw UserError(
        "{}: {}, whose sources end with their language and whose decoders begin with that of the "
        "target; heed puts languages before texts, as 'MBart50Tokenizer' does",
        place,
        kind.empty() ? "'tokenizer_class' is missing, so that transformers takes 'MBartTokenizer'"
                     : fmt::format("'tokenizer_class' is '{}'", kind));
  throw UserError("{}: 'tokenizer_class' is '{}'; heed opens mbart with 'MBart50Tokenizer'", place,
                  one_line(kind));
}

/// Reads mBART-50. transformers has norms before sublayers, after embeddings and after the last
/// block, whatever config.json says about them.
ForeignModel read_mbart(const Package& package, const JsonObject& settings) {
  require_mbart_50(package, settings);
  require_segments(package);
  ForeignModel out{.program = "Hugging Face mBART-50"};
  const NumberedPieces table = mbart_50_pieces(package, kSegments, out.notes);
  return read_many_languages(package, settings,
                             {.out = std::move(out),
                              .table = table,
                              .vocabulary = package.has(kTokenizer) ? kTokenizer : kSegments,
                              .positions =
                                  [](const Weights& weights, const ModelConfig& config) {
                                    constexpr int64_t kFirst =
                                        2;  // as fairseq counts, after that of <pad>
                                    Tables tables;
                                    for (const bool decoder : {false, true})
                                      tables[decoder ? 1 : 0] = rows_of(
                                          weights.at(fmt::format("model.{}.embed_positions.weight",
                                                                 decoder ? "decoder" : "encoder"),
                                                     {kFirst + config.max_positions, config.width}),
                                          kFirst, config.max_positions);
                                    return tables;
                                  },
                              .embedding_norm = true,
                              .scales = false});
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
  if (!settings.has("model_type"))
    throw UserError(
        "{}: has no 'model_type', which says marian, m2m_100 or mbart; take the file from where "
        "the model is from",
        settings.place());
  const std::string type = settings.text("model_type", "");
  if (type == "marian") return read_marian_mt(package, settings);
  if (type == "m2m_100") return read_m2m_100(package, settings);
  if (type == "mbart") return read_mbart(package, settings);
  throw UserError("{}: 'model_type' is '{}'; heed opens marian, m2m_100 (NLLB, too) and mbart",
                  settings.place(), one_line(type));
}

}  // namespace heed::exchange
