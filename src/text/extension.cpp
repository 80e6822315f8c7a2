#include "text/extension.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "text/merges.h"
#include "text/model_file.h"
#include "text/sampler.h"
#include "text/script.h"
#include "text/training_text.h"
#include "text/utf8.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"

namespace heed::text {
namespace {

constexpr int64_t kLongestPiece = 16;  // characters, as SentencePiece has it

/// The normalisation of a model: new pieces are of use only in text as the model sees it.
Normalise normaliser_of(const std::string& model) {
  if (!changes_characters(model)) return {};
  auto processor = std::make_shared<sentencepiece::SentencePieceProcessor>();
  expect(processor->LoadFromSerializedProto(model).ok(), "a model of SentencePiece");
  return [processor](const std::string& text) {
    // SentencePiece gives the normalised text only as pieces; those of unknown text and of bytes
    // have it, too.
    std::string spelled;
    const auto best = processor->EncodeAsImmutableProto(text);
    for (std::size_t i = 0; i < best.pieces_size(); ++i) {
      const auto piece = best.pieces(static_cast<int>(i));
      const int id = static_cast<int>(piece.id());
      if (processor->IsByte(id))
        spelled += static_cast<char>(std::stoi(piece.piece().substr(3, 2), nullptr, 16));  // <0xE4>
      else
        spelled += piece.piece();
    }
    return surface_of(spelled);
  };
}

bool is_character(const std::string& text) {
  return code_point_at(text, 0).bytes == text.size();
}

/// The pieces that the vocabulary has already.
class OldPieces {
 public:
  explicit OldPieces(std::vector<ModelPiece> pieces) : pieces_(std::move(pieces)) {
    for (std::size_t id = 0; id < pieces_.size(); ++id) {
      const ModelPiece& piece = pieces_[id];
      ids_.emplace(piece.text, id);
      if (piece.type != PieceType::normal) continue;
      table_.add(piece.text, {static_cast<int32_t>(id), piece.score});
      least_ = std::min(least_, piece.score);
    }
  }

  std::size_t size() const { return pieces_.size(); }
  const ModelPiece& operator[](std::size_t id) const { return pieces_[id]; }
  const PieceTable& table() const { return table_; }
  float least_score() const { return least_; }
  bool has_bytes() const {
    return std::ranges::any_of(
        pieces_, [](const ModelPiece& piece) { return piece.type == PieceType::byte; });
  }
  const ModelPiece* find(const std::string& text) const {
    const auto at = ids_.find(text);
    return at == ids_.end() ? nullptr : &pieces_[at->second];
  }
  std::unordered_set<std::string> names() const {
    std::unordered_set<std::string> names;
    for (const ModelPiece& piece : pieces_) names.insert(piece.text);
    return names;
  }
  std::vector<std::string> symbols() const {
    std::vector<std::string> symbols;
    for (const ModelPiece& piece : pieces_)
      if (piece.type == PieceType::user_defined) symbols.push_back(piece.text);
    return symbols;
  }

 private:
  std::vector<ModelPiece> pieces_;
  std::unordered_map<std::string, std::size_t> ids_;
  PieceTable table_;  // the ordinary pieces
  float least_ = 0;   // lowest score of these
};

/// The symbols of the options that are no pieces yet.
std::vector<ModelPiece> new_symbols(const OldPieces& old, const VocabularyTraining& options) {
  std::vector<ModelPiece> symbols;
  for (const std::string& symbol : options.symbols) {
    const ModelPiece* piece = old.find(symbol);
    if (piece != nullptr && piece->type != PieceType::user_defined)
      throw UserError("{}symbols: '{}' is a piece of the vocabulary already, and no symbol",
                      options.keys, symbol);
    if (piece == nullptr) symbols.push_back({symbol, 0, PieceType::user_defined});
  }
  return symbols;
}

/// Returns how far the scores of old pieces lie above those that the same pieces have in another
/// model.
float shift_between(const OldPieces& old, const std::vector<ModelPiece>& fresh) {
  std::vector<float> shifts;
  for (const ModelPiece& piece : fresh) {
    const ModelPiece* same = old.find(piece.text);
    if (piece.type == PieceType::normal && same != nullptr && same->type == PieceType::normal)
      shifts.push_back(same->score - piece.score);
  }
  if (shifts.empty()) return 0;
  const auto middle = shifts.begin() + static_cast<std::ptrdiff_t>(shifts.size() / 2);
  std::nth_element(shifts.begin(), middle, shifts.end());
  return *middle;
}

/// Pieces of a model of the new text that the old one lacks and would use: characters first, then
/// by score. Scores are log-probabilities under their own model; shifted by the median of what
/// both models have, they compete with the old ones.
std::vector<ModelPiece> unigram_pieces(const OldPieces& old, VocabularyTraining options,
                                       const Normalise& normalise, std::size_t room) {
  std::vector<ModelPiece> found;
  constexpr int kAttempts = 4;  // a text much like the old one has few new pieces among the first
  for (int attempt = 0; attempt < kAttempts; ++attempt, options.size *= 2) {
    const TrainedModel model = train_model(options, /*up_to=*/true, normalise);
    if (attempt == 0) warn_of(model.cut);
    const std::vector<ModelPiece> fresh = pieces_of(model.bytes);
    const float shift = shift_between(old, fresh);
    found.clear();
    for (const ModelPiece& piece : fresh) {
      if (piece.type != PieceType::normal || old.find(piece.text) != nullptr) continue;
      const float score = std::min(piece.score + shift, 0.0F);
      if (is_character(piece.text) || score > best_unigram(old.table(), piece.text))
        found.push_back({piece.text, score});
    }
    if (found.size() >= room || std::ssize(fresh) < options.size) break;
  }
  std::ranges::stable_sort(found, [](const ModelPiece& a, const ModelPiece& b) {
    return std::pair(!is_character(a.text), -a.score) < std::pair(!is_character(b.text), -b.score);
  });
  return found;
}

/// The counts of each word of a text, with its start marked, and each character. Words with a
/// symbol in them are left out.
struct Counts {
  std::map<std::string, int64_t> words, characters;
};

Counts count(const VocabularyTraining& options, const Normalise& normalise) {
  Counts counts;
  TrainingSentences sentences(options, normalise);
  for (; !sentences.done(); sentences.Next()) {
    const std::string& line = sentences.value();
    for (std::size_t begin = 0; begin < line.size();) {
      const std::size_t end = std::min(line.find(' ', begin), line.size());
      const std::string word = line.substr(begin, end - begin);
      begin = end + 1;
      const bool symbol = std::ranges::any_of(options.symbols, [&](const std::string& name) {
        return word.find(name) != std::string::npos;
      });
      if (!word.empty() && !symbol) ++counts.words[std::string(kWordStart) + word];
    }
  }
  sentences.rethrow();
  warn_of(sentences.cut());
  for (const auto& [word, times] : counts.words)
    each_code_point(word, [&, times = times](const CodePoint&, std::string_view bytes) {
      counts.characters[std::string(bytes)] += times;
    });
  return counts;
}

/// The most frequent characters without a piece, as many as it takes until `coverage` of the text
/// has pieces.
std::vector<std::string> new_characters(const OldPieces& old, const Counts& counts,
                                        double coverage) {
  std::vector<std::pair<int64_t, std::string>> missing;
  int64_t all = 0, known = 0;
  for (const auto& [character, times] : counts.characters) {
    all += times;
    if (old.table().spells(character))
      known += times;
    else if (old.find(character) == nullptr)
      missing.emplace_back(-times, character);
  }
  std::ranges::sort(missing);
  std::vector<std::string> characters;
  for (const auto& [times, character] : missing) {
    if (static_cast<double>(known) >= coverage * static_cast<double>(all)) break;
    characters.push_back(character);
    known -= times;
  }
  return characters;
}

/// Whether SentencePiece's trainer allows such a piece: at most 16 characters, of one script, with
/// a word start only in front.
bool is_bpe_piece(const std::string& text) {
  if (count_code_points(text) > kLongestPiece) return false;
  std::size_t at = text.starts_with(kWordStart) ? kWordStart.size() : 0;
  if (text.find(kWordStart, at) != std::string::npos) return false;
  constexpr char32_t kFirstAccent = 0x300, kLastAccent = 0x36F;  // of the script before them
  std::optional<Script> script;
  while (at < text.size()) {
    const CodePoint point = code_point_at(text, at);
    at += point.bytes;
    if (point.value >= kFirstAccent && point.value <= kLastAccent) continue;
    const Script now = script_of(point.value);
    if (script && *script != now) return false;
    script = now;
  }
  return true;
}

/// BPE that goes on from the old segmentation of the new text: each new piece is a merge of two
/// that are there before it. Scores below all others leave the old merges as they are.
std::vector<ModelPiece> bpe_pieces(const OldPieces& old, const VocabularyTraining& options,
                                   const Normalise& normalise, std::size_t room) {
  const Counts counts = count(options, normalise);
  if (counts.words.empty())
    throw UserError(names_of(options.files) + ": no text to extend a vocabulary with");
  std::vector<std::string> found = new_characters(old, counts, options.coverage);
  PieceTable table = old.table();
  for (std::size_t i = 0; i < found.size(); ++i)
    table.add(found[i], {static_cast<int32_t>(old.size() + i), old.least_score() - 1});
  auto known = old.names();
  known.insert(found.begin(), found.end());
  MergeLearner learner(std::move(known), is_bpe_piece);
  for (const auto& [word, times] : counts.words) {
    if (!table.spells(word)) continue;
    std::vector<std::string> spelling;
    for (const int32_t id : best_bpe(table, word))
      spelling.push_back(id < static_cast<int32_t>(old.size()) ? old[id].text
                                                               : found[id - old.size()]);
    learner.add(spelling, times);
  }
  const auto learnt = learner.learn(room - std::min(room, found.size()));
  found.insert(found.end(), learnt.begin(), learnt.end());
  std::vector<ModelPiece> pieces;
  for (const std::string& text : found)
    pieces.push_back({text, old.least_score() - static_cast<float>(pieces.size() + 1)});
  return pieces;
}

/// The bytes of a sound model with pieces for the text of `options` after its own.
std::string extend_model(const std::string& model, const VocabularyTraining& options) {
  check(options);
  const OldPieces old(pieces_of(model));
  if (options.size <= static_cast<int64_t>(old.size()))
    throw UserError("{}size: the vocabulary has {} pieces already; ask for more", options.keys,
                    old.size());
  const auto room = static_cast<std::size_t>(options.size) - old.size();
  std::vector<ModelPiece> added = new_symbols(old, options);
  if (added.size() > room)
    throw UserError("{}size: there is room for {} new pieces, and {} are symbols", options.keys,
                    room, added.size());
  VocabularyTraining training = options;
  for (const std::string& symbol : old.symbols())
    if (std::ranges::count(training.symbols, symbol) == 0) training.symbols.push_back(symbol);
  // The normalisation of the model with the new symbols, whose characters it leaves as they are.
  const Normalise normalise = normaliser_of(with_pieces(model, added));
  const std::size_t left = room - added.size();
  std::vector<ModelPiece> more;
  if (left > 0)
    more = training.algorithm == "bpe" ? bpe_pieces(old, training, normalise, left)
                                       : unigram_pieces(old, training, normalise, left);
  std::erase_if(more, [&](const ModelPiece& piece) {
    return std::ranges::count(options.symbols, piece.text) > 0;
  });
  const auto characters = static_cast<std::size_t>(
      std::ranges::count_if(more, [](const auto& piece) { return is_character(piece.text); }));
  if (characters > left && !old.has_bytes())
    throw UserError(
        "{}size: the text has {} characters without a piece, and there is room for {}; ask for {} "
        "or more, or for less coverage",
        options.keys, characters, left, old.size() + added.size() + characters);
  more.resize(std::min(more.size(), left));
  added.insert(added.end(), more.begin(), more.end());
  return with_pieces(model, added);
}

}  // namespace

Vocabulary extended(const Vocabulary& vocabulary, const VocabularyTraining& options) {
  VocabularyTraining training = options;
  training.algorithm = vocabulary.algorithm();
  if (training.algorithm.empty() || vocabulary.is_cut())
    throw UserError(options.keys + "extend: only vocabularies of unigram or bpe can be extended");
  return Vocabulary::from_model(extend_model(vocabulary.model(), training),
                                "the vocabulary just extended");
}

}  // namespace heed::text
