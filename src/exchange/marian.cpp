// Reads Marian's own files: a .npz or .bin, in which the options are YAML, and vocabularies.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "engine/weights.h"
#include "exchange/arrays.h"
#include "exchange/foreign_model.h"
#include "exchange/formats.h"
#include "exchange/json_object.h"
#include "exchange/marian_bin.h"
#include "exchange/marian_files.h"
#include "exchange/marian_options.h"
#include "exchange/marian_shortlist.h"
#include "exchange/package.h"
#include "exchange/plain_transformer.h"
#include "exchange/side_vocabularies.h"
#include "exchange/tensors.h"
#include "exchange/transformer_parts.h"
#include "model/description/config.h"
#include "model/description/safetensors_header.h"
#include "text/foreign_pieces.h"
#include "text/language_tags.h"
#include "text/vocabulary.h"

namespace heed::exchange {
namespace {

using engine::Array, engine::Weights;
using model::ModelConfig;

/// Returns a YAML table of texts and numbers as JSON.
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

class MarianTransformer : public ForeignTransformer {
 public:
  /// `weights` must outlive this object.
  explicit MarianTransformer(const Weights& weights) : weights_(weights) {}

  Affine module(const PeerModule& module) const override {
    if (module.is_norm) return norm(module.marian[0]);
    std::vector<Affine> parts;
    for (const std::string& name : module.marian) {
      const std::size_t letter = name.rfind("_W") + 1;
      parts.push_back({transposed(read(name, {-1, -1}))});
      if (module.has_bias) parts.back().bias = vector(std::string(name).replace(letter, 1, "b"));
    }
    return parts.size() == 1 ? parts[0] : joined(parts);
  }
  Array embedding(bool target) const override {
    const std::string own = target ? "decoder_Wemb" : "encoder_Wemb";
    return read(weights_.contains(own) ? own : "Wemb", {-1, -1});
  }
  Affine output() const override {
    const std::string name = "decoder_ff_logit_out_";
    Affine out;
    if (weights_.contains(name + "W"))
      out.weight = transposed(read(name + "W", {-1, -1}));
    else if (weights_.contains(name + "Wt"))
      out.weight = read(name + "Wt", {-1, -1});
    if (weights_.contains(name + "b")) out.bias = vector(name + "b");
    return out;
  }
  Array positions(bool) const override { return read("Wpos", {-1, -1}); }

  /// Throws UserError where there is a tensor that was not read: Marian computes something with it.
  /// Multipliers of activations belong to numbers in 8 bits.
  void require_all_read(const std::string& place) const {
    for (const auto& [name, array] : weights_.all())
      if (!read_.contains(name) && !name.ends_with("_QuantMultA"))
        throw UserError("{}: has the tensor {}, which no Transformer of heed has", place,
                        one_line(name));
  }

 private:
  const Array& read(const std::string& name, const std::vector<int64_t>& shape) const {
    read_.insert(name);
    return weights_.at(name, shape);
  }
  /// Reads a vector, which Marian keeps as a matrix of one row.
  Array vector(const std::string& name) const {
    Array row = read(name, {1, -1});
    row.shape = {row.columns()};
    return row;
  }
  Affine norm(const std::string& name) const {
    const char* suffix = weights_.contains(name + "_scale_pre") ? "_pre" : "";
    return {vector(name + "_scale" + suffix), vector(name + "_bias" + suffix)};
  }

  const Weights& weights_;
  mutable std::set<std::string> read_;
};

/// The pieces of a vocabulary by their ids. Its kind follows from the end of its name, as in
/// Marian.
std::vector<std::string> names_in(const Package& package, const std::string& file) {
  const std::string place = package.place_of(file);
  const Bytes bytes = package.read(file);
  if (is_segment_name(file)) return text::all_pieces(bytes.view, place);
  if (file.ends_with(".fsv")) throw UserError("{}: a factored vocabulary; heed has none", place);
  const bool is_table =
      file.ends_with(".yml") || file.ends_with(".yaml") || file.ends_with(".json");
  if (is_table && trim(bytes.view).starts_with('{'))
    return pieces_in(json_in(bytes.view, place), place);
  if (is_table) return pieces_in(yaml_of(bytes.view, place), place);
  std::vector<std::string> lines = split(bytes.view, '\n');
  if (lines.back().empty()) lines.pop_back();
  for (std::string& line : lines)
    if (line.ends_with('\r')) line.pop_back();
  return lines;
}

/// The numbers of word vectors with which heed compares vocabularies.
struct Rows {
  int64_t vectors = 0;                     // word vectors of the side
  std::optional<int64_t> dim_vocabs = {};  // that of the options
};

/// Makes the names of one side as many as its word vectors. Marian cuts a table that is longer than
/// dim-vocabs, and leaves word vectors without a name where it is shorter: this is right if
/// decoder.yml says that the table is this model's. A SentencePiece file always has as many.
void fit(std::vector<std::string>& names, const Rows& rows, const std::string& file,
         bool may_differ, const std::string& place, std::vector<std::string>& notes) {
  const int64_t count = std::ssize(names);
  if (rows.dim_vocabs && *rows.dim_vocabs != rows.vectors)
    throw UserError("{}: option dim-vocabs is {}, and there are {} word vectors", place,
                    *rows.dim_vocabs, rows.vectors);
  if (count != rows.vectors && !may_differ)
    throw UserError("{}: has {}, and {} has {} word vectors: it is another model's vocabulary",
                    file, counted(count, "piece"), place, rows.vectors);
  if (count != rows.vectors)
    notes.push_back(
        fmt::format("{} has {}, and the model {} word vectors: right where it was trained with "
                    "this --dim-vocabs",
                    file, counted(count, "piece"), rows.vectors));
  name_rows(names, rows.vectors);
}

/// Takes both languages from the name of a student, "model.deen.intgemm.alphas.bin", if its
/// vocabulary or shortlist has them in its name, too.
void take_languages(const MarianFiles& files, ForeignModel& out) {
  const auto parts_of_name = [](const std::string& file) {
    return split(file.substr(file.rfind('/') + 1), '.');
  };
  const std::vector<std::string> beside =
      parts_of_name(files.vocabularies.target + "." + files.shortlist);
  for (const std::string& part : parts_of_name(files.model)) {
    if (part.size() != 4 || std::ranges::count(beside, part) == 0) continue;
    const std::string source = part.substr(0, 2), target = part.substr(2);
    if (!text::is_known_language(source) || !text::is_known_language(target)) continue;
    out.source_language = source;
    out.target_language = target;
  }
}

text::ForeignPieces with_symbols(std::vector<std::string> names) {
  text::ForeignPieces side{.unknown = "<unk>", .end = "</s>"};
  // Marian also knows both pieces by Nematus' names, under these ids alone.
  const auto is_called = [&](std::size_t id, const char* nematus, const std::string& marian) {
    return id < names.size() && names[id] == nematus && std::ranges::count(names, marian) == 0;
  };
  if (is_called(0, "eos", side.end)) side.end = "eos";
  if (is_called(1, "UNK", side.unknown)) side.unknown = "UNK";
  // A model that heed wrote has them here (marian_rows()).
  constexpr std::size_t kOfPad = 2;
  if (names.size() > kOfPad + 1 && names[kOfPad] == text::kSpecialPieces[text::kPad] &&
      names[kOfPad + 1] == text::kSpecialPieces[text::kBegin]) {
    side.pad = names[kOfPad];
    side.begin = names[kOfPad + 1];
  }
  side.symbols = language_symbols(names);
  side.names = std::move(names);
  return side;
}

/// The vocabularies of both sides: tables of pieces with SentencePiece files beside them, as in
/// OPUS-MT, or SentencePiece files whose ids are Marian's. `tie` becomes `decoder` where both sides
/// have the same vectors for other pieces.
SideVocabularies vocabularies_of(const Package& package, MarianFiles& files,
                                 const SegmentFiles& given, const Rows& of_source,
                                 const Rows& of_target, model::Tie& tie) {
  SegmentFile source, target;
  const bool cut = given.source.empty() && given.target.empty() && files.segment_files == 0 &&
                   !files.vocabularies.source.empty() &&
                   !are_of_sentencepiece(names_in(package, files.vocabularies.source));
  if (!cut && !given.source_codes.empty())
    throw UserError("--codes: {} is cut by SentencePiece files; leave it out",
                    package.place_of(files.model));
  if (!given.source.empty() || !given.target.empty()) {
    const auto side = [&](const std::string& path, std::string SideFiles::*own) {
      if (!path.empty()) return named_file(path);
      if (!given.source.empty()) return source;
      if (files.segments) return segment_file(package, (*files.segments).*own);
      throw UserError(
          "{}: --target-sentencepiece is the target's; name --source-sentencepiece, too",
          package.place_of(""));
    };
    source = side(given.source, &SideFiles::source);
    target = side(given.target, &SideFiles::target);
  } else if (files.segments) {
    source = segment_file(package, files.segments->source);
    target = segment_file(package, files.segments->target);
  } else if (!cut) {
    throw UserError(
        "{}: which SentencePiece file cuts the source, and which the target? It has {} (.spm); "
        "name them with --source-sentencepiece and --target-sentencepiece",
        package.place_of(""), files.segment_files);
  }
  const std::string model = package.place_of(files.model);
  const auto side = [&](const std::string& file, const SegmentFile& segments, const Rows& rows) {
    // A SentencePiece file that the user names is vocabulary and segmentation at once, as is one of
    // the package.
    const bool is_segments =
        file.empty() || (is_segment_name(file) && (!given.source.empty() || !given.target.empty()));
    std::vector<std::string> names =
        is_segments ? text::all_pieces(segments.bytes, segments.place) : names_in(package, file);
    fit(names, rows, is_segments ? segments.place : package.place_of(file),
        files.vocabularies_named && !is_segments && !is_segment_name(file), model, files.notes);
    return with_symbols(std::move(names));
  };
  const text::ForeignPieces source_pieces = side(files.vocabularies.source, source, of_source);
  const text::ForeignPieces target_pieces = side(files.vocabularies.target, target, of_target);
  if (cut) {
    const std::string place = package.place_of(files.vocabularies.source);
    source = file_of_pieces(source_pieces, codes_of(given, false), place);
    target = file_of_pieces(target_pieces, codes_of(given, true),
                            package.place_of(files.vocabularies.target));
    files.notes.push_back(note_of_pieces(place, !given.source_codes.empty()));
  }
  if (source.bytes == target.bytes && source_pieces.names == target_pieces.names)
    return one_vocabulary(source, source_pieces);
  if (tie == model::Tie::all && source_pieces.names != target_pieces.names)
    tie = model::Tie::decoder;
  return two_vocabularies(source, target, source_pieces, target_pieces, tie == model::Tie::all);
}

}  // namespace

std::string marian_file_in(const Package& package) {
  const auto is_binary = [&](const std::string& file) {
    return is_marian_bin(package.read(file).view);
  };
  if (const std::string& chosen = package.chosen(); !chosen.empty())
    return !chosen.ends_with(".bin") || is_binary(chosen) ? chosen : "";
  if (package.has("model.npz")) return "model.npz";
  const auto first = [&](auto is_wanted) {
    const auto found = std::ranges::find_if(package.files(), is_wanted);
    return found == package.files().end() ? "" : *found;
  };
  const std::string arrays = first([](const std::string& file) { return file.ends_with(".npz"); });
  if (!arrays.empty()) return arrays;
  return first([&](const std::string& file) { return is_binary_name(file) && is_binary(file); });
}

ForeignModel read_marian(const Package& package, const SegmentFiles& segments) {
  MarianFiles files =
      files_of_marian(package, !segments.source.empty() || !segments.target.empty());
  const std::string place = package.place_of(files.model);
  const bool is_binary = files.model.ends_with(".bin");
  const Bytes file = package.read(files.model);
  const Tensors tensors = is_binary ? read_marian_bin(file, place) : read_npz(file, place);
  const auto yaml = tensors.find("special:model.yml");
  if (yaml == tensors.end())
    throw UserError(place + ": has no options (special:model.yml); Marian from 1.2 on saves them");
  const MarianOptions options(yaml->second.bytes.view, place);
  ForeignModel out{.program = "Marian", .model = network_of_marian(options, files.notes)};
  std::map<std::string, Array> arrays;
  for (const auto& [name, tensor] : tensors)
    if (!name.starts_with("special:")) arrays[name] = array_of(tensor, place + ": " + name);
  const Weights weights(std::move(arrays), place);
  if (weights.contains("Wpos")) {
    out.model.positions = "learned";
    out.model.max_positions = weights.at("Wpos", {-1, -1}).rows();
  }
  const MarianTransformer transformer(weights);
  const auto dims = options.get<std::vector<int64_t>>("dim-vocabs", {});
  const auto rows = [&](bool target) {
    Rows rows{transformer.embedding(target).rows()};
    if (dims.size() == 2 && dims[target ? 1 : 0] > 0) rows.dim_vocabs = dims[target ? 1 : 0];
    return rows;
  };
  const SideVocabularies sides =
      vocabularies_of(package, files, segments, rows(false), rows(true), out.model.tie);
  // If Marian adds no positions, it does not multiply word vectors by sqrt(width), either.
  // A model that heed wrote has a vector of <s>, which is a part of the softmax.
  const int64_t start = sides.target.foreign_id[text::kBegin];
  finish(out, transformer, sides,
         {.start = start, .writes_start = start >= 0, .scaled = out.model.positions != "none"},
         place);
  transformer.require_all_read(place);
  if (out.model.positions == "learned")
    out.decoding.max_source_length = out.model.max_positions - 1;
  if (files.decoder) {
    take_search_of_marian(*files.decoder, out.decoding, files.notes);
  } else if (is_binary) {
    std::vector<std::string> known;
    files.decoder = search_of_bergamot();
    take_search_of_marian(*files.decoder, out.decoding, known);
    files.notes.push_back(
        "no decoder.yml beside the .bin: the search is that of Firefox, greedy, with translations "
        "of at most twice the pieces of a source");
  }
  if (!files.shortlist.empty()) {
    out.shortlist = shortlist_of_marian(package.read(files.shortlist).view,
                                        package.place_of(files.shortlist), sides);
    files.notes.push_back(
        fmt::format("{} is its decoding.shortlist; --set decoding.shortlist='' translates with all "
                    "pieces, as a GPU needs it",
                    one_line(files.shortlist)));
  }
  if (is_binary) take_languages(files, out);
  take_alignment_of_marian({.model = &options,
                            .training = files.training ? &*files.training : nullptr,
                            .decoder = files.decoder ? &*files.decoder : nullptr},
                           out.model.decoder_layers, out.decoding.alignment, files.notes);
  // Marian never writes <unk> unless an option allows it.
  if (!files.decoder || !allows_unknown(*files.decoder))
    out.decoding.forbid = {out.target.piece(text::kUnknown)};
  out.notes = std::move(files.notes);
  return out;
}

}  // namespace heed::exchange
