#include "exchange/foreign_model.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <regex>
#include <unordered_set>

#include "base/error.h"
#include "config/io.h"
#include "config/schema.h"
#include "exchange/ctranslate2_reader.h"
#include "exchange/formats.h"
#include "exchange/huggingface.h"
#include "exchange/marian.h"
#include "exchange/marian_files.h"
#include "exchange/transformer_parts.h"
#include "text/foreign_pieces.h"

namespace heed::exchange {

model::ModelConfig checked(const model::ModelConfig& config, const std::string& place) {
  model::ModelConfig sound;
  config::load_text(sound, config::dump(config), place);
  try {
    model::check(sound, /*joint_vocabulary=*/true);
  } catch (const config::ConfigError& fault) {
    throw UserError("{}: {}", place, fault.what());
  }
  return sound;
}

std::vector<std::string> languages_among(const std::vector<std::string>& pieces) {
  static const std::regex pattern(">>[^<> ]+<<|__[a-z]{2,3}__|[a-z]{3}_[A-Z][a-z]{3}");
  std::vector<std::string> languages;
  std::ranges::copy_if(pieces, std::back_inserter(languages), [](const std::string& piece) {
    return piece.size() < 32 && std::regex_match(piece, pattern);
  });
  return languages;
}

decode::LengthPenalty length_penalty_of(double alpha) {
  return alpha == 0   ? decode::LengthPenalty::none
         : alpha == 1 ? decode::LengthPenalty::average
                      : decode::LengthPenalty::power;
}

std::vector<std::string> name_rows(std::vector<std::string>& names, int64_t rows) {
  std::vector<std::string> unnamed;
  names.resize(rows);
  for (std::size_t id = 0; id < names.size(); ++id) {
    if (!names[id].empty()) continue;
    names[id] = fmt::format("<unused {}>", id);
    unnamed.push_back(names[id]);
  }
  return unnamed;
}

SegmentFile segment_file(const Package& package, const std::string& file) {
  return {std::string(package.read(file).view), package.place_of(file)};
}

SideVocabularies one_vocabulary(const SegmentFile& file, const text::ForeignPieces& pieces) {
  const auto both =
      text::rearranged(file.bytes, pieces, text::pieces_outside(file.bytes, pieces, file.place),
                       file.place, text::Outside::unknown);
  return {both, both, /*joint=*/true};
}

SideVocabularies two_vocabularies(const SegmentFile& source_file, const SegmentFile& target_file,
                                  const text::ForeignPieces& source,
                                  const text::ForeignPieces& target, bool shared) {
  if (shared && source_file.bytes == target_file.bytes) return one_vocabulary(source_file, source);
  const auto outside = [](const SegmentFile& file, const text::ForeignPieces& pieces) {
    return text::pieces_outside(file.bytes, pieces, file.place);
  };
  std::vector<std::string> of_source = outside(source_file, source),
                           of_target = outside(target_file, target);
  if (shared) {
    std::unordered_set<std::string> known(of_source.begin(), of_source.end());
    for (const std::string& piece : of_target)
      if (known.insert(piece).second) of_source.push_back(piece);
    of_target = of_source;
  }
  return {text::rearranged(source_file.bytes, source, of_source, source_file.place),
          // Text that the program scores as <unk> is scored so here.
          text::rearranged(target_file.bytes, target, of_target, target_file.place,
                           text::Outside::unknown)};
}

void finish(ForeignModel& model, const ForeignTransformer& from, const SideVocabularies& sides,
            Numbering numbering, const std::string& place) {
  numbering.source = sides.source.foreign_id;
  numbering.target = sides.target.foreign_id;
  if (numbering.target[text::kEnd] < 0 || (model.source_end && numbering.source[text::kEnd] < 0))
    throw UserError("{}: its vocabulary has no '{}', with which a text ends", place,
                    one_line(sides.target.vocabulary.piece(text::kEnd)));
  model.source = sides.source.vocabulary;
  model.target = sides.target.vocabulary;
  model.joint = sides.joint;
  model.weights = weights_from(from, numbering, model.model, place);
}

ForeignModel read_model(const Package& package, const SegmentFiles& segments) {
  if (!package.chosen().empty()) return read_marian(package, segments);
  for (const std::string folder : {"", "model/"})
    if (package.has(folder + "model.bin")) return read_ctranslate2(package, folder, segments);
  if (is_of_marian(package)) return read_marian(package, segments);
  if (package.has("config.json")) {
    if (!segments.source.empty() || !segments.target.empty())
      throw UserError(
          "{}: a model of Hugging Face brings its own SentencePiece files; leave out "
          "--source-sentencepiece and --target-sentencepiece",
          package.place_of(""));
    return read_huggingface(package);
  }
  throw UserError(
      "{}: holds no model that heed knows: no config.json (Hugging Face), .npz (Marian) or "
      "model.bin (CTranslate2)",
      package.place_of(""));
}

}  // namespace heed::exchange
