#include "exchange/marian_options.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "exchange/foreign_model.h"

namespace heed::exchange {
namespace {

using model::ModelConfig;

/// Options with which a Transformer of Marian computes something that heed does not have.
constexpr std::array kMustBeOff = {"right-left",
                                   "lemma-dim-emb",
                                   "lemma-dependency",
                                   "transformer-no-projection",
                                   "transformer-pool",
                                   "transformer-tied-layers",
                                   "input-reorder",
                                   "input-join-fields",
                                   "ulr"};

/// Options that make no difference to a Transformer, whatever their value: those of other networks
/// and of training, those that network_of_marian() reads itself, and those that Marian ignores in
/// files of this type (transformer-train-position-embeddings, -no-bias and -no-affine).
constexpr std::array kWithoutEffect = {"dec-cell",
                                       "dec-cell-base-depth",
                                       "dec-cell-high-depth",
                                       "dec-depth",
                                       "dim-emb",
                                       "dim-rnn",
                                       "dim-vocabs",
                                       "enc-cell",
                                       "enc-cell-depth",
                                       "enc-depth",
                                       "enc-type",
                                       "factors-combine",
                                       "factors-dim-emb",
                                       "input-types",
                                       "layer-normalization",
                                       "output-omit-bias",
                                       "separator-symbol",
                                       "skip",
                                       "tied-embeddings",
                                       "tied-embeddings-all",
                                       "tied-embeddings-src",
                                       "transformer-alibi-shift",
                                       "transformer-alibi-trainable",
                                       "transformer-attention-mask",
                                       "transformer-decoder-autoreg",
                                       "transformer-decoder-dim-ffn",
                                       "transformer-decoder-ffn-depth",
                                       "transformer-depth-scaling",
                                       "transformer-dim-aan",
                                       "transformer-dim-ffn",
                                       "transformer-disable-position-embeddings",
                                       "transformer-dropout",
                                       "transformer-dropout-attention",
                                       "transformer-dropout-ffn",
                                       "transformer-ffn-activation",
                                       "transformer-ffn-depth",
                                       "transformer-guided-alignment-layer",
                                       "transformer-heads",
                                       "transformer-no-affine",
                                       "transformer-no-bias",
                                       "transformer-postprocess",
                                       "transformer-postprocess-emb",
                                       "transformer-postprocess-top",
                                       "transformer-preprocess",
                                       "transformer-rnn-projection",
                                       "transformer-train-position-embeddings",
                                       "type",
                                       "ulr-dim-emb",
                                       "ulr-dropout",
                                       "ulr-softmax-temperature",
                                       "ulr-trainable-transformation",
                                       "version"};
/// Options of decoder.yml that change translations, their scores or what is printed of them, and
/// that are no keys of heed's search; with the reason.
constexpr std::pair<const char*, const char*> kLeftOutOfSearch[] = {
    {"output-sampling", "heed translate --sample draws translations"},
    {"output-approx-knn", "heed looks at all pieces"},
    {"force-decode", "heed translate --prefix begins translations"},
    {"skip-cost", "heed's scores are always log-probabilities"},
    {"allow-special", "heed never writes <s> and <pad>"},
    {"max-length-break", "heed translates longer lines as a whole"},
    {"n-best", "heed translate --n-best writes a list"},
    {"alignment", "heed translate --alignment writes links"},
    {"word-scores", "heed translate --scores writes them"},
    {"no-spm-encode", "heed reads text"},
    {"no-spm-decode", "heed writes text"},
    {"ignore-model-config", "the model's own options are read"},
    {"fp16", "an import computes in fp32; --set precision=bf16 is faster"}};

/// Options of decoder.yml that are read, or that change no translation: those of `marian-decoder
/// --help` in 1.12.42, and older ones of speed.
constexpr std::array kKnownToSearch = {"allow-unk",
                                       "authors",
                                       "beam-size",
                                       "cite",
                                       "config",
                                       "cpu-threads",
                                       "data-threads",
                                       "devices",
                                       "dump-config",
                                       "gemm-precision",
                                       "gemm-type",
                                       "input",
                                       "int8shift",
                                       "int8shiftAlphaAll",
                                       "int8shiftAll",
                                       "interpolate-env-vars",
                                       "log",
                                       "log-level",
                                       "log-time-zone",
                                       "max-length",
                                       "max-length-crop",
                                       "max-length-factor",
                                       "maxi-batch",
                                       "maxi-batch-sort",
                                       "mini-batch",
                                       "mini-batch-words",
                                       "model-mmap",
                                       "models",
                                       "normalize",
                                       "num-devices",
                                       "optimize",
                                       "output",
                                       "precision",
                                       "quantize-range",
                                       "quiet",
                                       "quiet-translation",
                                       "relative-paths",
                                       "seed",
                                       "shortlist",
                                       "ssplit-mode",
                                       "ssplit-prefix-file",
                                       "stat-freq",
                                       "vocabs",
                                       "weights",
                                       "word-penalty",
                                       "workspace"};

bool is_known_to_search(const std::string& option) {
  return std::ranges::count(kKnownToSearch, option) > 0 ||
         std::ranges::any_of(kLeftOutOfSearch,
                             [&](const auto& each) { return each.first == option; });
}

constexpr std::array kFamiliesWithoutEffect = {"bert-", "char-", "comet-", "transformer-aan-"};

bool is_without_effect(const std::string& option) {
  return std::ranges::count(kWithoutEffect, option) > 0 ||
         std::ranges::any_of(kFamiliesWithoutEffect,
                             [&](const char* begin) { return option.starts_with(begin); });
}

bool is_off_word(const YAML::Node& value) {
  if (!value.IsScalar()) return value.IsNull();
  const std::string& text = value.Scalar();
  // Marian writes "false"; its YAML takes the other words of people for the same.
  constexpr std::array kOff = {"",   "false", "False", "FALSE", "no",  "No",
                               "NO", "off",   "Off",   "OFF",   "none"};
  if (std::ranges::count(kOff, text) > 0) return true;
  double number = 1;
  return YAML::convert<double>::decode(value, number) && number == 0;
}

/// Whether a value means "off". It looks into lists, but not into lists inside them, which Marian
/// does not write, and which may contain themselves.
bool means_off(const YAML::Node& value) {
  if (value.IsSequence()) return std::ranges::all_of(value, is_off_word);
  return is_off_word(value);
}

/// The steps around a sublayer (a adds, n normalises, d drops out) without d, which is for training
/// alone.
std::string without_dropout(std::string steps) {
  std::erase(steps, 'd');
  return steps;
}

/// The value of an option. Throws UserError unless it is one of `values`.
std::string one_of(const MarianOptions& options, const std::string& option,
                   const std::string& otherwise, const std::vector<std::string>& values,
                   bool steps = false) {
  const std::string given = options.get(option, otherwise);
  std::string value = steps ? without_dropout(given) : given;
  if (std::ranges::count(values, value) == 0) {
    std::vector<std::string> quoted;
    for (const std::string& one : values) quoted.push_back("'" + one + "'");
    throw UserError("{}: option {} is '{}'; heed has {}{}", options.place(), option,
                    one_line(given), join(quoted, ", "), steps ? " (d aside)" : "");
  }
  return value;
}

void read_layers(const MarianOptions& options, ModelConfig& config) {
  const auto steps = [&](const char* option, const std::string& otherwise,
                         const std::vector<std::string>& values) {
    return one_of(options, option, otherwise, values, /*steps=*/true);
  };
  const bool pre = steps("transformer-preprocess", "", {"", "n"}) == "n";
  config.norm = pre ? model::Norm::pre : model::Norm::post;
  steps("transformer-postprocess", "dan", {pre ? "a" : "an"});
  steps("transformer-postprocess-top", "", {pre ? "n" : ""});
  config.embedding_norm = steps("transformer-postprocess-emb", "d", {"", "n"}) == "n";
  config.norm_epsilon = 1e-6;  // in all of Marian's layer norms
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
      one_of(options, "transformer-ffn-activation", "swish", {"swish", "relu"}) == "relu"
          ? model::Activation::relu
          : model::Activation::silu;
  for (const char* depth : {"transformer-ffn-depth", "transformer-decoder-ffn-depth"})
    if (const auto layers = options.get<int64_t>(depth, 2); layers != 2 && layers != 0)
      throw UserError("{}: option {} is {}; heed has 2", options.place(), depth, layers);
}

}  // namespace

YAML::Node yaml_in(std::string_view text, const std::string& place) {
  try {
    return YAML::Load(std::string(text.substr(0, text.find('\0'))));
  } catch (const YAML::Exception& fault) {
    throw UserError("{}: {}", place, one_line(fault.what()));
  }
}

MarianOptions::MarianOptions(std::string_view text, std::string place)
    : place_(std::move(place)), options_(yaml_in(text, place_)) {
  if (!options_.IsMap()) throw UserError(place_ + ": its options are no table");
}

bool MarianOptions::is_off(const std::string& option) const {
  const YAML::Node value = options_[option];
  return !value || means_off(value);
}

std::string MarianOptions::shown(const std::string& option) const {
  const YAML::Node value = options_[option];
  if (!value.IsSequence()) return one_line(YAML::Dump(value));
  std::vector<std::string> parts;
  for (const YAML::Node& part : value) parts.push_back(YAML::Dump(part));
  return one_line("[" + join(parts, ", ") + "]");
}

std::vector<std::string> MarianOptions::texts(const std::string& option) const {
  const YAML::Node value = options_[option];
  if (!value || value.IsNull()) return {};
  if (value.IsScalar()) return {value.Scalar()};
  return get<std::vector<std::string>>(option, {});
}

std::vector<std::string> MarianOptions::names() const {
  std::vector<std::string> names;
  for (const auto& entry : options_)
    if (entry.first.IsScalar()) names.push_back(entry.first.Scalar());
  return names;
}

ModelConfig network_of_marian(const MarianOptions& options, std::vector<std::string>& notes) {
  one_of(options, "type", "", {"transformer"});
  const bool recurs = one_of(options, "transformer-decoder-autoreg", "self-attention",
                             {"self-attention", "rnn"}) == "rnn";
  if (recurs) one_of(options, "dec-cell", "gru", {"ssru"});
  if (recurs && !options.is_off("transformer-rnn-projection"))
    throw UserError("{}: option transformer-rnn-projection is {}; heed lacks it", options.place(),
                    options.shown("transformer-rnn-projection"));
  one_of(options, "transformer-attention-mask", "default", {"default"});
  for (const std::string option : kMustBeOff)
    if (!options.is_off(option))
      throw UserError("{}: option {} is {}; heed lacks it", options.place(), option,
                      options.shown(option));
  for (const std::string& type : options.texts("input-types"))
    if (type != "sequence")
      throw UserError("{}: option input-types has '{}'; heed has 'sequence'", options.place(),
                      one_line(type));
  for (const std::string& option : options.names())
    if (!options.is_off(option) && !is_without_effect(option))
      notes.push_back(
          fmt::format("heed does not know Marian's option {} ({}): compare translations with "
                      "Marian's",
                      one_line(option), options.shown(option)));
  ModelConfig config;
  read_layers(options, config);
  if (recurs) config.decoder = model::DecoderKind::ssru;
  config.dropout = options.get<double>("transformer-dropout", 0.1);
  config.attention_dropout = options.get<double>("transformer-dropout-attention", 0);
  config.activation_dropout = options.get<double>("transformer-dropout-ffn", 0);
  config.tie = !options.is_off("tied-embeddings-all") ? model::Tie::all
               : !options.is_off("tied-embeddings")   ? model::Tie::decoder
                                                      : model::Tie::none;
  // Marian's frequencies are not those of the paper, and its decoders begin with zeros.
  config.positions =
      options.is_off("transformer-disable-position-embeddings") ? "tensor2tensor" : "none";
  return checked(config, options.place());
}

MarianOptions search_of_bergamot() {
  return {"beam-size: 1\nnormalize: 1.0\nword-penalty: 0\nmax-length-factor: 2.0\nalignment: soft",
          "Bergamot's search"};
}

bool allows_unknown(const MarianOptions& options) {
  if (options.is_off("allow-unk")) return false;
  const auto text = options.get<std::string>("allow-unk", "");
  bool allows = text == "1";
  if (!allows && !YAML::convert<bool>::decode(YAML::Node(text), allows))
    throw UserError("{}: option allow-unk is '{}', and neither true nor false", options.place(),
                    one_line(text));
  return allows;
}

void take_alignment_of_marian(const GuidedOptions& options, int64_t decoder_layers,
                              decode::AlignmentConfig& alignment, std::vector<std::string>& notes) {
  constexpr const char* kLayer = "transformer-guided-alignment-layer";
  constexpr const char* kUsual = "last";
  const MarianOptions& model = *options.model;
  const bool is_usual = model.get<std::string>(kLayer, kUsual) == kUsual;
  const auto number = is_usual ? decoder_layers : model.get<int64_t>(kLayer, decoder_layers);
  if (number < 1 || number > decoder_layers)
    throw UserError("{}: option {} is {}; the decoder has {}", model.place(), kLayer,
                    model.shown(kLayer), counted(decoder_layers, "layer"));
  const decode::AlignmentConfig taught{.layer = number - 1, .head = 0};
  const bool is_told = options.training != nullptr;
  if (is_told ? options.training->is_off("guided-alignment")
              : is_usual && (options.decoder == nullptr || options.decoder->is_off("alignment"))) {
    if (!is_told)
      notes.push_back(fmt::format(
          "without MODEL.npz.yml nothing says whether guided alignment taught a head; Marian's own "
          "alignments are those of decoding.alignment: {{layer: {}, head: 0}}",
          taught.layer));
    return;
  }
  alignment = taught;
  notes.push_back(fmt::format("head 0 of decoder layer {} links words{}", taught.layer,
                              is_told ? ": guided alignment taught it" : ", as in Marian"));
}

void take_search_of_marian(const MarianOptions& options, decode::DecodeConfig& search,
                           std::vector<std::string>& notes) {
  const auto beam = options.get<int64_t>("beam-size", search.beam_size);
  const auto alpha = options.get<double>("normalize", 0);
  const auto penalty = options.get<double>("word-penalty", 0);
  const auto factor = options.get<double>("max-length-factor", 3);
  const auto left_out = [&](const char* option, const char* why) {
    notes.push_back(
        fmt::format("decoder.yml's {}: {} is left out: {}", option, options.shown(option), why));
  };
  if (beam >= 1 && beam <= 1000)
    search.beam_size = beam;
  else
    left_out("beam-size", "decoding.beam_size is from 1 to 1000");
  // Both programs divide by the number of pieces, </s> included, to this power.
  if (alpha >= 0 && alpha <= 10) {
    search.length_penalty = length_penalty_of(alpha);
    search.alpha = alpha;
  } else {
    left_out("normalize", "decoding.alpha is from 0 to 10");
  }
  // Both count </s>, too.
  if (penalty >= -100 && penalty <= 100)
    search.word_penalty = penalty;
  else
    left_out("word-penalty", "decoding.word_penalty is from -100 to 100");
  // Marian's source length counts </s>: its limit is factor * (pieces + 1), rounded up.
  if (factor >= 0.1 && factor <= 100)
    search.max_length_ratio = search.max_length_extra = factor;
  else
    left_out("max-length-factor", "decoding.max_length_ratio is from 0.1 to 100");
  // Marian gives no translation of a longer source, or cuts it with max-length-crop; </s> counts.
  constexpr int64_t kNotThere = std::numeric_limits<int64_t>::max();
  const auto longest = options.get<int64_t>("max-length", kNotThere);
  if (longest > 1)
    search.max_source_length = std::min(search.max_source_length, longest - 1);
  else
    left_out("max-length", "decoding.max_source_length is at least 1");
  for (const auto& [option, why] : kLeftOutOfSearch)
    if (!options.is_off(option)) left_out(option, why);
  for (const auto& [option, why] :
       {std::pair("precision", "an import computes in fp32; --set precision=bf16 is faster"),
        std::pair("gemm-type", "--set decoding.weights=int8 is heed's")})
    if (const auto types = options.texts(option); !types.empty() && types[0] != "float32")
      left_out(option, why);
  for (const std::string& option : options.names())
    if (!options.is_off(option) && !is_without_effect(option) && !is_known_to_search(option))
      notes.push_back(
          fmt::format("heed does not know decoder.yml's {} ({}): compare translations with "
                      "Marian's",
                      one_line(option), options.shown(option)));
}

}  // namespace heed::exchange
