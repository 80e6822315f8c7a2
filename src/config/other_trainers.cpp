#include "config/other_trainers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/strings.h"

namespace heed::config {
namespace {

struct OtherTrainer {
  const char* name;
  std::string_view keys;  // that heed has not, with '|' between them
};

// Each key is in the sources of that program: OpenNMT-py 3.5, OpenNMT-tf 2.32, JoeyNMT 2.3, fairseq
// 0.12.2, Sockeye 3.1.34, Marian 1.12.
constexpr std::array<OtherTrainer, 6> kOtherTrainers = {{
    {"OpenNMT-py or Eole",
     "save_data|src_vocab|tgt_vocab|path_src|path_tgt|save_model|train_steps|valid_steps|world_"
     "size|"
     "gpu_ranks|accum_count|decay_method|report_every|src_seq_length|tgt_seq_length|src_vocab_size|"
     "param_init_glorot|encoder_type|decoder_type|enc_layers|dec_layers|word_vec_size|"
     "transformer_ff|bucket_size"},
    {"OpenNMT-tf",
     "model_dir|train_features_file|train_labels_file|eval_features_file|eval_labels_file|"
     "source_vocabulary|target_vocabulary|max_step|save_checkpoints_steps|auto_config|"
     "sample_buffer_size|effective_batch_size|decay_type"},
    {"JoeyNMT",
     "joeynmt_version|testing|src|trg|dev|random_seed|scheduling|validation_freq|logging_freq|"
     "early_stopping_metric|tied_embeddings|tied_softmax|initializer|embed_initializer|"
     "dataset_type|eval_metric|keep_best_ckpts|batch_multiplier|trg_vocab|beam_alpha|use_cuda|"
     "embedding_dim"},
    {"fairseq",
     "_name|task|criterion|optimization|lr_scheduler|distributed_training|max_update|update_freq|"
     "fixed_validation_seed|max_tokens"},
    {"Sockeye",
     "validation_source|validation_target|prepared_data|max_seq_len|num_layers|"
     "transformer_model_size|transformer_attention_heads|transformer_feed_forward_num_hidden|"
     "weight_tying_type|num_embed|decode_and_evaluate|checkpoint_interval|optimized_metric|"
     "initial_learning_rate"},
    {"Marian",
     "train-sets|valid-sets|dim-emb|dim-vocabs|mini-batch|mini-batch-fit|beam-size|vocabs|"
     "workspace|"
     "after|after-epochs|disp-freq|save-freq|valid-freq|valid-metrics|enc-depth|dec-depth|"
     "transformer-heads|lr-warmup|learn-rate|exponential-smoothing|relative-paths|models"},
}};

/// The key with which a line of YAML begins; "": none does.
std::string_view key_of_line(std::string_view line) {
  line = trim(line);
  if (line.starts_with("- ")) line = trim(line.substr(2));
  const std::size_t colon = line.find(':');
  if (colon == line.npos || (colon + 1 < line.size() && line[colon + 1] != ' ')) return "";
  const std::string_view key = line.substr(0, colon);
  const auto is_of_key = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  };
  return std::ranges::all_of(key, is_of_key) ? key : "";
}

}  // namespace

std::optional<std::string> flaw_of_other_trainer(const std::string& yaml, const std::string& name) {
  struct Hits {
    std::vector<std::string> keys;
    int line = 0;  // of the first key
  };
  std::array<Hits, kOtherTrainers.size()> hits;
  std::istringstream text(yaml);
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    const std::string key(key_of_line(line));
    for (std::size_t i = 0; i < hits.size() && !key.empty(); ++i) {
      const std::vector<std::string> own = split(kOtherTrainers[i].keys, '|');
      if (std::ranges::count(own, key) == 0 || std::ranges::count(hits[i].keys, key) > 0) continue;
      if (hits[i].keys.empty()) hits[i].line = number;
      hits[i].keys.push_back(key);
    }
  }
  const auto most =
      std::ranges::max_element(hits, {}, [](const Hits& one) { return one.keys.size(); });
  constexpr std::size_t kFewest = 2, kShown = 4;
  if (most->keys.size() < kFewest) return std::nullopt;
  std::vector<std::string> shown = most->keys;
  shown.resize(std::min(shown.size(), kShown));
  return fmt::format(
      "{}:{}: has keys of {} ({}{}), and heed reads no configurations of other trainers; `heed "
      "init` writes one for your corpus, and docs/training.md, \"Names of other trainers\", has "
      "heed's names",
      name, most->line, kOtherTrainers[static_cast<std::size_t>(most - hits.begin())].name,
      join(shown, ", "), most->keys.size() > kShown ? ", ..." : "");
}

}  // namespace heed::config
