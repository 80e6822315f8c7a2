#include "text/vocabulary.h"

#include <sentencepiece_processor.h>
#include <zlib.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <type_traits>

#include "base/error.h"
#include "base/files.h"
#include "base/random.h"
#include "base/stand_in.h"
#include "base/strings.h"
#include "text/bpe_codes.h"
#include "text/invisible.h"
#include "text/line_cuts.h"
#include "text/model_file.h"
#include "text/piece_rule.h"
#include "text/sampler.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::text {

enum class PieceAlgorithm { unigram, bpe, other };

namespace {

void require_ids(const sentencepiece::SentencePieceProcessor& model, const std::string& name) {
  if (model.pad_id() == kPad && model.unk_id() == kUnknown && model.bos_id() == kBegin &&
      model.eos_id() == kEnd)
    return;
  throw UserError(
      "{}: its special pieces pad, unk, bos, eos have the ids {}, {}, {}, {} and heed needs 0, 1, "
      "2, 3; train it with --pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3, or with heed vocab",
      name, model.pad_id(), model.unk_id(), model.bos_id(), model.eos_id());
}

/// What stands for a piece that the vocabulary lacks.
constexpr const char* kUnknownText = "\u2047";

/// The text on one line without TABs, which separate columns: some vocabularies have a piece for
/// each byte.
std::string one_field(std::string_view text) {
  std::string line = one_clean_line(text);
  std::ranges::replace(line, '\t', ' ');
  return line;
}

/// Whether SentencePiece loads the model. Most mistakes are a status, some are an exception, such
/// as a piece without a letter.
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
PieceAlgorithm algorithm_of(const sentencepiece::SentencePieceProcessor& model) {
  std::vector<std::vector<int>> n_best;
  if (model.NBestEncode("a", 2, &n_best).ok()) return PieceAlgorithm::unigram;
  std::vector<int> ids;
  return model.SampleEncode("a", 0, 0.0F, &ids).ok() ? PieceAlgorithm::bpe : PieceAlgorithm::other;
}

/// The end of the part of `text` that begins at `begin`.
std::size_t end_of_part(std::string_view text, std::size_t begin) {
  if (text.size() - begin <= kPartOfLine) return text.size();
  std::size_t end = text.rfind(' ', begin + kPartOfLine);
  if (end != std::string_view::npos && end > begin) return end;
  end = begin + kPartOfLine;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
  return end;
}

}  // namespace

class Vocabulary::Impl {
 public:
  /// Throws UserError, which begins with `name`.
  Impl(std::string model, const std::string& name) : model_(std::move(model)) {
    require_no_stand_in(model_, name);
    if (model_.empty() || !is_sound_model(model_) || !is_loaded(processor_, model_))
      throw UserError(name + ": no SentencePiece model; make one with heed vocab");
    require_ids(processor_, name);
    rule_ = rule_of(model_);
    if (rule_) check_marks(*rule_, name + ": ");
    if (rule_ && !rule_->codes.empty()) codes_.emplace(rule_->codes, name + ": codes");
    if (!rule_) algorithm_ = algorithm_of(processor_);
    prepare_sampling();
  }

  const std::string& model() const { return model_; }  // the bytes of the file
  const sentencepiece::SentencePieceProcessor& processor() const { return processor_; }
  PieceAlgorithm algorithm() const { return algorithm_; }
  const PieceTable& pieces() const { return pieces_; }  // the ordinary pieces
  PieceType type(int id) const { return types_[id]; }
  /// Whether sampling may segment the text of this piece in another way.
  bool is_sampled(int id) const { return is_sampled_[id]; }
  bool has(PieceType type) const { return std::ranges::find(types_, type) != types_.end(); }
  const std::optional<PieceRule>& rule() const { return rule_; }
  /// The id of a piece in a text that another program cuts; a symbol may be one.
  int id_in_text(const std::string& name) const {
    const int id = processor_.PieceToId(name);
    const bool in_text = types_[id] == PieceType::normal || types_[id] == PieceType::user_defined;
    return in_text ? id_of(id) : kUnknown;
  }

  /// The pieces of a line that another program cuts, as the text has them; where there are more
  /// than `most`, the first `most` + 1. `as_words`: the line is pieces, whatever the rule says.
  std::vector<std::string> cut(std::string_view line, int64_t most, bool as_words) const {
    std::vector<std::string> all;
    const auto knows = [&](std::string_view piece, bool is_last) {
      return id_in_text(std::string(piece) + (is_last ? "" : rule_->separator)) != kUnknown;
    };
    for (const std::string& word : split_words(line)) {
      if (std::ssize(all) > most) break;
      if (!codes_ || as_words || types_[processor_.PieceToId(word)] == PieceType::user_defined) {
        all.push_back(word);
        continue;
      }
      const std::vector<std::string> pieces =
          codes_->cut(word, rule_->split_unknown ? BpeCodes::Knows(knows) : BpeCodes::Knows());
      for (std::size_t i = 0; i < pieces.size(); ++i)
        all.push_back(i + 1 < pieces.size() ? pieces[i] + rule_->separator : pieces[i]);
    }
    if (std::ssize(all) > most) all.resize(static_cast<std::size_t>(most) + 1);
    return all;
  }
  /// Whether a piece ends its word.
  bool ends_word(const std::string& piece) const {
    return text::ends_word(piece, rule_->separator);
  }
  /// A piece without the mark that it does not end its word.
  std::string bare(const std::string& piece) const {
    return ends_word(piece) ? piece : piece.substr(0, piece.size() - rule_->separator.size());
  }

  /// The pieces of a line as ids or as names; where there are more than `most`, the first `most` +
  /// 1.
  template <class Piece>
  std::vector<Piece> pieces_of(std::string_view line, int64_t most) const {
    const std::string text = fold_spaces(line);
    if (cuts_.empty()) return pieces_of_text<Piece>(text, most);
    std::vector<Piece> all;
    for (const LineCuts::CutPart& part : cuts_.parts_of(text)) {
      const int64_t left = most - std::ssize(all);
      if (left < 0) break;
      std::vector<Piece> pieces;
      if (part.symbol >= 0)
        pieces.push_back(piece_of<Piece>(processor_.IdToPiece(part.symbol)));
      else
        pieces = pieces_of_text<Piece>(part.text, left);
      if (part.keeps_blank && part.text.ends_with(' '))
        pieces.push_back(piece_of<Piece>(std::string(kWordStart)));
      all.insert(all.end(), pieces.begin(), pieces.end());
    }
    return all;
  }

 private:
  template <class Piece>
  std::vector<Piece> pieces_of_text(std::string_view text, int64_t most) const {
    std::vector<Piece> all;
    for (std::size_t begin = 0; begin < text.size() && std::ssize(all) <= most;) {
      const std::size_t end = end_of_part(text, begin);
      append(segmented<Piece>(text.substr(begin, end - begin)), begin,
             begin > 0 && text[begin] != ' ', all);
      begin = end;
    }
    return all;
  }

  /// A piece by its name, as an id or as the name.
  template <class Piece>
  Piece piece_of(const std::string& name) const {
    if constexpr (std::is_same_v<Piece, int>)
      return id_of(name);
    else
      return name;
  }

  /// Symbols that a user has defined stay whole. So do pieces that BPE cannot spell letter by
  /// letter.
  void prepare_sampling() {
    for (const ModelPiece& piece : text::pieces_of(model_)) {
      cuts_.add(piece.text, static_cast<int32_t>(types_.size()), piece.cut);
      types_.push_back(piece.type);
      is_unknown_.push_back(piece.is_unknown);
      by_name_.push_back(piece.by_name && piece.type == PieceType::unused);
    }
    expect(std::ssize(types_) == processor_.GetPieceSize(), "a piece without a type");
    if (std::ranges::find(is_unknown_, true) == is_unknown_.end()) is_unknown_.clear();
    looks_up_names_ = std::ranges::find(by_name_, true) != by_name_.end();
    if (rule_) {
      is_sampled_.assign(types_.size(), false);
      return;
    }
    for (int id = 0; id < processor_.GetPieceSize(); ++id) {
      is_sampled_.push_back(types_[id] == PieceType::normal && id_of(id) == id);
      if (is_sampled_[id]) pieces_.add(processor_.IdToPiece(id), {id, processor_.GetScore(id)});
    }
    if (algorithm_ != PieceAlgorithm::bpe) return;
    gives_unused_ = has(PieceType::unused);
    for (int id = 0; id < processor_.GetPieceSize(); ++id)
      is_sampled_[id] = is_sampled_[id] && pieces_.spells(processor_.IdToPiece(id));
  }

  int id_of(int id) const { return !is_unknown_.empty() && is_unknown_[id] ? kUnknown : id; }
  /// The id of a piece, or of a run of unknown characters, which may be a piece by its name.
  int id_of(const std::string& name) const {
    const int id = processor_.PieceToId(name);
    return is_used(id) ? id_of(id) : by_name_[id] ? id : kUnknown;
  }
  /// Whether text is cut into this piece.
  bool is_used(int id) const {
    return types_[id] == PieceType::normal || types_[id] == PieceType::user_defined ||
           types_[id] == PieceType::byte;
  }

  /// SentencePiece's BPE gives a character its piece even if that is unused. Here it is treated
  /// like text without a piece: it becomes bytes, or belongs to a run of unknown characters.
  std::vector<std::string> without_unused(const std::vector<std::string>& part) const {
    std::vector<std::string> out;
    bool in_run = false;
    for (const std::string& piece : part) {
      const bool known = is_used(processor_.PieceToId(piece));
      if (!known && has(PieceType::byte))
        for (const char byte : piece)
          out.push_back(fmt::format("<0x{:02X}>", static_cast<unsigned char>(byte)));
      else if (!known && in_run)
        out.back() += piece;
      else
        out.push_back(piece);
      in_run = !known;
    }
    return out;
  }

  template <class Piece>
  std::vector<Piece> segmented(std::string_view text) const {
    std::vector<Piece> part;
    if constexpr (std::is_same_v<Piece, int>) {
      if (gives_unused_ || looks_up_names_) {
        for (const std::string& name : segmented<std::string>(text)) part.push_back(id_of(name));
        return part;
      }
    }
    expect(processor_.Encode(text, &part).ok(), "SentencePiece cannot encode");
    if constexpr (std::is_same_v<Piece, std::string>) {
      if (gives_unused_) return without_unused(part);
    } else if (!is_unknown_.empty()) {
      for (int& id : part) id = id_of(id);
    }
    return part;
  }

  /// Adds a part of a line that begins at `begin`, perhaps `inside` a word. A word start says
  /// nothing where SentencePiece puts it before the rest of a word, or before a symbol that begins
  /// the line.
  template <class Piece>
  void append(std::vector<Piece> part, std::size_t begin, bool inside,
              std::vector<Piece>& all) const {
    if (part.size() > 1 && processor_.IdToPiece(id_of(part[0])) == kWordStart &&
        (inside || (begin == 0 && types_[id_of(part[1])] == PieceType::user_defined)))
      part.erase(part.begin());
    if (begin == 0) {
      all = std::move(part);
      return;
    }
    const bool one_run = inside && !all.empty() && !part.empty() && id_of(all.back()) == kUnknown &&
                         id_of(part.front()) == kUnknown;
    if constexpr (std::is_same_v<Piece, std::string>)
      if (one_run) all.back() += part.front();
    all.insert(all.end(), part.begin() + (one_run ? 1 : 0), part.end());
  }

  std::string model_;
  sentencepiece::SentencePieceProcessor processor_;
  std::optional<PieceRule> rule_;
  std::optional<BpeCodes> codes_;
  PieceAlgorithm algorithm_ = PieceAlgorithm::other;
  PieceTable pieces_;
  std::vector<PieceType> types_;  // by id
  std::vector<bool> is_sampled_;  // by id
  bool gives_unused_ = false;     // see without_unused()
  std::vector<bool> is_unknown_;  // by id, as ModelPiece has it; empty: none is
  std::vector<bool> by_name_;     // by id, as ModelPiece has it
  bool looks_up_names_ = false;   // whether one of by_name_ is true
  LineCuts cuts_;
};

Vocabulary Vocabulary::from_model(std::string model, const std::string& name) {
  Vocabulary vocabulary;
  vocabulary.impl_ = std::make_shared<Impl>(std::move(model), name);
  return vocabulary;
}

Vocabulary Vocabulary::load(const std::string& path) {
  require_file(path, "vocabulary");
  return from_model(read_file(path), path);
}

void Vocabulary::save(const std::string& path) const {
  write_atomic(path, impl_->model());
}

const std::string& Vocabulary::model() const {
  return impl_->model();
}

Vocabulary Vocabulary::beginning_with(const std::vector<std::string>& symbols) const {
  Vocabulary other = *this;
  other.beginning_.clear();
  for (const std::string& symbol : symbols) {
    expect(has_symbol(symbol), "a user-defined symbol");
    other.beginning_.push_back(impl_->processor().PieceToId(symbol));
  }
  return other;
}

Vocabulary Vocabulary::with_end(bool has_end) const {
  Vocabulary other = *this;
  other.has_end_ = has_end;
  return other;
}

Vocabulary Vocabulary::with_pieces_as_words(bool as_words) const {
  Vocabulary other = *this;
  other.pieces_as_words_ = as_words && is_cut();
  return other;
}

Vocabulary Vocabulary::for_translation() const {
  Vocabulary other = *this;
  const std::vector<int32_t> ids = encode("\u200B");
  other.spaces_ =
      std::ranges::count(ids, kUnknown) > 0 ? ZeroWidthSpaces::go : ZeroWidthSpaces::stay;
  return other;
}

std::string_view Vocabulary::read(std::string_view line, std::string& other) const {
  if (!spaces_ || !has_invisible(line) || !reads_words()) return line;
  other = without_invisible(line, *spaces_);
  return other;
}

bool Vocabulary::is_cut() const {
  return impl_->rule().has_value();
}

bool Vocabulary::reads_words() const {
  return !is_cut() || (!impl_->rule()->codes.empty() && !pieces_as_words_);
}

bool Vocabulary::begins_word(int32_t id, int32_t before) const {
  if (!is_cut()) return piece(id).starts_with(kWordStart);
  return pieces_as_words_ || impl_->ends_word(piece(before));
}

std::vector<std::string> Vocabulary::with_word_starts(std::vector<std::string> names) const {
  if (!is_cut()) return names;
  bool begins = true;
  for (std::string& name : names) {
    if (has_symbol(name)) continue;
    const bool ends = pieces_as_words_ || impl_->ends_word(name);
    if (!pieces_as_words_) name = impl_->bare(name);
    if (begins) name.insert(0, kWordStart);
    begins = ends;
  }
  return names;
}

std::size_t Vocabulary::symbols_before(std::span<const int32_t> ids) const {
  const std::size_t count = beginning_.size();
  return count <= ids.size() && std::ranges::equal(ids.first(count), beginning_) ? count : 0;
}

std::vector<int32_t> Vocabulary::encode(std::string_view line, int64_t most) const {
  std::string other;
  line = read(line, other);
  std::vector<int32_t> ids;
  if (is_cut())
    for (const std::string& piece : impl_->cut(line, most, pieces_as_words_))
      ids.push_back(impl_->id_in_text(piece));
  else
    ids = impl_->pieces_of<int>(line, most);
  if (!ids.empty()) ids.insert(ids.begin(), beginning_.begin(), beginning_.end());
  if (std::ssize(ids) > most) ids.resize(static_cast<std::size_t>(most) + 1);
  return ids;
}

std::vector<int32_t> Vocabulary::sample(std::string_view line, double alpha, uint64_t seed) const {
  // The best segmentation says how the model normalises the text, and what in it has no piece.
  const std::vector<int32_t> best = encode(line);
  if (!can_sample()) return best;
  Random random(seed);
  std::vector<int32_t> ids;
  std::string run;
  const auto draw = [&] {
    const auto part = impl_->algorithm() == PieceAlgorithm::unigram
                          ? sample_unigram(impl_->pieces(), run, alpha, random)
                          : sample_bpe(impl_->pieces(), run, alpha, random);
    ids.insert(ids.end(), part.begin(), part.end());
    run.clear();
  };
  for (const int32_t id : best) {
    if (impl_->is_sampled(id)) {
      run += impl_->processor().IdToPiece(id);
      continue;
    }
    draw();
    ids.push_back(id);
  }
  draw();
  return ids;
}

std::string Vocabulary::decode(const std::vector<int32_t>& ids,
                               const std::vector<std::string>& unknown) const {
  if (!unknown.empty() || is_cut()) return join(surfaces(ids, unknown), "");
  for (const int32_t id : ids) expect(id >= 0 && id < size(), "a piece outside the vocabulary");
  const std::vector<int> rest(ids.begin() + static_cast<std::ptrdiff_t>(symbols_before(ids)),
                              ids.end());
  std::string text;
  const auto status = impl_->processor().Decode(rest, &text);
  expect(status.ok(), "SentencePiece cannot decode");
  return one_field(text);
}

std::vector<std::string> Vocabulary::surfaces(const std::vector<int32_t>& ids,
                                              const std::vector<std::string>& unknown) const {
  for (const int32_t id : ids) expect(id >= 0 && id < size(), "a piece outside the vocabulary");
  std::vector<std::string> out(symbols_before(ids));
  if (is_cut()) {
    std::size_t next = 0;
    bool begins = false;  // a word that is not the first
    for (std::size_t i = out.size(); i < ids.size(); ++i) {
      std::string name;
      if (ids[i] != kUnknown)
        name = impl_->type(ids[i]) == PieceType::control ? "" : piece(ids[i]);
      else
        name = next < unknown.size() ? unknown[next++] : kUnknownText;
      const std::string text = pieces_as_words_ ? name : impl_->bare(name);
      out.push_back(one_field((begins && !name.empty() ? " " : "") + text));
      if (!name.empty()) begins = pieces_as_words_ || impl_->ends_word(name);
    }
    return out;
  }
  const std::vector<int> rest(ids.begin() + std::ssize(out), ids.end());
  const auto pieces = impl_->processor().DecodeIdsAsImmutableProto(rest);
  std::size_t next = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const bool named = rest[i] == kUnknown && next < unknown.size();
    out.push_back(
        one_field(named ? unknown[next++] : pieces.pieces(static_cast<int>(i)).surface()));
  }
  return out;
}

std::vector<std::string> Vocabulary::spell(std::string_view line, int64_t most) const {
  std::string other;
  line = read(line, other);
  std::vector<std::string> names = is_cut() ? impl_->cut(line, most, pieces_as_words_)
                                            : impl_->pieces_of<std::string>(line, most);
  if (names.empty()) return names;
  for (std::size_t i = 0; i < beginning_.size(); ++i)
    names.insert(names.begin() + static_cast<std::ptrdiff_t>(i), piece(beginning_[i]));
  if (std::ssize(names) > most) names.resize(static_cast<std::size_t>(most) + 1);
  return names;
}

bool Vocabulary::has_symbol(const std::string& text) const {
  return impl_->type(impl_->processor().PieceToId(text)) == PieceType::user_defined;
}

void Vocabulary::require_symbols(const std::vector<std::string>& symbols,
                                 const std::string& key) const {
  for (const std::string& symbol : symbols)
    if (!has_symbol(symbol) && is_cut())
      throw UserError(
          "{}: the vocabulary has no symbol '{}'; heed vocab TEXT --algorithm pieces --symbols "
          "'{}' makes one that has it",
          key, symbol, symbol);
    else if (!has_symbol(symbol))
      throw UserError(
          "{}: the vocabulary has no user-defined symbol '{}'; heed vocab TEXT --extend OLD.spm "
          "--symbols '{}' --size N -o NEW.spm adds it",
          key, symbol, symbol);
}

bool Vocabulary::has_bytes() const {
  return impl_->has(PieceType::byte);
}

std::string Vocabulary::algorithm() const {
  if (is_cut()) return "pieces";
  switch (impl_->algorithm()) {
    case PieceAlgorithm::unigram:
      return "unigram";
    case PieceAlgorithm::bpe:
      return "bpe";
    case PieceAlgorithm::other:
      break;
  }
  return "";
}

bool Vocabulary::can_sample() const {
  return impl_->algorithm() != PieceAlgorithm::other;
}

std::optional<int32_t> Vocabulary::id_of(const std::string& piece) const {
  const int32_t id = impl_->processor().PieceToId(piece);  // the id of <unk> where `piece` is none
  return this->piece(id) == piece ? std::optional(id) : std::nullopt;
}

std::string Vocabulary::piece(int32_t id) const {
  expect(id >= 0 && id < size(), "a piece outside the vocabulary");
  return impl_->processor().IdToPiece(id);
}

int32_t Vocabulary::size() const {
  return impl_->processor().GetPieceSize();
}

std::string Vocabulary::fingerprint() const {
  const auto* bytes = reinterpret_cast<const Bytef*>(impl_->model().data());
  return fmt::format("{:08x}", crc32_z(0, bytes, impl_->model().size()));
}

std::string surface_of(const std::string& piece) {
  std::string out;
  for (std::size_t i = 0; i < piece.size();) {
    const bool blank = std::string_view(piece).substr(i).starts_with(kWordStart);
    out += blank ? ' ' : piece[i];
    i += blank ? kWordStart.size() : 1;
  }
  return out;
}

WordsOfPieces words_of(const Vocabulary& vocabulary, const std::vector<int32_t>& ids) {
  const std::size_t before = vocabulary.symbols_before(ids);
  std::vector<std::string> surfaces;
  surfaces.reserve(ids.size());
  if (vocabulary.is_cut()) {
    surfaces = vocabulary.surfaces(ids, std::vector<std::string>(ids.size(), "?"));
    surfaces.erase(surfaces.begin(), surfaces.begin() + static_cast<std::ptrdiff_t>(before));
  }
  for (std::size_t i = vocabulary.is_cut() ? ids.size() : before; i < ids.size(); ++i)
    surfaces.push_back(ids[i] == kUnknown ? "?" : surface_of(vocabulary.piece(ids[i])));
  const WordsOfParts found = words_of_parts(surfaces);
  const std::vector<int32_t> none(before, static_cast<int32_t>(found.words.size()));
  WordsOfPieces words{none, none, std::ssize(found.words)};
  words.word_of.insert(words.word_of.end(), found.first.begin(), found.first.end());
  words.last_of.insert(words.last_of.end(), found.last.begin(), found.last.end());
  return words;
}

}  // namespace heed::text
