#include "exchange/side_vocabularies.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <regex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/stand_in.h"
#include "text/piece_rule.h"
#include "text/vocabulary.h"

namespace heed::exchange {
namespace {

/// Throws UserError where `file` and the network's pieces are of different models: the file's
/// pieces are unknown to the network, and the network's are in none of `files`. One alone does not
/// say so: tables are made smaller for a few languages, and have pieces of other files.
void require_pieces_known(const SegmentFile& file, const std::vector<const SegmentFile*>& files,
                          const text::ForeignPieces& pieces) {
  constexpr std::size_t kShare = 5;    // one of so many may be missing
  constexpr int64_t kLeastNames = 32;  // fewer are no model's that anybody uses
  const std::size_t all = text::pieces_outside(file.bytes, {}, file.place).size(),
                    unknown = text::pieces_outside(file.bytes, pieces, file.place).size();
  if (std::ssize(pieces.names) < kLeastNames || unknown * kShare <= all) return;
  std::unordered_set<std::string> in_files;
  for (const SegmentFile* one : files)
    in_files.merge([&] {
      const std::vector<std::string> names = text::all_pieces(one->bytes, one->place);
      return std::unordered_set<std::string>(names.begin(), names.end());
    }());
  const auto foreign = static_cast<std::size_t>(std::ranges::count_if(
      pieces.names, [&](const std::string& name) { return !in_files.contains(name); }));
  if (foreign * kShare <= pieces.names.size()) return;
  throw UserError(
      "{}: {} of its {} pieces are unknown to the network, and {} of the network's {} are in no "
      "SentencePiece file; it belongs to another model",
      file.place, unknown, all, foreign, pieces.names.size());
}

}  // namespace

std::vector<std::string> languages_among(const std::vector<std::string>& pieces) {
  static const std::regex pattern(
      ">>[^<> ]+<<|__[a-z]{2,3}__|[a-z]{3}_[A-Z][a-z]{3}|[a-z]{2}_[A-Z]{2}");
  std::vector<std::string> languages;
  std::ranges::copy_if(pieces, std::back_inserter(languages), [](const std::string& piece) {
    return piece.size() < 32 && std::regex_match(piece, pattern);
  });
  return languages;
}

std::vector<text::ForeignSymbol> language_symbols(const std::vector<std::string>& pieces,
                                                  const text::SymbolCut& cut) {
  std::vector<text::ForeignSymbol> symbols;
  for (std::string& language : languages_among(pieces))
    symbols.push_back({std::move(language), cut});
  return symbols;
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

std::vector<std::string> unused_among(const std::vector<std::string>& names) {
  static const std::regex pattern("<unused [0-9]+>");
  std::vector<std::string> unused;
  std::ranges::copy_if(names, std::back_inserter(unused), [](const std::string& name) {
    return name.size() < 32 && std::regex_match(name, pattern);
  });
  return unused;
}

SegmentFile segment_file(const Package& package, const std::string& file) {
  return {std::string(package.read(file).view), package.place_of(file)};
}

SegmentFile named_file(const std::string& path) {
  SegmentFile file{read_file(path), path};
  require_no_stand_in(file.bytes, path);
  return file;
}

bool are_of_sentencepiece(const std::vector<std::string>& pieces) {
  // Text that was cut otherwise may have this character, too, as a sign of its own.
  constexpr int64_t kShare = 10;
  const int64_t marked = std::ranges::count_if(
      pieces, [](const std::string& piece) { return piece.starts_with(text::kWordStart); });
  return marked * kShare > std::ssize(pieces);
}

SegmentFile file_of_pieces(const text::ForeignPieces& pieces, const std::string& codes,
                           const std::string& place) {
  const text::PieceRule rule{.codes = codes};
  text::check_rule(rule, place + ": ");
  std::vector<std::string> symbols;
  for (const text::ForeignSymbol& symbol : pieces.symbols) symbols.push_back(symbol.piece);
  return {text::model_of_pieces(pieces.names, symbols, rule), place};
}

std::string codes_of(const SegmentFiles& given, bool target) {
  const std::string& file =
      target && !given.target_codes.empty() ? given.target_codes : given.source_codes;
  if (file.empty()) return "";
  require_file(file, "codes");
  const std::string codes = named_file(file).bytes;
  text::check_rule({.codes = codes.empty() ? "\n" : codes}, file + ": ");
  return codes;
}

std::string note_of_pieces(const std::string& place, bool has_codes) {
  if (has_codes)
    return fmt::format(
        "{}: no SentencePiece's pieces: codes cut the words of a line, which blanks separate: give "
        "tokenised text",
        place);
  return fmt::format(
      "{}: no SentencePiece's pieces: a line is pieces with blanks between them, as subword-nmt "
      "cuts it (@@ where a word goes on), and translations are joined to words; --codes FILE cuts "
      "words here, and data.pieces: true joins nothing",
      place);
}

SideVocabularies one_vocabulary(const SegmentFile& file, const text::ForeignPieces& pieces) {
  require_pieces_known(file, {&file}, pieces);
  const auto both =
      text::rearranged(file.bytes, pieces, text::pieces_outside(file.bytes, pieces, file.place),
                       file.place, text::Outside::unknown);
  return {both, both, /*joint=*/true};
}

SideVocabularies two_vocabularies(const SegmentFile& source_file, const SegmentFile& target_file,
                                  const text::ForeignPieces& source,
                                  const text::ForeignPieces& target, bool shared) {
  if (shared && source_file.bytes == target_file.bytes) return one_vocabulary(source_file, source);
  const bool same = source.names == target.names;
  const std::vector<const SegmentFile*> both = {&source_file, &target_file};
  require_pieces_known(source_file, same ? both : std::vector{&source_file}, source);
  require_pieces_known(target_file, same ? both : std::vector{&target_file}, target);
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

}  // namespace heed::exchange
