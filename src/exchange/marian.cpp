// Marian's own files: a .npz, in which the options are YAML, and vocabularies.
#include <yaml-cpp/yaml.h>

#include "base/files.h"
#include "base/strings.h"
#include "exchange/arrays.h"
#include "exchange/formats.h"
#include "exchange/json_object.h"

namespace heed::exchange {
namespace {

using engine::Array, engine::Weights;
using model::ModelConfig;

/// Up to a NUL, which Marian writes behind the text.
YAML::Node yaml_in(std::string_view text, const std::string& place) {
  try {
    return YAML::Load(std::string(text.substr(0, text.find('\0'))));
  } catch (const YAML::Exception& fault) {
    throw UserError("{}: {}", place, one_line(fault.what()));
  }
}

/// A table of text and number as JSON.
nlohmann::json yaml_of(std::string_view text, const std::string& place) {
  auto json = nlohmann::json::object();
  const YAML::Node table = yaml_in(text, place);
  if (!table.IsMap()) throw UserError(place + ": is no table of pieces and ids");
  for (const auto& entry : table)
    if (int64_t id = 0; entry.first.IsScalar() && YAML::convert<int64_t>::decode(entry.second, id))
      json[entry.first.Scalar()] = id;
    else
      throw UserError(place + ": is no table of pieces and ids");
  return json;
}

/// The options with which a model was trained.
class MarianOptions {
 public:
  MarianOptions(YAML::Node node, std::string place)
      : place_(std::move(place)), node_(std::move(node)) {
    if (!node_.IsMap()) throw UserError(place_ + ": its options are no table");
  }

  template <class Value>
  Value get(const std::string& option, const Value& otherwise) const {
    const YAML::Node value = node_[option];
    if (!value || value.IsNull()) return otherwise;
    try {
      return value.as<Value>();
    } catch (const YAML::Exception&) {
      throw UserError("{}: option {} has a value of another kind", place_, option);
    }
  }

  /// Throws UserError unless the option has one of these values.
  std::string one_of(const std::string& option, const std::string& otherwise,
                     const std::vector<std::string>& values) const {
    std::string value = get(option, otherwise);
    if (std::ranges::count(values, value) == 0)
      throw UserError("{}: option {} is '{}'; heed has {}", place_, option, one_line(value),
                      join(values, ", "));
    return value;
  }
  void require_off(const std::vector<std::string>& options) const {
    for (const std::string& option : options)
      if (get(option, false)) throw UserError("{}: option {} is on; heed lacks it", place_, option);
  }

  const std::string& place() const { return place_; }

 private:
  std::string place_;
  YAML::Node node_;
};

ModelConfig network_by(const MarianOptions& options) {
  options.one_of("type", "", {"transformer"});
  options.one_of("transformer-decoder-autoreg", "self-attention", {"self-attention"});
  options.one_of("transformer-postprocess-emb", "d", {"d", ""});
  options.require_off({"transformer-no-projection", "transformer-pool",
                       "transformer-rnn-projection", "lemma-dim-emb", "transformer-no-affine"});
  ModelConfig config;
  const std::string before =
      options.one_of("transformer-preprocess", "", {"", "d", "n", "nd", "dn"});
  const bool pre = before.find('n') != std::string::npos;
  config.norm = pre ? model::Norm::pre : model::Norm::post;
  options.one_of("transformer-postprocess", "dan",
                 pre ? std::vector<std::string>{"da", "a"} : std::vector<std::string>{"dan", "an"});
  options.one_of("transformer-postprocess-top", "",
                 pre ? std::vector<std::string>{"n"} : std::vector<std::string>{""});
  config.width = options.get<int64_t>("dim-emb", 512);
  config.feed_forward = options.get<int64_t>("transformer-dim-ffn", 2048);
  const auto decoder_inner = options.get<int64_t>("transformer-decoder-dim-ffn", 0);
  if (decoder_inner > 0 && decoder_inner != config.feed_forward)
    throw UserError("{}: option transformer-decoder-dim-ffn is {}; heed has one width, {}",
                    options.place(), decoder_inner, config.feed_forward);
  config.heads = options.get<int64_t>("transformer-heads", 8);
  config.encoder_layers = options.get<int64_t>("enc-depth", 6);
  config.decoder_layers = options.get<int64_t>("dec-depth", 6);
  config.activation =
      options.one_of("transformer-ffn-activation", "swish", {"swish", "relu"}) == "relu"
          ? model::Activation::relu
          : model::Activation::silu;
  for (const char* depth : {"transformer-ffn-depth", "transformer-decoder-ffn-depth"})
    if (const auto layers = options.get<int64_t>(depth, 2); layers != 2 && layers != 0)
      throw UserError("{}: option {} is {}; heed has 2", options.place(), depth, layers);
  config.dropout = options.get<double>("transformer-dropout", 0.1);
  config.attention_dropout = options.get<double>("transformer-dropout-attention", 0);
  config.activation_dropout = options.get<double>("transformer-dropout-ffn", 0);
  config.tie = options.get("tied-embeddings-all", false) ? model::Tie::all
               : options.get("tied-embeddings", false)   ? model::Tie::decoder
                                                         : model::Tie::none;
  config.positions = "learned";  // Marian's frequencies are not those of the paper
  return checked(config, options.place());
}

class MarianTransformer : public ForeignTransformer {
 public:
  MarianTransformer(const Weights& weights, const ModelConfig& config)
      : weights_(weights), config_(config) {}

  Affine module(const PeerModule& module) const override {
    if (module.marian[0].ends_with("_ln")) return norm(module.marian[0]);
    std::vector<Affine> parts;
    for (const std::string& name : module.marian) {
      const std::size_t letter = name.rfind("_W") + 1;
      parts.push_back({transposed(weights_.at(name, {-1, -1})),
                       vector(std::string(name).replace(letter, 1, "b"))});
    }
    return parts.size() == 1 ? parts[0] : joined(parts);
  }
  Array embedding(bool target) const override {
    const std::string own = target ? "decoder_Wemb" : "encoder_Wemb";
    return weights_.at(weights_.contains(own) ? own : "Wemb");
  }
  Affine output() const override {
    const std::string name = "decoder_ff_logit_out_";
    Affine out;
    if (weights_.contains(name + "W"))
      out.weight = transposed(weights_.at(name + "W", {-1, -1}));
    else if (weights_.contains(name + "Wt"))
      out.weight = weights_.at(name + "Wt");
    if (weights_.contains(name + "b")) out.bias = vector(name + "b");
    return out;
  }
  Array positions(bool) const override {
    if (weights_.contains("Wpos")) return weights_.at("Wpos", {-1, -1});
    return tensor2tensor_positions(0, config_.max_positions, config_.width);
  }

 private:
  /// Kept as a matrix of one row.
  Array vector(const std::string& name) const {
    Array row = weights_.at(name, {1, -1});
    row.shape = {row.columns()};
    return row;
  }
  Affine norm(const std::string& name) const {
    const char* suffix = weights_.contains(name + "_scale_pre") ? "_pre" : "";
    return {vector(name + "_scale" + suffix), vector(name + "_bias" + suffix)};
  }

  const Weights& weights_;
  const ModelConfig& config_;
};

/// The vocabularies of both sides: .yml files of "piece: id" with source.spm and target.spm beside
/// them, as OPUS-MT has it, or SentencePiece files whose ids are Marian's.
SideVocabularies vocabularies_of(const Package& package, const SegmentFiles& named, bool shared) {
  const auto files_with = [&](const char* ending) {
    std::vector<std::string> files;
    std::ranges::copy_if(package.files(), std::back_inserter(files), [&](const std::string& file) {
      return file.ends_with(ending) && !file.ends_with("decoder.yml") &&
             !file.ends_with(".npz.yml");
    });
    return files;
  };
  SegmentFile source, target;
  if (!named.source.empty()) {
    source = {read_file(named.source), named.source};
    target = named.target.empty() ? source : SegmentFile{read_file(named.target), named.target};
  } else if (const auto files = files_with(".spm"); files.size() == 1 || files.size() == 2) {
    source = segment_file(package, files.front());
    target = segment_file(package, files.back());
  } else {
    throw UserError(
        "{}: has {} SentencePiece files (.spm); name that of the source with "
        "--source-sentencepiece, and that of the target with --target-sentencepiece",
        package.place_of(""), files.size());
  }
  const auto tables = files_with("vocab.yml");
  const auto pieces = [&](std::vector<std::string> names) {
    text::ForeignPieces side{.unknown = "<unk>", .end = "</s>"};
    side.symbols = languages_among(names);
    side.names = std::move(names);
    return side;
  };
  const auto of_table = [&](const std::string& file) {
    const std::string place = package.place_of(file);
    return pieces(pieces_in(yaml_of(package.read(file).view, place), place));
  };
  const auto of_segments = [&](const SegmentFile& segments) {
    return pieces(text::all_pieces(segments.bytes, segments.place));
  };
  const text::ForeignPieces of_source =
      tables.empty() ? of_segments(source) : of_table(tables.front());
  const text::ForeignPieces of_target = tables.empty()       ? of_segments(target)
                                        : tables.size() == 1 ? of_source
                                                             : of_table(tables.back());
  if (source.bytes == target.bytes && of_source.names == of_target.names)
    return one_vocabulary(source, of_source);
  return two_vocabularies(source, target, of_source, of_target, shared);
}

/// As marian-decoder was to be called: beam-size, normalize.
decode::DecodeConfig search_of_marian(const Package& package, const ModelConfig& config) {
  decode::DecodeConfig search;
  search.max_source_length = config.max_positions - 1;
  if (!package.has("decoder.yml")) return search;
  const std::string place = package.place_of("decoder.yml");
  const MarianOptions options(yaml_in(package.read("decoder.yml").view, place), place);
  search.beam_size =
      std::clamp<int64_t>(options.get<int64_t>("beam-size", search.beam_size), 1, 1000);
  search.alpha = std::clamp(options.get<double>("normalize", 0), 0., 10.);
  search.length_penalty = length_penalty_of(search.alpha);
  return search;
}

}  // namespace

ForeignModel read_marian(const Package& package, const std::string& file,
                         const SegmentFiles& segments) {
  const std::string place = package.place_of(file);
  const Tensors tensors = read_npz(package.read(file), place);
  const auto yaml = tensors.find("special:model.yml");
  if (yaml == tensors.end())
    throw UserError(place + ": has no options (special:model.yml); Marian from 1.2 on saves them");
  const MarianOptions options(yaml_in(yaml->second.bytes.view, place), place);
  ForeignModel out{.program = "Marian", .model = network_by(options)};
  std::map<std::string, Array> arrays;
  for (const auto& [name, tensor] : tensors)
    if (model::is_float(tensor.type)) arrays[name] = array_of(tensor, place + ": " + name);
  const Weights weights(std::move(arrays), place);
  if (weights.contains("Wpos")) out.model.max_positions = weights.at("Wpos", {-1, -1}).rows();
  finish(out, MarianTransformer(weights, out.model),
         vocabularies_of(package, segments, out.model.tie == model::Tie::all), {}, place);
  out.decoding = search_of_marian(package, out.model);
  return out;
}

}  // namespace heed::exchange
