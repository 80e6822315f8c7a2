#include "text/vocabulary.h"

#include <sentencepiece_processor.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "text/extension.h"
#include "text/model_file.h"
#include "text/sampler.h"
#include "text/unicode.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

enum class Kind { unigram, bpe, other };

void require_ids(const sentencepiece::SentencePieceProcessor& model, const std::string& name) {
  if (model.pad_id() == kPad && model.unk_id() == kUnknown && model.bos_id() == kBegin &&
      model.eos_id() == kEnd)
    return;
  throw UserError(name + ": its special pieces pad, unk, bos, eos have the ids " +
                  std::to_string(model.pad_id()) + ", " + std::to_string(model.unk_id()) + ", " +
                  std::to_string(model.bos_id()) + ", " + std::to_string(model.eos_id()) +
                  " and heed needs 0, 1, 2, 3; train it with --pad_id=0 --unk_id=1 --bos_id=2 "
                  "--eos_id=3, or with heed vocab");
}

/// One line without TABs, which separate columns: there are vocabularies with a piece for each
/// byte.
std::string one_field(std::string_view text) {
  std::string line = one_clean_line(text);
  std::ranges::replace(line, '\t', ' ');
  return line;
}

/// Of some mistakes the library's own parts tell by exceptions: a piece without a letter, for one.
bool is_loaded(sentencepiece::SentencePieceProcessor& processor, const std::string& model) {
  try {
    return processor.LoadFromSerializedProto(model).ok();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return false;
  }
}

/// SentencePiece does not say which algorithm a model is of, but only unigram can give n-best
/// lists.
Kind kind_of(const sentencepiece::SentencePieceProcessor& model) {
  std::vector<std::vector<int>> n_best;
  if (model.NBestEncode("a", 2, &n_best).ok()) return Kind::unigram;
  std::vector<int> ids;
  return model.SampleEncode("a", 0, 0.0F, &ids).ok() ? Kind::bpe : Kind::other;
}

}  // namespace

struct Vocabulary::Impl {
  std::string model;  // as it is in the file
  sentencepiece::SentencePieceProcessor processor;
  Kind kind = Kind::other;
  PieceTable pieces;             // the ordinary ones
  std::vector<PieceType> types;  // by id
  std::vector<bool> is_sampled;  // by id: what may be segmented otherwise

  /// Symbols that a user has defined stay whole. So does what BPE could not spell letter by letter.
  void prepare_sampling() {
    types = piece_types(model);
    expect(std::ssize(types) == processor.GetPieceSize(), "a piece without a type");
    for (int id = 0; id < processor.GetPieceSize(); ++id) {
      is_sampled.push_back(types[id] == PieceType::normal);
      if (is_sampled[id]) pieces.add(processor.IdToPiece(id), {id, processor.GetScore(id)});
    }
    if (kind != Kind::bpe) return;
    for (int id = 0; id < processor.GetPieceSize(); ++id)
      is_sampled[id] = is_sampled[id] && pieces.spells(processor.IdToPiece(id));
  }

  /// A line that begins with a symbol has a word start before it, which says nothing.
  bool begins_with_a_symbol(const std::string& first, int second) const {
    return first == kWordStart && types[second] == PieceType::user_defined;
  }
};

Vocabulary Vocabulary::from_model(std::string model, const std::string& name) {
  auto impl = std::make_shared<Impl>();
  if (model.empty() || !is_sound_model(model) || !is_loaded(impl->processor, model))
    throw UserError(name + ": no SentencePiece model; make one with heed vocab");
  require_ids(impl->processor, name);
  impl->model = std::move(model);
  impl->kind = kind_of(impl->processor);
  impl->prepare_sampling();
  Vocabulary vocabulary;
  vocabulary.impl_ = std::move(impl);
  return vocabulary;
}

Vocabulary Vocabulary::load(const std::string& path) {
  require_file(path, "vocabulary");
  return from_model(read_file(path), path);
}

Vocabulary Vocabulary::extended(const VocabularyTraining& options) const {
  if (impl_->kind == Kind::other)
    throw UserError(options.keys + "extend: only vocabularies of unigram or bpe can be extended");
  VocabularyTraining training = options;
  training.algorithm = impl_->kind == Kind::bpe ? "bpe" : "unigram";
  return from_model(extend_model(impl_->model, training), "the vocabulary just extended");
}

void Vocabulary::save(const std::string& path) const {
  write_atomic(path, impl_->model);
}

std::vector<int32_t> Vocabulary::encode(std::string_view line) const {
  std::vector<int> ids;
  const auto status = impl_->processor.Encode(fold_spaces(line), &ids);
  expect(status.ok(), "SentencePiece cannot encode");
  if (ids.size() > 1 && impl_->begins_with_a_symbol(impl_->processor.IdToPiece(ids[0]), ids[1]))
    ids.erase(ids.begin());
  return ids;
}

std::vector<int32_t> Vocabulary::sample(std::string_view line, double alpha, uint64_t seed) const {
  if (!can_sample()) return encode(line);
  // The best segmentation gives the text as the model normalises it, and what has no piece.
  const auto best = impl_->processor.EncodeAsImmutableProto(fold_spaces(line));
  Random random(seed);
  std::vector<int32_t> ids;
  std::string run;
  const auto draw = [&] {
    const auto part = impl_->kind == Kind::unigram
                          ? sample_unigram(impl_->pieces, run, alpha, random)
                          : sample_bpe(impl_->pieces, run, alpha, random);
    ids.insert(ids.end(), part.begin(), part.end());
    run.clear();
  };
  const auto id_at = [&](int i) { return static_cast<int>(best.pieces(i).id()); };
  const bool symbol =
      best.pieces_size() > 1 && impl_->begins_with_a_symbol(best.pieces(0).piece(), id_at(1));
  for (std::size_t i = symbol ? 1 : 0; i < best.pieces_size(); ++i) {
    const auto piece = best.pieces(static_cast<int>(i));
    if (impl_->is_sampled[piece.id()]) {
      run += piece.piece();
      continue;
    }
    draw();
    ids.push_back(static_cast<int32_t>(piece.id()));
  }
  draw();
  return ids;
}

std::string Vocabulary::decode(const std::vector<int32_t>& ids) const {
  for (const int32_t id : ids) expect(id >= 0 && id < size(), "a piece outside the vocabulary");
  std::string text;
  const auto status = impl_->processor.Decode(ids, &text);
  expect(status.ok(), "SentencePiece cannot decode");
  return one_field(text);
}

std::string Vocabulary::decode(const std::vector<int32_t>& ids,
                               const std::vector<std::string>& unknown) const {
  return unknown.empty() ? decode(ids) : join(surfaces(ids, unknown), "");
}

std::vector<std::string> Vocabulary::surfaces(const std::vector<int32_t>& ids,
                                              const std::vector<std::string>& unknown) const {
  for (const int32_t id : ids) expect(id >= 0 && id < size(), "a piece outside the vocabulary");
  const auto pieces = impl_->processor.DecodeIdsAsImmutableProto(ids);
  std::vector<std::string> out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool given = ids[i] == kUnknown && next < unknown.size();
    out.push_back(
        one_field(given ? unknown[next++] : pieces.pieces(static_cast<int>(i)).surface()));
  }
  return out;
}

std::vector<std::string> Vocabulary::spell(std::string_view line) const {
  std::vector<std::string> names;
  const auto status = impl_->processor.Encode(fold_spaces(line), &names);
  expect(status.ok(), "SentencePiece cannot encode");
  if (names.size() > 1 &&
      impl_->begins_with_a_symbol(names[0], impl_->processor.PieceToId(names[1])))
    names.erase(names.begin());
  return names;
}

bool Vocabulary::has_symbol(const std::string& text) const {
  return impl_->types[impl_->processor.PieceToId(text)] == PieceType::user_defined;
}

void Vocabulary::require_symbols(const std::vector<std::string>& symbols,
                                 const std::string& key) const {
  for (const std::string& symbol : symbols)
    if (!has_symbol(symbol))
      throw UserError(key + ": the vocabulary has no user-defined symbol '" + symbol +
                      "'; heed vocab TEXT --extend OLD.spm --symbols '" + symbol +
                      "' --size N -o NEW.spm adds it");
}

bool Vocabulary::has_bytes() const {
  return std::ranges::find(impl_->types, PieceType::byte) != impl_->types.end();
}

bool Vocabulary::can_sample() const {
  return impl_->kind != Kind::other;
}

std::string Vocabulary::piece(int32_t id) const {
  expect(id >= 0 && id < size(), "a piece outside the vocabulary");
  return impl_->processor.IdToPiece(id);
}

int32_t Vocabulary::size() const {
  return impl_->processor.GetPieceSize();
}

std::string Vocabulary::fingerprint() const {
  const auto* bytes = reinterpret_cast<const Bytef*>(impl_->model.data());
  char text[9];
  std::snprintf(text, sizeof text, "%08lx", crc32_z(0, bytes, impl_->model.size()));
  return text;
}

}  // namespace heed::text
