#include "text/piece_rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "text/bpe_codes.h"
#include "text/model_file.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace heed::text {

void check_marks(const PieceRule& rule, const std::string& keys) {
  if (rule.separator.empty() || !is_utf8(rule.separator) ||
      fold_spaces(rule.separator).find(' ') != std::string::npos)
    throw UserError(
        "{}separator: '{}' cannot mark pieces: it must have a letter or sign, and no blank", keys,
        one_line(rule.separator));
  if (rule.split_unknown && rule.codes.empty())
    throw UserError("{}split_unknown: pieces are taken apart by their merges; name {}codes, too",
                    keys, keys);
}

void check_rule(const PieceRule& rule, const std::string& keys) {
  check_marks(rule, keys);
  if (!rule.codes.empty()) BpeCodes(rule.codes, keys + "codes");
}

bool ends_word(std::string_view piece, std::string_view separator) {
  return !piece.ends_with(separator) || piece.size() == separator.size();
}

std::string joined_pieces(std::string_view line, std::string_view separator) {
  std::string text;
  bool inside = true;
  for (std::string& piece : split_words(line)) {
    if (!inside) text += ' ';
    inside = !ends_word(piece, separator);
    if (inside) piece.resize(piece.size() - separator.size());
    text += piece;
  }
  return text;
}

std::string model_of_pieces(const std::vector<std::string>& pieces,
                            const std::vector<std::string>& symbols, const PieceRule& rule) {
  std::vector<ModelPiece> all;
  std::unordered_set<std::string> taken;
  const auto add = [&](const std::string& text, PieceType type) {
    if (!text.empty() && taken.insert(text).second) all.push_back({text, 0, type});
  };
  add(kSpecialPieces[0], PieceType::control);
  add(kSpecialPieces[1], PieceType::unknown);
  add(kSpecialPieces[2], PieceType::control);
  add(kSpecialPieces[3], PieceType::control);
  for (const std::string& symbol : symbols) add(symbol, PieceType::user_defined);
  for (const std::string& piece : pieces) add(piece, PieceType::normal);
  return model_with_rule(all, rule);
}

std::vector<std::string> pieces_in_list(std::string_view list, const std::string& name) {
  std::vector<std::string> pieces = split(list, '\n');
  if (pieces.back().empty()) pieces.pop_back();
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::string& piece = pieces[i];
    if (piece.ends_with('\r')) piece.pop_back();
    const std::size_t blank = piece.find(' ');
    if (blank != std::string::npos && exact_number<int64_t>(piece.substr(blank + 1)))
      piece.resize(blank);
    if (piece.empty() || piece.find(' ') != std::string::npos || !is_utf8(piece) ||
        piece.find('\0') != std::string::npos)
      throw UserError("{}:{}: '{}' is no piece, nor a piece and its count", name, i + 1,
                      one_line(repair(split(list, '\n')[i])));
    if (!seen.insert(piece).second)
      throw UserError("{}:{}: the piece '{}' is there twice", name, i + 1, one_line(piece));
  }
  if (pieces.empty()) throw UserError(name + ": has no pieces");
  return pieces;
}

Vocabulary load_pieces(const std::string& path, const std::vector<std::string>& symbols,
                       const PieceRule& rule) {
  require_file(path, "vocabulary");
  const std::string bytes = read_file(path);
  if (is_sound_model(bytes) && !pieces_of(bytes).empty()) {
    const Vocabulary vocabulary = Vocabulary::from_model(bytes, path);
    if (!vocabulary.is_cut())
      throw UserError(
          "{}: is a SentencePiece model, and data.vocabulary.algorithm is pieces; set another "
          "algorithm, or name a list of pieces",
          path);
    if (!rule.codes.empty())
      throw UserError(
          "data.vocabulary.codes: {} is a vocabulary of heed, which has its own rules in it; leave "
          "codes out",
          path);
    return vocabulary;
  }
  return Vocabulary::from_model(model_of_pieces(pieces_in_list(bytes, path), symbols, rule), path);
}

}  // namespace heed::text
