#include "run/config.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/installation.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/io.h"
#include "engine/network.h"
#include "model/description/traits.h"
#include "text/lines.h"
#include "train/losses.h"

namespace heed::run {
namespace {

/// The folder of a run is one in runs/, never that folder itself or one above: --overwrite deletes
/// what is in it.
void check_run_name(const Config& config) {
  const std::string& name = config.name;
  for (const auto& [key, text] : {std::pair("name", name), std::pair("output", config.output)})
    if (std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
      throw config::ConfigError(
          "{}: '{}' has a line feed, a tab or another control character; no command could be "
          "printed with it",
          key, one_line(text));
  if (!config.output.empty()) return;
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
    throw config::ConfigError(
        "name: '{}' cannot be a run's folder in runs/; change it, or set output", one_line(name));
}

/// Terms and gold alignments are of words, and stay unfound in pieces of words.
void check_words(const Config& config) {
  const data::VocabularyConfig& vocabulary = config.data.vocabulary;
  if (vocabulary.algorithm != data::VocabularyAlgorithm::pieces) return;
  if (!config.evaluation.alignments.empty() && data::lines_are_pieces_of_words(config.data))
    throw config::ConfigError(
        "evaluation.alignments: counts words, and lines are pieces of words; name "
        "data.vocabulary.codes, or set data.pieces: true, by which each piece is a word");
  if (config.decoding.glossary.empty()) return;
  if (config.data.pieces || vocabulary.codes.empty())
    throw config::ConfigError(
        "decoding.glossary: terms are words, and lines are pieces (data.vocabulary.algorithm: "
        "pieces); name data.vocabulary.codes without data.pieces, or leave the glossary out");
}

/// Checks what a loss of the attention needs of the model; `own` is its key in the section
/// `training`.
void check_attention_loss(const std::string& own, const Config& config) {
  const auto refuse = [](const std::string& key, const std::string& what) {
    throw config::ConfigError("training.{}: {}", key, what);
  };
  const model::ModelConfig& model = config.model;
  const model::Traits traits = model::traits(model);
  if (traits.has_self_attention) {
    const int64_t layer = config.training.taught_layer, head = config.training.taught_head;
    // The default is right for a single layer, too.
    if (layer >= model.decoder_layers || layer < std::min<int64_t>(-2, -model.decoder_layers))
      refuse("taught_layer", fmt::format("there is no layer {}, model.decoder_layers is {}", layer,
                                         model.decoder_layers));
    if (head >= model.heads)
      refuse("taught_head", fmt::format("there is no head {}, model.heads is {}, counted from 0",
                                        head, model.heads));
    const auto kept =
        model::kept_heads(model, model::AttentionKind::cross, model::decoder_layer(model, layer));
    if (std::ranges::find(kept, head) == kept.end())
      refuse("taught_head",
             fmt::format("model.pruned_heads names head {} of this layer; take another one", head));
  } else if (!traits.attends()) {
    refuse(own, "model.attention is none, and has no weights; set it to 0");
  }
  if (model.attention_normaliser != "softmax")
    refuse(own,
           "weights of 0 have no logarithm; set model.attention_normaliser: softmax, or this to 0");
}

void check_guided(const Config& config) {
  const model::ModelConfig& model = config.model;
  const auto refuse = [](const std::string& what) {
    throw config::ConfigError("training.guided_alignment: {}", what);
  };
  const model::Traits traits = model::traits(model);
  if (traits.window != model::Window::global)
    refuse(fmt::format(
        "links may be outside the window of model.window: {}; set window: global, or this to 0",
        config::name_of(traits.window)));
  if (traits.name == "luong_location" && config.data.max_length >= model.max_positions)
    refuse(
        "model.attention: luong_location has no weights after model.max_positions; set "
        "data.max_length below it, or this to 0");
  if (!data::has_alignment(config.data))
    refuse(
        "no corpus has an alignment; name a file in data.train.alignment (heed align makes "
        "one), or set it to 0");
}

void check_coverage(const Config& config) {
  if (model::traits(config.model).window == model::Window::local_p)
    throw config::ConfigError(
        "training.coverage_loss: the weights of model.window: local_p have no logarithms; set "
        "another window, or this to 0");
}

/// Checks that the model has dropout, because without it both predictions of a pair are the same.
void check_rdrop(const Config& config) {
  if (!model::traits(config.model).has_dropout)
    throw config::ConfigError(
        "training.consistency: rdrop compares two predictions with different dropout, and there is "
        "none; set model.dropout, or consistency: simcut");
}

/// Checks that the attention which decoding.alignment names exists.
void check_alignment(const Config& config) {
  const decode::AlignmentConfig& named = config.decoding.alignment;
  if (!named.is_given()) return;
  const auto refuse = [](const std::string& key, const std::string& what) {
    throw config::ConfigError("decoding.alignment.{}: {}", key, what);
  };
  const std::string key = named.layer >= 0 ? "layer" : "head";
  const model::Traits traits = model::traits(config.model);
  if (!traits.attends()) refuse(key, "model.attention is none, and links no words; set it to -1");
  if (!traits.has_self_attention)
    refuse(key, "a recurrent model has no layers of attention to choose among; set it to -1");
  const int64_t layers = config.model.decoder_layers, heads = config.model.heads;
  if (named.layer >= layers)
    refuse("layer", fmt::format("there is no layer {}, model.decoder_layers is {}, counted from 0",
                                named.layer, layers));
  if (named.head < 0) return;
  if (named.head >= heads)
    refuse("head", fmt::format("there is no head {}, model.heads is {}, counted from 0", named.head,
                               heads));
  const int64_t layer = alignment_layer(config);
  const auto kept = model::kept_heads(config.model, model::AttentionKind::cross, layer);
  if (!model::index_among(kept, named.head))
    refuse("head", fmt::format("model.pruned_heads names head {} of layer {}; take another one",
                               named.head, layer));
}

}  // namespace

int64_t alignment_layer(const Config& config) {
  if (config.decoding.alignment.layer >= 0) return config.decoding.alignment.layer;
  const bool guided = config.training.guided_alignment > 0;
  return model::decoder_layer(config.model, guided ? config.training.taught_layer : -2);
}

std::string config_file(const std::string& name) {
  std::error_code ignored;
  const auto is_there = [&](const std::string& path) {  // a corpus may have a folder of the name
    return std::filesystem::exists(path, ignored) &&
           (!std::filesystem::is_directory(path, ignored) ||
            std::filesystem::exists(file_in(path, kConfigFile), ignored));
  };
  if (is_there(name)) return name;
  if (name.starts_with("configs/"))
    if (const auto installed = installed_file("share/heed/" + name)) return *installed;
  if (!std::filesystem::path(name).has_extension())
    for (const char* ending : {".yaml", ".yml"})
      if (is_there(name + ending)) return name + ending;
  const std::string run = "runs/" + name;
  return name.find('/') == std::string::npos && is_there(run) ? run : name;
}

Config load_config(const std::string& path, const std::vector<std::string>& settings) {
  Config config;
  const std::string file = config_file(path);
  std::error_code none;
  const bool folder = std::filesystem::is_directory(file, none);
  config::load_file(config, folder ? file_in(file, kConfigFile) : file);
  return with_settings(std::move(config), settings);
}

void require_no_stream(const std::string& file, const std::string& who) {
  if (text::is_stream(file))
    throw UserError("{}: can be read only once, and {} reads it; save it to a file", file, who);
}

Config with_settings(Config config, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) config::set(config, setting);
  check(config);
  return config;
}

void check(const Config& config) {
  check_run_name(config);
  check_words(config);
  data::check(config.data);
  model::check(config.model, shares_pieces(config));
  train::check(config.training);
  decode::check(config.decoding);
  const model::Traits traits = model::traits(config.model);
  if (decode::is_int8(config.decoding.weights) && !engine::has_network(config.model))
    throw config::ConfigError(
        "decoding.weights: int8 does not work with mechanisms that you have added to a registry; "
        "set "
        "bf16 or fp32");
  if (config.decoding.coverage_penalty > 0 && !traits.attends())
    throw config::ConfigError(
        "decoding.coverage_penalty: counts attention, and model.attention is none; set it to 0");
  check_alignment(config);
  if (config.decoding.glossary_inline && config.data.terms == 0)
    throw config::ConfigError(
        "decoding.glossary_inline: the model has to be trained with data.terms; set it to false");
  for (const train::AuxiliaryLoss& loss : train::auxiliary_losses(config.training))
    if (loss.attends()) check_attention_loss(loss.key, config);
  if (config.training.adapters.kind != train::AdapterKind::none &&
      config.model.type == model::ModelType::rnn)
    throw config::ConfigError(
        "training.adapters.kind: lora is for model.type: transformer; set kind: none");
  if (config.training.epochs > 0 && !config.data.stages.empty())
    throw config::ConfigError(
        "training.epochs: data.stages say how often each corpus is read; set it to 0");
  if (config.training.guided_alignment > 0) check_guided(config);
  if (config.training.coverage_loss > 0) check_coverage(config);
  if (config.training.consistency == train::Consistency::rdrop) check_rdrop(config);
  score::check(config.evaluation);
}

bool is_joint(const Config& config) {
  return config.data.vocabulary.kind == data::VocabularyKind::joint;
}

bool shares_pieces(const Config& config) {
  return config.data.vocabulary.kind != data::VocabularyKind::separate;
}

std::string run_folder(const Config& config) {
  return config.output.empty() ? "runs/" + config.name : config.output;
}

}  // namespace heed::run

namespace heed {
template config::SectionView config::view(run::Config&, config::OnResume);
}  // namespace heed
