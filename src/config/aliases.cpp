// What Marian, fairseq, OpenNMT-py, JoeyNMT, Sockeye and Tensor2Tensor call the things that heed
// has, so that an error can name heed's word; none of these is accepted as a key. And keys of older
// versions of heed, which are.
#include <algorithm>

#include "base/strings.h"
#include "config/suggest.h"

namespace heed::config {
namespace {

/// A word of heed, and what others call it: in lower case, with `_` for `-`, separated by blanks.
/// Keys by their whole path, values as they are.
struct Known {
  const char *here, *elsewhere;
};

constexpr Known kKnown[] = {
    // sections
    {"data.train", "train_data trg"},
    {"data.valid", "dev validation"},
    {"decoding", "testing search"},
    {"training", "optimization"},
    // top
    {"seed", "random_seed"},
    {"output", "model_dir save_model save_dir"},
    {"device", "use_cuda gpu"},
    {"threads", "cpu_threads num_threads"},
    {"precision", "amp fp16"},
    // data
    {"data.train.source", "src"},
    {"data.train.target", "tgt"},
    {"data.max_length", "max_seq_len max_sent_length src_seq_length tgt_seq_length src_max_len"},
    {"data.vocabulary.size", "vocab_size dim_vocabs voc_limit"},
    {"data.vocabulary", "vocab vocabs"},
    {"data.vocabulary.algorithm", "model_type level"},
    {"data.vocabulary.kind", "share_vocab"},
    {"data.pool", "maxi_batch bucket_size"},
    {"data.subword_sampling", "sentencepiece_alphas bpe_dropout"},
    // model
    {"model.type", "encoder_type decoder_type arch"},
    {"model.cell", "rnn_type enc_cell dec_cell"},
    {"model.embedding_size", "word_vec_size dim_emb embed_dim embedding_dim embeddings"},
    {"model.hidden_size", "rnn_size dim_rnn hidden_dim"},
    {"model.layers", "enc_depth dec_depth num_layers depth"},
    {"model.attention", "global_attention attention_type"},
    {"model.input_feeding", "input_feed"},
    {"model.window_size", "window_width"},
    {"model.readout", "bridge"},
    {"model.width", "d_model model_dim model_size transformer_model_size"},
    {"model.feed_forward", "d_ff ff_size ffn_dim ffn_embed_dim transformer_ff transformer_dim_ffn"},
    {"model.heads", "num_heads n_heads transformer_heads"},
    {"model.kv_heads", "num_kv num_kv_heads"},
    {"model.encoder_layers", "enc_layers"},
    {"model.decoder_layers", "dec_layers"},
    {"model.norm", "layer_norm"},
    {"model.positions", "position_encoding positional_encoding max_relative_positions"},
    {"model.word_dropout", "embedding_dropout dropout_src"},
    {"model.activation_dropout", "relu_dropout ffn_dropout"},
    {"model.tie",
     "tied_embeddings tied_softmax tied_embeddings_all weight_tying_type share_embeddings "
     "share_decoder_embeddings share_all_embeddings"},
    // training
    {"training.guided_alignment", "guided_alignment_cost guided_alignment_weight lambda_align"},
    {"training.taught_layer", "alignment_layer transformer_guided_alignment_layer"},
    {"training.accumulate",
     "batch_multiplier accum_count accumulation gradient_accumulation update_freq update_interval "
     "optimizer_delay"},
    {"training.batch_size", "max_tokens mini_batch mini_batch_words"},
    {"training.optimizer", "optim"},
    {"training.learning_rate", "lr learn_rate initial_learning_rate"},
    {"training.betas", "adam_betas adam_beta1 adam_beta2 optimizer_params"},
    {"training.epsilon", "adam_eps"},
    {"training.schedule", "scheduling scheduler lr_scheduler decay_method lr_decay_inv_sqrt"},
    {"training.decay", "learning_rate_decay lr_decay decrease_factor"},
    {"training.warmup", "warmup_steps warmup_updates lr_warmup learning_rate_warmup"},
    {"training.clip_norm", "max_grad_norm clip_grad_norm gradient_clipping_threshold"},
    {"training.ema", "exponential_smoothing average_decay"},
    {"training.updates", "train_steps max_steps max_update max_updates after_batches steps"},
    {"training.epochs", "after_epochs max_epoch"},
    {"training.validate_every", "valid_freq validation_freq valid_steps"},
    {"training.save_every", "save_freq save_checkpoint_steps checkpoint_interval"},
    {"training.log_every", "disp_freq logging_freq report_every log_interval"},
    {"training.early_stopping.metric", "early_stopping_metric optimized_metric"},
    {"training.keep_best", "keep_best_ckpts"},
    {"training.keep_last", "keep_last_params keep_checkpoint"},
    // decoding
    {"decoding.beam_size", "beam beam_width"},
    {"decoding.n_best", "nbest nbest_size"},
    {"decoding.alpha", "lenpen beam_alpha length_penalty_alpha normalize"},
    {"decoding.coverage_penalty", "beta"},
    {"decoding.max_length_ratio", "max_length_factor max_output_length"},
    {"decoding.no_repeat_ngram", "no_repeat_ngram_size block_ngram_repeat"},
    {"decoding.sampling", "output_sampling"},
    {"decoding.sampling.top_k", "topk"},
    {"decoding.sampling.top_p", "topp"},
    {"decoding.weights", "compute_type quantize"},
    // evaluation
    {"evaluation.metrics", "eval_metrics valid_metrics"},
    {"evaluation.tokenize", "sacrebleu_tokenize"},
    {"evaluation.length_buckets", "buckets"},
    // values
    {"bahdanau", "mlp additive"},
    {"luong_dot", "dot_product"},
    {"luong_general", "bilinear multiplicative"},
    {"rnn", "seq2seq s2s amun recurrent"},
    {"sentences", "sents"},
    {"tokens", "words word"},
    {"inverse_sqrt", "inv_sqrt"},
    {"plateau", "plateau_reduce"},
    {"loss", "ppl perplexity cross_entropy"},
    {"average", "avg"},
    {"gnmt", "wu"},
    {"fp32", "float32"},
    {"fp16", "float16 half"},
    {"bf16", "bfloat16"},
    {"silu", "swish"},
    {"rotary", "rope"},
    {"all", "src_trg_softmax"},
    {"decoder", "trg_softmax"},
};

/// Without their section.
const std::map<std::string, std::string, std::less<>> kFormerKeys = {
    {"guided_head", "taught_head"},
    {"guided_layer", "taught_layer"},
};

}  // namespace

const std::map<std::string, std::string, std::less<>>& aliases() {
  static const auto all = [] {
    std::map<std::string, std::string, std::less<>> words;
    for (const auto& [here, elsewhere] : kKnown)
      for (const std::string& word : split_words(elsewhere)) words.emplace(word, here);
    return words;
  }();
  return all;
}

std::string present_key(const std::string& key) {
  const auto found = kFormerKeys.find(key);
  return found == kFormerKeys.end() ? key : found->second;
}

std::string known_elsewhere(std::string_view word) {
  std::string key = ascii_lower(word);
  std::ranges::replace(key, '-', '_');
  const auto found = aliases().find(key);
  return found == aliases().end() ? "" : found->second;
}

}  // namespace heed::config
