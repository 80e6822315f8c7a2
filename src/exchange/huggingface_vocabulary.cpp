// The id of each piece in a folder of Hugging Face's transformers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "exchange/huggingface_parts.h"
#include "exchange/json_object.h"
#include "exchange/package.h"
#include "exchange/side_vocabularies.h"
#include "text/foreign_pieces.h"
#include "text/symbol_cut.h"

namespace heed::exchange {
namespace {

using nlohmann::json;

constexpr int64_t kMostPieces = 2'000'000;

// The languages of M2M-100's tokenizer in transformers, by the value of its 'language_codes',
// because files do not list them. Their ids follow those of vocab.json.
struct LanguageCodes {
  const char *name, *codes;
};
constexpr LanguageCodes kLanguageCodes[] = {
    {"m2m100",
     "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu "
     "ha he hi hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr "
     "ms my ne nl no ns oc or pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk "
     "ur uz vi wo xh yi yo zh zu"},
    {"wmt21", "en ha is ja cs ru zh de"}};

// mBART-50's, likewise; <mask> is after them.
constexpr const char* kMbart50Languages =
    "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT "
    "lv_LV my_MM ne_NP nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN af_ZA az_AZ bn_IN fa_IR he_IL "
    "hr_HR id_ID ka_GE km_KH mk_MK ml_IN mn_MN mr_IN pl_PL ps_AF pt_XX sv_SE sw_KE ta_IN te_IN "
    "th_TH tl_XX uk_UA ur_PK xh_ZA gl_ES sl_SI";

/// The piece of an entry in a list of special tokens or in a table.
std::string content_of(const json& token) {
  const json& text = token.is_object() && token.contains("content") ? token["content"] : token;
  return text.is_string() ? text.get<std::string>() : "";
}

bool is_control(const std::string& piece) {
  return std::ranges::find(kControlPieces, piece) != std::end(kControlPieces);
}

/// The special tokens that the tokenizer's files list without their ids.
std::vector<std::string> listed_symbols(const Package& package) {
  for (const char* file : {"special_tokens_map.json", kTokenizerConfig}) {
    if (!package.has(file)) continue;
    const JsonObject settings(package, file);
    for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
      std::vector<std::string> symbols;
      if (settings.has(key) && settings.all()[key].is_array())
        for (const auto& token : settings.all()[key])
          if (const std::string symbol = content_of(token); !symbol.empty() && !is_control(symbol))
            symbols.push_back(symbol);
      if (!symbols.empty()) return symbols;
    }
  }
  return {};
}

bool flag_of(const json& token, const char* key, bool otherwise) {
  return token.is_object() && token.contains(key) && token[key].is_boolean()
             ? token[key].get<bool>()
             : otherwise;
}

/// What a fast tokenizer does with the blank at the end of a text before an added piece.
struct Blanks {
  bool are_kept = false;      // as a piece that has only the mark of a word start
  bool are_stripped = false;  // by the normaliser: before pieces that it does not see
};

/// Calls see(object) for `step`, or for each step of a "Sequence" of them.
template <class See>
void for_each_step(const json& step, const char* steps, const See& see) {
  if (!step.is_object()) return;
  if (step.contains(steps) && step[steps].is_array())
    for (const json& one : step[steps]) for_each_step(one, steps, see);
  else
    see(step);
}

std::string type_of(const json& object) {
  return object.contains("type") && object["type"].is_string() ? object["type"].get<std::string>()
                                                               : "";
}

/// Its pre-tokenizer Metaspace makes a piece of each blank, unless another one cuts at blanks
/// before.
Blanks blanks_of(const Package& package) {
  const json tokenizer = JsonObject(package, kTokenizer).all();
  Blanks blanks;
  if (tokenizer.contains("normalizer"))
    for_each_step(tokenizer["normalizer"], "normalizers", [&](const json& step) {
      if (type_of(step) == "Strip") blanks.are_stripped = flag_of(step, "strip_right", true);
    });
  bool splits = false;
  if (tokenizer.contains("pre_tokenizer"))
    for_each_step(tokenizer["pre_tokenizer"], "pretokenizers", [&](const json& step) {
      splits |= type_of(step) == "WhitespaceSplit";
      blanks.are_kept |= type_of(step) == "Metaspace";
    });
  blanks.are_kept &= !splits;
  return blanks;
}

text::SymbolCut cut_of(const json& token, const Blanks& blanks) {
  const bool left = flag_of(token, "lstrip", false);
  return {.place = text::SymbolPlace::anywhere,
          .drops_left = left,
          .drops_right = flag_of(token, "rstrip", false),
          .keeps_blank = !left && blanks.are_kept &&
                         (!blanks.are_stripped || flag_of(token, "normalized", false))};
}

}  // namespace

void NumberedPieces::put(const std::string& piece, int64_t id, const std::string& place) {
  if (id < 0 || id >= kMostPieces)
    throw UserError("{}: the id of '{}' is no number from 0 to {}", place, one_line(piece),
                    kMostPieces - 1);
  const auto [known, is_new] = ids_.emplace(piece, id);
  if (!is_new && known->second != id)
    throw UserError("{}: '{}' has the id {}, and {} in another file", place, one_line(piece), id,
                    known->second);
  if (id >= std::ssize(names_)) names_.resize(id + 1);
  std::string& name = names_[id];
  if (!name.empty() && name != piece)
    throw UserError("{}: '{}' and '{}' have the same id, {}", place, one_line(name),
                    one_line(piece), id);
  name = piece;
}

void NumberedPieces::put_all(const json& pieces, const std::string& place) {
  const std::vector<std::string> read = pieces_in(pieces, place);
  for (std::size_t id = 0; id < read.size(); ++id)
    if (!read[id].empty()) put(read[id], static_cast<int64_t>(id), place);
}

void NumberedPieces::put_added(const std::string& piece, int64_t id, const std::string& place,
                               const text::SymbolCut& cut) {
  if (piece.empty()) return;
  added_ += has(piece) ? 0 : 1;
  put(piece, id, place);
  if (!is_control(piece) && std::ranges::count(symbols_, piece, &text::ForeignSymbol::piece) == 0)
    symbols_.push_back({piece, cut});
}

void NumberedPieces::make_languages_symbols() {
  for (const std::string& language : languages_among(names_))
    if (std::ranges::count(symbols_, language, &text::ForeignSymbol::piece) == 0)
      symbols_.push_back({language, {.place = text::SymbolPlace::anywhere}});
}

bool NumberedPieces::takes(int64_t id) const {
  return id >= 0 && id < std::ssize(names_) && !names_[id].empty();
}

void put_added(const Package& package, TokenizerKind kind, NumberedPieces& table,
               std::vector<std::string>& notes) {
  const Blanks blanks =
      kind == TokenizerKind::fast && package.has(kTokenizer) ? blanks_of(package) : Blanks();
  std::vector<std::string> whole_words;
  const auto put = [&](const json& token, int64_t id, const std::string& place) {
    const std::string piece = content_of(token);
    table.put_added(piece, id, place, cut_of(token, blanks));
    if (flag_of(token, "single_word", false) && std::ranges::count(whole_words, piece) == 0)
      whole_words.push_back(piece);
  };
  if (package.has(kTokenizerConfig)) {
    const JsonObject settings(package, kTokenizerConfig);
    const json added = settings.has("added_tokens_decoder") ? settings.all()["added_tokens_decoder"]
                                                            : json::object();
    if (!added.is_object())
      throw UserError("{}: 'added_tokens_decoder' is no table of ids and pieces", settings.place());
    for (const auto& [id, token] : added.items()) {
      const auto number = exact_number<int64_t>(id);
      if (!number)
        throw UserError("{}: '{}' in 'added_tokens_decoder' is no id", settings.place(),
                        one_line(id));
      put(token, *number, settings.place());
    }
  }
  if (package.has(kTokenizer)) {
    const JsonObject tokenizer(package, kTokenizer);
    if (tokenizer.has("added_tokens") && tokenizer.all()["added_tokens"].is_array())
      for (const json& token : tokenizer.all()["added_tokens"])
        if (token.is_object() && token.contains("id") && token["id"].is_number_integer())
          put(token, token["id"], tokenizer.place());
  }
  const char* added_tokens = "added_tokens.json";
  if (package.has(added_tokens)) {
    const JsonObject added(package, added_tokens);
    for (const auto& [piece, id] : added.all().items())
      put(json(piece), id.is_number_integer() ? id.get<int64_t>() : -1, added.place());
  }
  if (!whole_words.empty())
    notes.push_back(
        fmt::format("transformers finds {} only as whole words ('single_word'), heed inside "
                    "others, too",
                    one_line(join(whole_words, ", "))));
}

NumberedPieces m2m_100_pieces(const Package& package, std::vector<std::string>& notes) {
  NumberedPieces table;
  const std::string place = package.place_of("vocab.json");
  const json own_pieces = JsonObject(package, "vocab.json").all();
  table.put_all(own_pieces, place);
  const auto own = static_cast<int64_t>(own_pieces.size());
  put_added(package, TokenizerKind::python, table, notes);
  const std::string codes =
      package.has(kTokenizerConfig)
          ? JsonObject(package, kTokenizerConfig).text("language_codes", "m2m100")
          : "m2m100";
  // The ids that transformers gives to languages, because files do not have them.
  const bool says_languages = !languages_among(table.names()).empty();
  const auto* found = std::ranges::find(kLanguageCodes, codes, &LanguageCodes::name);
  std::vector<std::string> languages;
  if (!says_languages && found != std::end(kLanguageCodes))
    for (const std::string& code : split(found->codes, ' '))
      languages.push_back(fmt::format("__{}__", code));
  int64_t added = std::ssize(table.symbols());
  for (const std::string& symbol : listed_symbols(package)) {
    if (table.has(symbol)) continue;
    const auto language = std::ranges::find(languages, symbol);
    const int64_t id = own + (language == languages.end() ? added : language - languages.begin());
    if (table.takes(id) && language != languages.end()) continue;  // below
    table.put_added(symbol, id, place);
    ++added;
  }
  std::vector<std::string> lost;
  for (std::size_t i = 0; i < languages.size(); ++i) {
    const int64_t id = own + static_cast<int64_t>(i);
    if (table.has(languages[i])) continue;
    if (table.takes(id))
      lost.push_back(languages[i]);
    else
      table.put_added(languages[i], id, place, {.place = text::SymbolPlace::nowhere});
  }
  if (languages_among(table.names()).empty())
    throw UserError("{}: 'language_codes' is '{}'; heed knows m2m100 and wmt21",
                    package.place_of(kTokenizerConfig), one_line(codes));
  if (!lost.empty())
    notes.push_back(
        fmt::format("{} cannot be used: transformers gave the ids of these languages to pieces "
                    "that were added",
                    one_line(join(lost, ", "))));
  return table;
}

namespace {

/// The pieces of text: those of tokenizer.json, or fairseq's four special pieces and then those of
/// the SentencePiece file in its order.
NumberedPieces fairseq_pieces(const Package& package, const std::string& segments) {
  NumberedPieces table;
  if (package.has(kTokenizer)) {
    const JsonObject tokenizer(package, kTokenizer);
    const json& all = tokenizer.all();
    if (!tokenizer.has("model") || !all["model"].is_object() || !all["model"].contains("vocab"))
      throw UserError("{}: has no 'vocab' in 'model'", tokenizer.place());
    json vocabulary = all["model"]["vocab"];
    if (vocabulary.is_array())  // of a unigram model: pairs of piece and score
      for (json& piece : vocabulary)
        if (piece.is_array() && !piece.empty()) piece = json(piece[0]);
    table.put_all(vocabulary, tokenizer.place());
  } else {
    const std::string place = package.place_of(segments);
    int64_t id = 0;
    for (const char* special : {"<s>", "<pad>", "</s>", "<unk>"}) table.put(special, id++, place);
    const std::vector<std::string> own = text::all_pieces(package.read(segments).view, place);
    for (const std::string& piece : own)
      if (!is_control(piece)) table.put(piece, id++, place);
  }
  return table;
}

/// Throws UserError where a special token is listed and has no id.
void require_listed(const Package& package, const NumberedPieces& table) {
  for (const std::string& symbol : listed_symbols(package))
    if (!table.has(symbol))
      throw UserError(
          "{}: is needed: no file says which id '{}' has; take it, or tokenizer_config.json with "
          "'added_tokens_decoder', from where the model is from",
          package.place_of(kTokenizer), one_line(symbol));
}

}  // namespace

NumberedPieces nllb_pieces(const Package& package, const std::string& segments,
                           std::vector<std::string>& notes) {
  NumberedPieces table = fairseq_pieces(package, segments);
  put_added(package, TokenizerKind::fast, table, notes);
  require_listed(package, table);
  if (languages_among(table.names()).empty())
    throw UserError(
        "{}: is needed: no file says which ids the languages have; take it, or "
        "tokenizer_config.json with 'added_tokens_decoder', from where the model is from",
        package.place_of(kTokenizer));
  return table;
}

NumberedPieces mbart_50_pieces(const Package& package, const std::string& segments,
                               std::vector<std::string>& notes) {
  NumberedPieces table = fairseq_pieces(package, segments);
  const int64_t own = std::ssize(table.names());
  put_added(package, TokenizerKind::fast, table, notes);
  if (languages_among(table.names()).empty()) {
    int64_t id = own;
    for (const std::string& language : split(kMbart50Languages, ' '))
      table.put_added(language, id++, package.place_of(segments));
    table.put_added("<mask>", id, package.place_of(segments));
  }
  table.make_languages_symbols();
  require_listed(package, table);
  return table;
}

void require_rows(const RowsOfSide& found, const std::string& place,
                  std::vector<std::string>& notes) {
  if (found.rows != found.said)
    throw UserError(
        "{}: '{}' is {}, and the {}'s word vectors have {} rows; they are not of one "
        "model",
        place, found.key, found.said, found.side, found.rows);
  const std::string names =
      found.added == 0
          ? fmt::format("{} names {} pieces", found.vocabulary, found.names)
          : fmt::format(
                "there are {} pieces: {} of {}, and {} that were added: in other files, or "
                "languages that transformers knows",
                found.names, found.names - found.added, found.vocabulary, found.added);
  if (found.names > found.rows)
    throw UserError("{}: '{}' is {}, and {}", place, found.key, found.rows, names);
  // Limits for the last rows, which have no names: they fill up to a multiple of a number, or are
  // fairseq's "made up" words.
  constexpr int64_t kMostFilled = 1024, kMadeUp = 8;
  const int64_t filled = found.rows - found.names;
  if (filled > kMostFilled)
    throw UserError("{}: '{}' is {}, and {}; they are not of one model", place, found.key,
                    found.rows, names);
  if (filled > kMadeUp)
    notes.push_back(
        fmt::format("the last {} of the {}'s {} word vectors have no piece: no "
                    "translation has them",
                    filled, found.side, found.rows));
}

}  // namespace heed::exchange
