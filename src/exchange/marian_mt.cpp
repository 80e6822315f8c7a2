#include "exchange/marian_mt.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "config/schema.h"
#include "decode/search/search.h"
#include "exchange/arrays.h"
#include "exchange/plain_transformer.h"
#include "model/description/safetensors_file.h"
#include "model/description/safetensors_header.h"

namespace heed::exchange {
namespace {

using nlohmann::ordered_json;

template <class Json>
void write_json(const Json& value, const std::string& path) {
  write_atomic(path, value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

/// Adds the ids that both the configuration of the network and that of the search need.
ordered_json with_special_ids(ordered_json value) {
  value["pad_token_id"] = text::kPad;
  value["bos_token_id"] = value["decoder_start_token_id"] = text::kBegin;
  value["eos_token_id"] = value["forced_eos_token_id"] = text::kEnd;
  return value;
}

ordered_json network_of(const MarianParts& parts) {
  const model::ModelConfig& config = parts.model;
  // SiLU has two names in transformers; OPUS-MT's models use "swish".
  const std::string activation =
      config.activation == model::Activation::silu ? "swish" : config::name_of(config.activation);
  return with_special_ids({{"architectures", {"MarianMTModel"}},
                           {"model_type", "marian"},
                           {"is_encoder_decoder", true},
                           {"vocab_size", parts.source.size()},
                           {"decoder_vocab_size", parts.target.size()},
                           {"share_encoder_decoder_embeddings", config.tie == model::Tie::all},
                           {"tie_word_embeddings", config.tie != model::Tie::none},
                           {"scale_embedding", true},
                           {"max_position_embeddings", kMarianPositions},
                           {"d_model", config.width},
                           {"encoder_layers", config.encoder_layers},
                           {"encoder_attention_heads", config.heads},
                           {"encoder_ffn_dim", config.feed_forward},
                           {"decoder_layers", config.decoder_layers},
                           {"decoder_attention_heads", config.heads},
                           {"decoder_ffn_dim", config.feed_forward},
                           {"activation_function", activation},
                           {"dropout", config.dropout},
                           {"attention_dropout", config.attention_dropout},
                           {"activation_dropout", config.activation_dropout},
                           {"dtype", "float32"}});
}

/// The options with which transformers searches as heed does, as far as it can.
ordered_json search_of(const decode::DecodeConfig& config, const text::Vocabulary& target) {
  ordered_json search = with_special_ids(ordered_json::object());
  auto never = ordered_json::array({{text::kPad}, {text::kBegin}});
  for (const std::string& piece : config.forbid)
    if (const auto id = target.id_of(piece)) never.push_back({*id});
  search["bad_words_ids"] = never;
  // Both limits count bos in transformers, and neither does in heed.
  search["max_length"] =
      1 + decode::length_limit(config, config.max_source_length, kMarianPositions);
  if (config.min_length > 0) search["min_length"] = config.min_length + 1;
  if (config.no_repeat_ngram > 0) search["no_repeat_ngram_size"] = config.no_repeat_ngram;
  if (config.n_best > 1) search["num_return_sequences"] = config.n_best;
  const bool samples = decode::samples(config.sampling);
  search["do_sample"] = samples;
  search["num_beams"] = samples ? 1 : config.beam_size;
  if (samples) {
    search["top_k"] = config.sampling.top_k;
    search["top_p"] = config.sampling.top_p > 0 ? config.sampling.top_p : 1;
    search["temperature"] = config.sampling.temperature;
  } else if (config.beam_size > 1) {
    search["length_penalty"] = length_exponent(config);
    // The search ends when no hypothesis can become better, or, where that takes too long, when as
    // many hypotheses have ended as the beam has.
    search["early_stopping"] = config.length_penalty == decode::LengthPenalty::none
                                   ? ordered_json("never")
                                   : ordered_json(true);
  }
  return search;
}

nlohmann::json ids_of(const text::Vocabulary& vocabulary) {
  nlohmann::json ids;  // sorted by key: an ordered_json would look at all keys to find one
  for (int32_t id = 0; id < vocabulary.size(); ++id) ids[vocabulary.piece(id)] = id;
  return ids;
}

ordered_json tokenizer_of(const MarianParts& parts, bool joint) {
  const text::Vocabulary& source = parts.source;
  // Symbols are found before SentencePiece cuts a line, so that it puts no word start before them.
  ordered_json symbols = ordered_json::object();
  for (int32_t id = 0; id < source.size(); ++id)
    if (const std::string piece = source.piece(id); source.has_symbol(piece))
      symbols[std::to_string(id)] = {{"content", piece}, {"special", false}};
  ordered_json tokenizer = {{"tokenizer_class", "MarianTokenizer"},
                            {"separate_vocabs", !joint},
                            {"model_max_length", kMarianPositions},
                            {"pad_token", source.piece(text::kPad)},
                            {"unk_token", source.piece(text::kUnknown)},
                            {"bos_token", source.piece(text::kBegin)},
                            {"eos_token", source.piece(text::kEnd)},
                            {"clean_up_tokenization_spaces", false},
                            // With this, a line that spells </s> means these letters; but symbols
                            // would not be found, either.
                            {"split_special_tokens", symbols.empty()},
                            {"added_tokens_decoder", symbols}};
  if (!parts.source_language.empty()) tokenizer["source_lang"] = parts.source_language;
  if (!parts.target_language.empty()) tokenizer["target_lang"] = parts.target_language;
  return tokenizer;
}

void write_weights(const MarianParts& parts, const std::string& path) {
  const std::vector<int64_t> order = halves_from_pairs(parts.model.width);
  const engine::Weights weights = with_scaled_queries(parts.model, parts.weights);
  std::vector<engine::Array> arrays;
  std::vector<model::SlotBytes> slots;
  const auto add = [&](const std::string& name, engine::Array array) {
    arrays.push_back(array);
    slots.push_back({{.name = name, .type = model::Dtype::F32, .shape = array.shape},
                     {reinterpret_cast<const char*>(array.data), array.count() * sizeof(float)}});
  };
  for (const HuggingFaceTensor& tensor : hugging_face_tensors(parts.model)) {
    const engine::Array& own = weights.at(tensor.own);
    const int64_t rows = own.rows() / tensor.parts;
    engine::Array array = rows_of(own, tensor.part * rows, rows);
    if (tensor.state_rows) array = with_rows(array, order);
    if (tensor.state_columns) array = with_columns(array, order);
    add(tensor.name, array);
  }
  engine::Array bias = weights.at(model::names::within(model::kOutputModule, "bias"));
  bias.shape.insert(bias.shape.begin(), 1);
  add("final_logits_bias", bias);
  model::write_safetensors(std::move(slots), {{"format", "pt"}}, path);
}

}  // namespace

std::string missing_in_marian_mt(const model::ModelConfig& config) {
  const std::string missing = missing_in_plain_transformer(config);
  if (!missing.empty()) return missing;
  if (config.norm != model::Norm::post)
    return fmt::format("its layer norms come after the sublayers (model.norm is {})",
                       config::name_of(config.norm));
  if (config.embedding_norm)
    return "it has no layer norm after embeddings (model.embedding_norm is true)";
  constexpr double kEpsilon = 1e-5;  // of transformers' layer norms there, which no file changes
  if (config.norm_epsilon != kEpsilon)
    return fmt::format("its layer norms add {} to a variance (model.norm_epsilon is {})", kEpsilon,
                       config.norm_epsilon);
  if (config.positions != "sinusoidal")
    return fmt::format("it has sinusoids alone (model.positions is {})", config.positions);
  if (config.kv_heads > 0 && config.kv_heads < config.heads)
    return fmt::format("each of its heads has keys of its own (model.kv_heads is {})",
                       config.kv_heads);
  return "";
}

void write_marian_mt(const MarianParts& parts, const std::string& folder) {
  expect(missing_in_marian_mt(parts.model).empty(), "a model that can be a MarianMT");
  const auto place = [&](const char* name) { return folder + "/" + name; };
  const nlohmann::json source = ids_of(parts.source), target = ids_of(parts.target);
  const bool joint = source == target;  // however each side segments text into these pieces
  write_json(network_of(parts), place("config.json"));
  write_json(search_of(parts.decoding, parts.target), place("generation_config.json"));
  write_json(tokenizer_of(parts, joint), place("tokenizer_config.json"));
  write_json(source, place("vocab.json"));
  if (!joint) write_json(target, place("target_vocab.json"));
  parts.source.save(place("source.spm"));
  parts.target.save(place("target.spm"));
  write_weights(parts, place("model.safetensors"));
}

}  // namespace heed::exchange
