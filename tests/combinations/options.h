// The options that are combined, and the values they take, as text.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "config/view.h"
#include "run/config.h"

namespace heed::combinations {

enum Family { kRecurrent, kTransformer, kBoth };

struct Option {
  std::string path;
  Family family = kBoth;
  std::vector<std::string> values;  // the first is the plainest; empty: all that the type has
};

inline std::vector<Option> options() {
  return {
      {"model.cell", kRecurrent},
      {"model.embedding_size", kRecurrent, {"6", "9"}},
      {"model.hidden_size", kRecurrent, {"8", "10"}},
      {"model.layers", kRecurrent, {"1", "2"}},
      {"model.attention", kRecurrent, model::attention_names()},
      {"model.window", kRecurrent},
      {"model.window_size", kRecurrent, {"10", "1"}},
      {"model.input_feeding", kRecurrent},
      {"model.readout", kRecurrent},
      {"model.width", kTransformer, {"16", "24"}},
      {"model.feed_forward", kTransformer, {"12", "1"}},
      {"model.heads", kTransformer, {"2", "3", "8"}},
      {"model.kv_heads", kTransformer, {"0", "1", "2"}},
      {"model.encoder_layers", kTransformer, {"1", "2"}},
      {"model.decoder_layers", kTransformer, {"1", "2"}},
      {"model.decoder", kTransformer},
      {"model.norm", kTransformer},
      {"model.norm_epsilon", kTransformer, {"1e-05", "0.0003"}},
      {"model.embedding_norm", kTransformer},
      {"model.attention_heads", kRecurrent, {"1", "2"}},
      {"model.coverage", kRecurrent},
      {"model.coverage_size", kRecurrent, {"3", "10"}},
      {"model.positions", kTransformer, model::position_names()},
      {"model.max_positions", kBoth, {"40", "6"}},
      {"model.sliding_window", kTransformer, {"0", "1", "100"}},
      {"model.self_attention", kTransformer, model::self_attention_names()},
      {"model.pruned_heads", kTransformer, {"", "encoder.0.0"}},
      {"model.global_tokens", kTransformer, {"0", "1"}},
      {"model.attention_stride", kTransformer, {"0", "2"}},
      {"model.attention_scale", kTransformer},
      {"model.attention_normaliser", kBoth, model::normaliser_names()},
      {"model.activation", kTransformer},
      {"model.dropout", kBoth, {"0", "0.3"}},
      {"model.attention_dropout", kBoth, {"0", "0.3"}},
      {"model.activation_dropout", kTransformer, {"0", "0.3"}},
      {"model.word_dropout", kBoth, {"0", "0.3"}},
      {"model.tie", kBoth},
      {"precision", kBoth, {"fp32", "tf32", "bf16"}},
      {"deterministic", kBoth},
      {"data.vocabulary.kind", kBoth, {"joint", "separate"}},  // shared needs two files
      {"data.vocabulary.algorithm", kBoth},
      {"data.vocabulary.normalise", kBoth},
      {"data.vocabulary.symbols", kBoth, {"", "<de>"}},
      {"data.vocabulary.byte_fallback", kBoth},
      {"data.pieces", kBoth},
      {"data.source_language", kBoth, {"", "de"}},
      {"data.source_end", kBoth},
      {"data.target_language", kBoth, {"", "de"}},
      {"data.train.tag", kBoth, {"", "<bt>"}},
      {"data.train.weight", kBoth, {"1", "2"}},
      {"data.clean", kBoth, {"", "ratio"}},
      {"data.max_length", kBoth, {"256", "5"}},
      {"data.max_words", kBoth, {"0", "3"}},
      {"data.long_sentences", kBoth, {"drop", "truncate"}},
      {"data.subword_sampling", kBoth, {"0", "0.2"}},
      {"data.noise.upper", kBoth, {"0", "0.5"}},
      {"data.noise.title", kBoth, {"0", "0.5"}},
      {"data.noise.typos", kBoth, {"0", "0.3"}},
      {"data.noise.merged", kBoth, {"0", "0.3"}},
      {"data.noise.split", kBoth, {"0", "0.3"}},
      {"data.noise.punctuation", kBoth, {"0", "0.5"}},
      {"data.terms", kBoth, {"0", "0.5"}},
      {"data.pool", kBoth, {"1000", "7"}},
      {"training.batch_type", kBoth},
      {"training.batch_size", kBoth, {"50", "7"}},
      {"training.accumulate", kBoth, {"1", "2"}},
      {"training.micro_batches", kBoth, {"0", "3"}},
      {"training.epochs", kBoth, {"0", "1"}},
      {"training.freeze", kBoth, {"", "encoder"}},
      {"training.optimizer", kBoth},
      {"training.graphs", kBoth},
      {"training.quantise", kBoth, {"none", "int8"}},
      {"training.schedule", kBoth},
      {"training.warmup", kBoth, {"0", "3"}},
      {"training.weight_decay", kBoth, {"0", "0.01"}},
      {"training.label_smoothing", kBoth, {"0", "0.1"}},
      {"training.consistency", kBoth},
      {"training.consistency_weight", kBoth, {"3", "0.5"}},
      {"training.consistency_share", kBoth, {"0.05", "0.5"}},
      {"training.guided_alignment", kBoth, {"0", "0.5"}},
      {"training.taught_layer", kTransformer, {"-2", "0", "-1"}},
      {"training.taught_head", kTransformer, {"0", "1"}},
      {"training.guided_step", kBoth},
      {"training.coverage_loss", kBoth, {"0", "0.5"}},
      {"training.clip_norm", kBoth, {"1", "0"}},
      {"training.ema", kBoth, {"0", "0.9"}},
      {"training.keep_best", kBoth, {"1", "2"}},
      {"training.validate_bleu", kBoth},
      {"training.early_stopping.metric", kBoth},
      {"training.early_stopping.lower_is_better", kBoth},
      {"training.early_stopping.patience", kBoth, {"0", "1"}},
      {"training.validation_beam", kBoth, {"1", "2"}},
      {"training.validation_samples", kBoth, {"20", "0"}},
      {"training.validation_outputs", kBoth},
      {"training.tensorboard", kBoth},
      {"decoding.beam_size", kBoth, {"1", "3"}},
      {"decoding.n_best", kBoth, {"1", "2"}},
      {"decoding.length_penalty", kBoth},
      {"decoding.alpha", kBoth, {"1", "0.5"}},
      {"decoding.word_penalty", kBoth, {"0", "0.5"}},
      {"decoding.coverage_penalty", kBoth, {"0", "0.2"}},
      {"decoding.max_source_length", kBoth, {"1024", "3"}},
      {"decoding.min_length", kBoth, {"0", "2"}},
      {"decoding.no_repeat_ngram", kBoth, {"0", "2"}},
      {"decoding.forbid", kBoth, {"", "<unk>"}},
      {"decoding.sampling.top_k", kBoth, {"0", "3"}},
      {"decoding.sampling.top_p", kBoth, {"0", "0.9"}},
      {"decoding.sampling.temperature", kBoth, {"1", "0.5"}},
      {"decoding.glossary", kBoth, {"", "terms.tsv"}},
      {"decoding.glossary_exact_case", kBoth},
      {"decoding.glossary_whole_words", kBoth},
      {"decoding.glossary_inline", kBoth},
      {"decoding.mbr", kBoth, {"0", "3"}},
      {"decoding.batch_size", kBoth, {"32", "1", "0"}},
      {"decoding.weights", kBoth, {"fp32", "bf16", "int8", "auto_fp32", "auto_int8"}},
      {"decoding.alignment.layer", kTransformer, {"-1", "0"}},
      {"decoding.alignment.head", kTransformer, {"-1", "1"}},
      {"decoding.graphs", kBoth},
  };
}

/// All values of an enumeration or a truth value.
inline std::vector<std::string> values_of(const config::ValueView& value) {
  if (const auto* names = std::get_if<config::EnumView>(&value)) return *names->names;
  if (std::holds_alternative<bool*>(value)) return {"false", "true"};
  throw Bug("an option without values of its own");
}

inline void assign(const config::ValueView& value, const std::string& text) {
  if (auto* number = std::get_if<int64_t*>(&value)) {
    **number = std::stoll(text);
  } else if (auto* real = std::get_if<double*>(&value)) {
    **real = std::stod(text);
  } else if (auto* truth = std::get_if<bool*>(&value)) {
    **truth = text == "true";
  } else if (auto* words = std::get_if<std::string*>(&value)) {
    **words = text;
  } else if (auto* list = std::get_if<std::vector<std::string>*>(&value)) {
    (*list)->assign(text.empty() ? 0 : 1, text);
  } else {
    const auto& choice = std::get<config::EnumView>(value);
    for (std::size_t i = 0; i < choice.names->size(); ++i)
      if (choice.names->at(i) == text) choice.set(i);
  }
}

}  // namespace heed::combinations
