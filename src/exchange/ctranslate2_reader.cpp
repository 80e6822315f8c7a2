// Models that CTranslate2's converters wrote (the format: ctranslate2.cpp), with SentencePiece
// files beside them, such as packages of Argos Translate.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/run_folder.h"
#include "base/stand_in.h"
#include "base/strings.h"
#include "decode/search/config.h"
#include "engine/weights.h"
#include "exchange/arrays.h"
#include "exchange/ctranslate2.h"
#include "exchange/foreign_model.h"
#include "exchange/formats.h"
#include "exchange/json_object.h"
#include "exchange/marian_bin.h"
#include "exchange/model_bin.h"
#include "exchange/package.h"
#include "exchange/plain_transformer.h"
#include "exchange/side_vocabularies.h"
#include "exchange/transformer_parts.h"
#include "kernels/rows/positions.h"
#include "model/description/config.h"
#include "text/foreign_pieces.h"

namespace heed::exchange {
namespace {

using engine::Array;
using model::ModelConfig;

// What CTranslate2 adds to the variance in a layer norm where config.json does not say it.
constexpr double kEpsilon = 1e-5;

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

/// The file's table of positions, or where it has none the one that CTranslate2 computes:
/// OpenNMT-tf's sinusoids, from position 1 on.
Array position_table(const ModelBin& file, bool decoder, const ModelConfig& config) {
  const std::string name = positions_name(decoder);
  if (!file.has(name)) return tensor2tensor_positions(1, config.max_positions, config.width);
  return file.array(name, {-1, config.width});
}

class CTranslate2Transformer : public ForeignTransformer {
 public:
  CTranslate2Transformer(const ModelBin& file, const ModelConfig& config)
      : file_(file), config_(config) {}

  Affine module(const PeerModule& module) const override {
    const std::string& name = module.ctranslate2;
    if (!module.is_norm) return linear(name);
    return {file_.array(name + "/gamma", {-1}), file_.array(name + "/beta", {-1})};
  }
  Array embedding(bool target) const override {
    return file_.array(embedding_name(file_, target), {-1, -1});
  }
  Affine output() const override { return linear("decoder/projection"); }
  Array positions(bool decoder) const override {
    return rows_of(position_table(file_, decoder, config_), 0, config_.max_positions);
  }

 private:
  Affine linear(const std::string& name) const {
    Affine affine{file_.array(name + "/weight", {-1, -1})};
    if (file_.has(name + "/bias")) affine.bias = file_.array(name + "/bias", {-1});
    return affine;
  }

  const ModelBin& file_;
  const ModelConfig& config_;
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

/// Whether positions are inside attention, as in heed's `rotary`.
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

/// How many positions a model gets where its table has no end.
constexpr int64_t kGeneratedPositions = 1024;

/// Reads the positions of both sides, and how many of them both sides have.
void read_positions(const ModelBin& file, ModelConfig& config) {
  if (is_rotary(file, config)) {
    config.positions = "rotary";
    return;
  }
  config.max_positions = kGeneratedPositions;
  std::vector<Array> tables;
  for (const bool decoder : {false, true}) {
    tables.push_back(position_table(file, decoder, config));
    const int64_t rows = tables.back().rows();
    if (rows < 1) throw UserError("{}: '{}' is empty", file.place(), positions_name(decoder));
    config.max_positions = tables.size() == 1 ? rows : std::min(config.max_positions, rows);
  }
  const Sinusoids kind = sinusoids_in(tables[0]);
  const bool known = kind != Sinusoids::none && sinusoids_in(tables[1]) == kind;
  config.positions = known ? "sinusoidal" : "learned";
}

/// The factor of a side's word vectors: a switch says whether it is the root of their width, and a
/// real number is the factor itself.
double scale_of(const ModelBin& file, bool decoder, double root) {
  for (const char* name : {"/scale_embeddings", "/embeddings/multiply_by_sqrt_depth"}) {
    const std::string variable = side_of(decoder) + std::string(name);
    if (!file.has(variable)) continue;
    const double number = file.number(variable, 0);
    if (!file.is_switch(variable)) return number;
    return number != 0 ? root : 1;
  }
  return root;
}

void read_scale(const ModelBin& file, const ModelConfig& config, Numbering& numbering) {
  constexpr double kTolerance = 1e-6;  // of a root that was rounded to fp32
  const double root = std::sqrt(static_cast<double>(config.width));
  numbering.factor = scale_of(file, false, root);
  const double target = scale_of(file, true, root);
  if (numbering.factor != target)
    throw UserError(
        "{}: 'scale_embeddings' is {} in the encoder and {} in the decoder; heed's have the same",
        file.place(), numbering.factor, target);
  numbering.scaled = std::abs(target - root) <= kTolerance * root;
}

ModelConfig network_of_file(const ModelBin& file) {
  ModelConfig config;
  const Array first = file.array("encoder/layer_0/ffn/linear_0/weight", {-1, -1});
  config.feed_forward = first.rows();
  config.width = first.columns();
  config.heads = of_both(file, "num_heads", static_cast<double>(file.default_heads()));
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
  config.embedding_norm = file.has("encoder/layernorm_embedding/gamma");
  for (const char* one :
       {"encoder/embeddings_merge", "decoder/embeddings_merge", "encoder/alignment_layer",
        "encoder/alignment_heads", "decoder/alibi_use_positive_positions",
        "layernorm_embedding"})  // before revision 5: whether there are such tensors
    file.number(one, 0);         // change nothing here
  config = checked(config, file.place());
  read_positions(file, config);
  return config;
}

/// Sets the attention that links words. The file names a layer, from 0 or from the end, and the
/// number of its first heads whose mean is taken; 0: all. The last layer with its first head, or
/// with all, is what converters write where nothing was taught, too (CTranslate2 4.8.5): it leaves
/// heed's own choice.
void read_alignment(const ModelBin& file, ForeignModel& out) {
  const int64_t layers = out.model.decoder_layers;
  const double layer = file.number("decoder/alignment_layer", -1),
               heads = file.number("decoder/alignment_heads", 0);
  if (layer == -1 && heads <= 1) return;
  const double from_start = layer < 0 ? layer + static_cast<double>(layers) : layer;
  if (from_start < 0 || from_start >= static_cast<double>(layers))
    throw UserError("{}: 'decoder/alignment_layer' is {}; the decoder has {}", file.place(), layer,
                    counted(layers, "layer"));
  decode::AlignmentConfig& alignment = out.decoding.alignment;
  alignment.layer = static_cast<int64_t>(from_start);
  if (heads == 1)
    alignment.head = 0;
  else if (heads > 0 && heads < static_cast<double>(out.model.heads))
    out.notes.push_back(fmt::format(
        "'decoder/alignment_heads' is {}: CTranslate2 takes the mean of the first heads, and heed "
        "that of all; decoding.alignment.head names one",
        heads));
}

/// Throws UserError where a piece is there twice, with the numbers of both, from `first` on, which
/// are those of `entry`.
void require_each_once(const std::vector<std::string>& pieces, const std::string& place,
                       const char* entry, std::size_t first) {
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t id = 0; id < pieces.size(); ++id)
    if (const auto [found, is_new] = known.emplace(pieces[id], id); !is_new && !pieces[id].empty())
      throw UserError(
          "{}: '{}' is {} {} and {}; each piece has one, or the file is of another model", place,
          one_line(pieces[id]), entry, found->second + first, id + first);
}

/// Reads a list of pieces.
std::vector<std::string> vocabulary_in(const Package& package, const std::string& stem) {
  std::vector<std::string> pieces;
  if (package.has(stem + ".json")) {
    const std::string place = package.place_of(stem + ".json");
    pieces = pieces_in(json_in(package.read(stem + ".json").view, place), place);
    require_each_once(pieces, place, "piece", 0);
  } else {
    const Bytes bytes = package.read(stem + ".txt");
    pieces = split(bytes.view, '\n');
    if (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
    const auto has_return = [](const std::string& piece) { return piece.ends_with('\r'); };
    if (std::ranges::all_of(pieces, has_return))
      for (std::string& piece : pieces) piece.pop_back();
    require_each_once(pieces, package.place_of(stem + ".txt"), "line", 1);
  }
  return pieces;
}

/// The file that the user has named, or the first of `files` that the package has; empty: none.
SegmentFile segments_of(const Package& package, const std::string& named,
                        const std::vector<std::string>& files) {
  if (!named.empty()) return named_file(named);
  for (const std::string& file : files)
    if (package.has(file)) return segment_file(package, file);
  return {};
}

/// Throws UserError where the user names codes for text that a SentencePiece file cuts.
void require_no_codes(const Package& package, const SegmentFiles& named, const SegmentFile& file) {
  if (named.source_codes.empty()) return;
  throw UserError("--codes: {} is cut by {}; leave it out", package.place_of(""), file.place);
}

/// The vocabularies of text that is cut without SentencePiece: by codes of the user's or, in a
/// package of Argos Translate, of its `bpe.model`, or by another program.
SideVocabularies vocabularies_of_pieces(const Package& package, const SegmentFiles& named,
                                        const text::ForeignPieces& source,
                                        const text::ForeignPieces& target, bool shared,
                                        std::vector<std::string>& notes) {
  const bool is_argos = package.has(kArgosCodes) && named.source_codes.empty();
  const std::string own = is_argos ? std::string(package.read(kArgosCodes).view) : "";
  const auto file = [&](const text::ForeignPieces& pieces, bool of_target) {
    const std::string codes = is_argos ? own : codes_of(named, of_target);
    return file_of_pieces(pieces, codes, package.place_of(is_argos ? kArgosCodes : ""));
  };
  if (is_argos)
    notes.push_back(
        "Argos Translate tidies and tokenises text for bpe.model with sacremoses "
        "(MosesPunctNormalizer, MosesTokenizer, whose &apos; and &quot; stay), and joins "
        "translations with its MosesDetokenizer; heed does neither: give it tokenised lines");
  else
    notes.push_back(note_of_pieces(package.place_of(""), !named.source_codes.empty()));
  const SegmentFile first = file(source, false), second = file(target, true);
  if (shared && first.bytes == second.bytes) return one_vocabulary(first, source);
  return two_vocabularies(first, second, source, target, shared);
}

/// Reads the SentencePiece files beside the model by the names that Argos Translate, OPUS-MT and
/// heed give them.
SideVocabularies vocabularies_beside(const Package& package, const std::string& folder,
                                     const SegmentFiles& named, const text::ForeignPieces& source,
                                     const text::ForeignPieces& target, bool shared,
                                     std::vector<std::string>& notes) {
  const std::vector<std::string> joint = {"sentencepiece.model", folder + "sentencepiece.model",
                                          folder + kJointVocabulary,
                                          folder + "sentencepiece.bpe.model"};
  const SegmentFile one = segments_of(package, named.target.empty() ? named.source : "", joint);
  if (!one.bytes.empty() && named.target.empty()) {
    require_no_codes(package, named, one);
    if (shared) return one_vocabulary(one, source);
    return two_vocabularies(one, one, source, target, false);
  }
  // A file of both sides is the source's, too, where the target's alone is named.
  std::vector<std::string> of_source = {folder + kSourceVocabulary};
  if (!named.target.empty()) of_source.insert(of_source.end(), joint.begin(), joint.end());
  const SegmentFile first = segments_of(package, named.source, of_source),
                    second = segments_of(package, named.target, {folder + kTargetVocabulary});
  const bool none = first.bytes.empty() && second.bytes.empty();
  if (none && !are_of_sentencepiece(source.names))
    return vocabularies_of_pieces(package, named, source, target, shared, notes);
  if (!first.bytes.empty()) require_no_codes(package, named, first);
  if (first.bytes.empty() || second.bytes.empty())
    throw UserError(
        "{}: has no SentencePiece file {}, or {} and {}; name it with --source-sentencepiece, and "
        "a second one with --target-sentencepiece",
        package.place_of(folder), joint[0], kSourceVocabulary, kTargetVocabulary);
  return two_vocabularies(first, second, source, target, shared);
}

/// The pieces that the program puts around a text: config.json says them, and before version 6 of
/// the format variables did.
struct Conventions {
  std::string unknown = "<unk>", begin = "<s>", end = "</s>";
  std::string start;  // with which a decoder begins
  bool source_begin = false, source_end = false;
  double epsilon = kEpsilon;  // of layer norms
};

Conventions conventions_of(const Package& package, const std::string& folder,
                           const ModelBin& file) {
  Conventions found;
  const auto is_on = [&](const char* name, double otherwise) {
    return file.number(name, otherwise) != 0;
  };
  const auto refuse_start = [](const std::string& place, const char* what) {
    throw UserError(
        "{}: {}: whoever asks for a translation gives its first piece, and heed's decoders begin "
        "with the same one always",
        place, what);
  };
  if (file.version() < 6) {
    found.unknown = file.text("unk_token", found.unknown);
    found.begin = file.text("bos_token", found.begin);
    found.end = file.text("eos_token", found.end);
    found.source_begin = is_on("with_source_bos", 0);
    found.source_end = is_on("with_source_eos", 0);
    found.start = is_on("with_target_bos", 1) ? found.begin : found.end;
    if (is_on("user_decoder_start_tokens", 0))
      refuse_start(file.place(), "'user_decoder_start_tokens' is on");
    return found;
  }
  const std::string settings_file = folder + "config.json";
  if (!package.has(settings_file)) {
    found.start = found.begin;
    return found;
  }
  const JsonObject settings(package, settings_file);
  found.unknown = settings.text("unk_token", found.unknown);
  found.begin = settings.text("bos_token", found.begin);
  found.end = settings.text("eos_token", found.end);
  found.source_begin = settings.flag("add_source_bos", false);
  found.source_end = settings.flag("add_source_eos", false);
  found.start = settings.text("decoder_start_token", found.begin);
  if (settings.all().contains("decoder_start_token") && !settings.has("decoder_start_token"))
    refuse_start(settings.place(), "'decoder_start_token' is null");
  found.epsilon = settings.real("layer_norm_epsilon", kEpsilon);
  if (!(model::kLeastNormEpsilon <= found.epsilon && found.epsilon <= model::kMostNormEpsilon))
    throw UserError("{}: 'layer_norm_epsilon' is {}; heed has {} to {}", settings.place(),
                    found.epsilon, model::kLeastNormEpsilon, model::kMostNormEpsilon);
  return found;
}

/// Adds to the names the piece `unknown` where they lack it, as CTranslate2 does. Throws UserError
/// where vectors and names are not equally many then.
void complete_names(const ModelBin& file, const std::string& variable, const std::string& unknown,
                    const std::string& vocabulary, std::vector<std::string>& names) {
  const int64_t rows = file.array(variable, {-1, -1}).rows(), listed = std::ssize(names);
  const bool lacks_unknown = std::ranges::find(names, unknown) == names.end();
  if (lacks_unknown) names.push_back(unknown);
  if (rows == std::ssize(names)) return;
  throw UserError("{}: '{}' has {} rows, and {} names {} pieces{}; they are not of one model",
                  file.place(), variable, rows, vocabulary, listed,
                  lacks_unknown
                      ? fmt::format(", and lacks '{}' (unk_token), which CTranslate2 puts "
                                    "after them",
                                    one_line(unknown))
                      : "");
}

}  // namespace

std::string ctranslate2_file_in(const Package& package) {
  for (const char* file : {"model.bin", "model/model.bin"})  // the second: Argos Translate's
    if (package.has(file) && !is_marian_bin(package.read(file).view)) return file;
  return "";
}

ForeignModel read_ctranslate2(const Package& package, const SegmentFiles& segments) {
  const std::string model = ctranslate2_file_in(package),
                    folder = model.substr(0, model.rfind('/') + 1);
  const ModelBin file(package, model);
  ForeignModel out{.program = "CTranslate2"};
  out.model = network_of_file(file);
  read_alignment(file, out);
  const Conventions conventions = conventions_of(package, folder, file);
  out.model.norm_epsilon = conventions.epsilon;
  if (conventions.source_begin)
    throw UserError("{}: '{}': heed puts nothing before a source", file.place(),
                    file.version() < 6 ? "with_source_bos" : "add_source_bos");
  const auto has_vocabulary = [&](const std::string& stem) {
    return package.has(folder + stem + ".json") || package.has(folder + stem + ".txt");
  };
  // CTranslate2 looks for the shared one first.
  const bool shared = has_vocabulary("shared_vocabulary") || !has_vocabulary("source_vocabulary");
  const auto pieces_of = [&](const char* stem, const std::string& variable) {
    std::vector<std::string> names = vocabulary_in(package, folder + stem);
    complete_names(file, variable, conventions.unknown, package.place_of(folder + stem), names);
    return text::ForeignPieces{.names = names,
                               .pad = "<pad>",
                               .unknown = conventions.unknown,
                               .begin = conventions.begin,
                               .end = conventions.end,
                               .symbols = language_symbols(names)};
  };
  text::ForeignPieces source =
      pieces_of(shared ? "shared_vocabulary" : "source_vocabulary", embedding_name(file, false));
  text::ForeignPieces target =
      pieces_of(shared ? "shared_vocabulary" : "target_vocabulary", embedding_name(file, true));
  for (const text::ForeignPieces* side : {&source, &target})
    if ((side == &target || conventions.source_end) &&
        std::ranges::find(side->names, conventions.end) == side->names.end())
      throw UserError("{}: a text ends with '{}' (eos_token), which the vocabulary lacks",
                      file.place(), one_line(conventions.end));
  Numbering numbering;
  const std::string& start = conventions.start;
  // Converters of Hugging Face's models leave </s> to the tokenizer, and their decoders do not
  // begin with <s>.
  out.source_end = conventions.source_end || start != conventions.begin;
  if (file.number("decoder/start_from_zero_embedding", 0) == 0) {
    const auto found = std::ranges::find(target.names, start);
    if (found == target.names.end())
      throw UserError("{}: the decoder begins with '{}', which the vocabulary lacks", file.place(),
                      one_line(start));
    numbering.start = found - target.names.begin();
    numbering.writes_start = start != target.end;
    if (start != target.begin) source.begin = target.begin = "";  // it is another piece there
  }
  read_scale(file, out.model, numbering);
  std::vector<int64_t> width;
  if (out.model.positions == "sinusoidal" &&
      sinusoids_in(position_table(file, false, out.model)) == Sinusoids::halves)
    width = pairs_from_halves(out.model.width);
  numbering.width = width;
  finish(out, CTranslate2Transformer(file, out.model),
         vocabularies_beside(package, folder, segments, source, target, shared, out.notes),
         numbering, file.place());
  file.require_all_read();
  out.languages = languages_among(source.names);
  out.decoding.forbid = unused_among(target.names);
  if (out.model.positions != "rotary")
    out.decoding.max_source_length = std::max<int64_t>(out.model.max_positions - 1, 1);
  if (!file.quantised().empty())
    out.notes.push_back(
        fmt::format("its weights were {} and are fp32 now, with the same values; decoding.weights: "
                    "int8 makes them small again",
                    file.quantised()));
  // Argos Translate's packages name their languages.
  const char* const metadata = "metadata.json";
  if (source.symbols.empty() && target.symbols.empty() && package.has(metadata)) {
    const JsonObject names(package, metadata);
    out.source_language = code_of_language(names.text("from_code", ""));
    out.target_language = code_of_language(names.text("to_code", ""));
  }
  return out;
}

}  // namespace heed::exchange
