// Models that CTranslate2's converters wrote (the format: ctranslate2.cpp), with SentencePiece
// files beside them, such as packages of Argos Translate.

#include "base/files.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "exchange/arrays.h"
#include "exchange/ctranslate2.h"
#include "exchange/formats.h"
#include "exchange/json_object.h"
#include "exchange/model_bin.h"
#include "kernels/rows/positions.h"

namespace heed::exchange {
namespace {

using engine::Array;
using model::ModelConfig;

const char* side_of(bool decoder) {
  return decoder ? "decoder" : "encoder";
}

std::string embedding_name(const ModelBin& file, bool target) {
  const std::string several = "encoder/embeddings_0/weight";
  if (target) return "decoder/embeddings/weight";
  return file.has(several) ? several : "encoder/embeddings/weight";
}

std::string positions_name(bool decoder) {
  return std::string(side_of(decoder)) + "/position_encodings/encodings";
}

std::string block(bool decoder, int64_t layer) {
  return fmt::format("{}/layer_{}", side_of(decoder), layer);
}

class CTranslate2Transformer : public ForeignTransformer {
 public:
  explicit CTranslate2Transformer(const ModelBin& file) : file_(file) {}

  Affine module(const PeerModule& module) const override {
    const std::string& name = module.ctranslate2;
    if (!name.ends_with("/layer_norm")) return linear(name);
    return {file_.array(name + "/gamma", {-1}), file_.array(name + "/beta", {-1})};
  }
  Array embedding(bool target) const override {
    return file_.array(embedding_name(file_, target), {-1, -1});
  }
  Affine output() const override { return linear("decoder/projection"); }
  Array positions(bool decoder) const override {
    return file_.array(positions_name(decoder), {-1, -1});
  }

 private:
  Affine linear(const std::string& name) const {
    Affine affine{file_.array(name + "/weight", {-1, -1})};
    if (file_.has(name + "/bias")) affine.bias = file_.array(name + "/bias", {-1});
    return affine;
  }

  const ModelBin& file_;
};

/// A number that both sides have, and that heed has once.
int64_t of_both(const ModelBin& file, const std::string& name, double otherwise) {
  const double encoder = file.number("encoder/" + name, otherwise),
               decoder = file.number("decoder/" + name, otherwise);
  if (encoder != decoder)
    throw UserError("{}: '{}' is {} in the encoder and {} in the decoder; heed's have the same",
                    file.place(), name, encoder, decoder);
  return static_cast<int64_t>(encoder);
}

int64_t layers_of(const ModelBin& file, bool decoder) {
  constexpr int64_t kMost = 64;
  int64_t layers = 0;
  while (layers <= kMost && file.has(block(decoder, layers) + "/ffn/linear_0/weight")) ++layers;
  return layers;
}

/// Whether positions are inside attention, as heed's `rotary` has them.
bool is_rotary(const ModelBin& file, const ModelConfig& config) {
  bool rotary = false;
  for (const bool decoder : {false, true})
    for (int64_t layer = 0; layer < (decoder ? config.decoder_layers : config.encoder_layers);
         ++layer) {
      const std::string name = block(decoder, layer) + "/self_attention/";
      if (!file.has(name + "rotary_dim")) continue;
      rotary = true;
      const double width = file.number(name + "rotary_dim", 0);
      if ((width != 0 && width != static_cast<double>(config.width / config.heads)) ||
          file.number(name + "rotary_interleave", 1) != 1 ||
          file.number(name + "rotary_base", kernels::kPositionBase) != kernels::kPositionBase)
        throw UserError("{}: '{}rotary_...' are other rotations than heed's", file.place(), name);
    }
  return rotary;
}

int64_t kv_heads_of(const ModelBin& file, const ModelConfig& config) {
  std::set<double> numbers;
  for (const bool decoder : {false, true})
    for (int64_t layer = 0; layer < (decoder ? config.decoder_layers : config.encoder_layers);
         ++layer)
      for (const char* attention : {"/self_attention", "/attention"})
        if (decoder || attention[1] == 's')
          numbers.insert(file.number(block(decoder, layer) + attention + "/num_heads_kv", 0));
  if (numbers.size() != 1)
    throw UserError("{}: its layers have not equally many heads of keys", file.place());
  return static_cast<int64_t>(*numbers.begin());
}

ModelConfig network_of_file(const ModelBin& file) {
  ModelConfig config;
  const Array first = file.array("encoder/layer_0/ffn/linear_0/weight", {-1, -1});
  config.feed_forward = first.rows();
  config.width = first.columns();
  config.heads = of_both(file, "num_heads", file.number("num_heads", 8));
  config.encoder_layers = layers_of(file, false);
  config.decoder_layers = layers_of(file, true);
  config.norm = of_both(file, "pre_norm", 1) != 0 ? model::Norm::pre : model::Norm::post;
  const int64_t code = of_both(file, "activation", 0);
  const auto* activation =
      std::ranges::find(kActivationCodes, code, &std::pair<model::Activation, int8_t>::second);
  if (activation == kActivationCodes.end())
    throw UserError("{}: activation {} is none of relu (0), swish (2) and gelu (3)", file.place(),
                    code);
  config.activation = activation->first;
  const std::string target = file.kept(embedding_name(file, true));
  config.tie = file.kept(embedding_name(file, false)) == target   ? model::Tie::all
               : file.kept("decoder/projection/weight") == target ? model::Tie::decoder
                                                                  : model::Tie::none;
  if (config.tie == model::Tie::all && file.kept("decoder/projection/weight") != target)
    config.tie = model::Tie::none;
  config.kv_heads = kv_heads_of(file, config);
  for (const char* one : {"decoder/alignment_layer", "decoder/alignment_heads",
                          "decoder/alibi_use_positive_positions"})
    file.number(one, 0);  // change nothing here
  config = checked(config, file.place());
  if (is_rotary(file, config)) {
    config.positions = "rotary";
  } else if (!file.has(positions_name(false))) {
    config.positions = "sinusoidal";
  } else {
    const Array table = file.array(positions_name(false), {-1, config.width});
    config.max_positions = table.rows();
    config.positions = sinusoids_in(table) == Sinusoids::none ? "learned" : "sinusoidal";
  }
  return config;
}

std::vector<std::string> vocabulary_in(const Package& package, const std::string& stem) {
  if (package.has(stem + ".json")) {
    const std::string place = package.place_of(stem + ".json");
    return pieces_in(json_in(package.read(stem + ".json").view, place), place);
  }
  const Bytes bytes = package.read(stem + ".txt");
  std::vector<std::string> pieces = split(bytes.view, '\n');
  if (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
  return pieces;
}

/// The named one, or the first of `files` that the package has; empty: none.
SegmentFile segments_of(const Package& package, const std::string& named,
                        const std::vector<std::string>& files) {
  if (!named.empty()) return {read_file(named), named};
  for (const std::string& file : files)
    if (package.has(file)) return segment_file(package, file);
  return {};
}

/// Files of SentencePiece as its users, Argos Translate, OPUS-MT and heed call them.
SideVocabularies vocabularies_beside(const Package& package, const std::string& folder,
                                     const SegmentFiles& named, const text::ForeignPieces& source,
                                     const text::ForeignPieces& target, bool shared) {
  const std::vector<std::string> joint = {"sentencepiece.model", folder + "sentencepiece.model",
                                          folder + kJointVocabulary,
                                          folder + "sentencepiece.bpe.model"};
  const SegmentFile one = segments_of(package, named.target.empty() ? named.source : "", joint);
  if (!one.bytes.empty() && (named.target.empty())) {
    if (shared) return one_vocabulary(one, source);
    return two_vocabularies(one, one, source, target, false);
  }
  const SegmentFile first = segments_of(package, named.source, {folder + kSourceVocabulary}),
                    second = segments_of(package, named.target, {folder + kTargetVocabulary});
  if (first.bytes.empty() || second.bytes.empty())
    throw UserError(
        "{}: has no SentencePiece file; name it with --source-sentencepiece, and a second one with "
        "--target-sentencepiece",
        package.place_of(folder));
  return two_vocabularies(first, second, source, target, shared);
}

}  // namespace

ForeignModel read_ctranslate2(const Package& package, const std::string& folder,
                              const SegmentFiles& segments) {
  const ModelBin file(package, folder + "model.bin");
  ForeignModel out{.program = "CTranslate2"};
  out.model = network_of_file(file);
  const std::string settings_file = folder + "config.json";
  const JsonObject settings =
      package.has(settings_file) ? JsonObject(package, settings_file) : JsonObject();
  if (settings.flag("add_source_bos", file.number("with_source_bos", 0) != 0))
    throw UserError("{}: 'add_source_bos': heed puts nothing before a source",
                    package.place_of(settings_file));
  const bool shared = !package.has(folder + "source_vocabulary.json") &&
                      !package.has(folder + "source_vocabulary.txt");
  const auto pieces_of = [&](const char* stem) {
    const std::vector<std::string> names = vocabulary_in(package, folder + stem);
    return text::ForeignPieces{.names = names,
                               .pad = "<pad>",
                               .unknown = settings.text("unk_token", "<unk>"),
                               .begin = settings.text("bos_token", "<s>"),
                               .end = settings.text("eos_token", "</s>"),
                               .symbols = languages_among(names)};
  };
  text::ForeignPieces source = pieces_of(shared ? "shared_vocabulary" : "source_vocabulary");
  text::ForeignPieces target = shared ? source : pieces_of("target_vocabulary");
  Numbering numbering;
  const std::string start = settings.text("decoder_start_token", source.begin);
  // Converters of Hugging Face's models leave </s> to the tokenizer, and their decoders do not
  // begin with <s>.
  out.source_end = settings.flag("add_source_eos", file.number("with_source_eos", 0) != 0) ||
                   start != source.begin;
  if (file.number("decoder/start_from_zero_embedding", 0) == 0) {
    const auto found = std::ranges::find(target.names, start);
    if (found == target.names.end())
      throw UserError("{}: the decoder begins with '{}', which the vocabulary lacks",
                      package.place_of(settings_file), one_line(start));
    numbering.start = found - target.names.begin();
    numbering.writes_start = start != target.end;
    if (start != target.begin) source.begin = target.begin = "";  // it is another piece there
  }
  numbering.scaled = of_both(file, "scale_embeddings", 1) != 0;
  std::vector<int64_t> width;
  const std::string table = positions_name(false);
  if (out.model.positions == "sinusoidal" && file.has(table) &&
      sinusoids_in(file.array(table, {-1, out.model.width})) == Sinusoids::halves)
    width = pairs_from_halves(out.model.width);
  numbering.width = width;
  finish(out, CTranslate2Transformer(file),
         vocabularies_beside(package, folder, segments, source, target, shared), numbering,
         file.place());
  if (const std::string other = positions_name(true); file.has(other))
    file.array(other, {-1, out.model.width});  // sinusoids, like the encoder's
  file.require_all_read();
  if (out.model.positions != "rotary")
    out.decoding.max_source_length = std::max<int64_t>(out.model.max_positions - 1, 1);
  if (!file.quantised().empty())
    out.notes.push_back(
        fmt::format("its weights were {} and are fp32 now, with the same values; decoding.weights: "
                    "int8 makes them small again",
                    file.quantised()));
  return out;
}

}  // namespace heed::exchange
