// tokenizer.json of the library `tokenizers` as a SentencePiece file. transformers 5 saves NLLB-200
// so, without its SentencePiece file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "exchange/huggingface_parts.h"
#include "exchange/json_object.h"
#include "exchange/package.h"
#include "exchange/side_vocabularies.h"
#include "text/segments_file.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace heed::exchange {
namespace {

using nlohmann::json;

/// The bytes of a text in base64; nothing where it is none.
std::optional<std::string> base64_bytes(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char letter : text) {
    const std::size_t digit = kDigits.find(letter);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6U | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> static_cast<uint32_t>(count) & 0xFFU);
  }
  return bytes;
}

/// Reads tokenizer.json from its root. Messages name keys as paths.
class Tokenizer {
 public:
  explicit Tokenizer(const Package& package) : object_(package, kTokenizer) {}

  text::SegmentsParts parts() {
    normaliser(at("normalizer"), "normalizer");
    pre_tokenizer(at("pre_tokenizer"), "pre_tokenizer");
    if (!has_word_starts_)
      refuse("pre_tokenizer", "has no Metaspace, with which SentencePiece marks words");
    added();
    const json& model = at("model");
    const std::string type = text_at(model, "type");
    // Files of before 2020 name no type: they have merges.
    parts_.is_bpe = type == "BPE" || (type.empty() && model.contains("merges"));
    if (!parts_.is_bpe && type != "Unigram")
      refuse("model.type", fmt::format("is '{}'; heed reads BPE and Unigram", one_line(type)));
    if (model.contains("byte_fallback") && model["byte_fallback"] == true)
      refuse("model.byte_fallback", "is true; heed reads no bytes from this file");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
      if (!text_at(model, key).empty())
        refuse(fmt::format("model.{}", key), "is a text, which SentencePiece has not");
    if (parts_.is_bpe)
      bpe(model);
    else
      unigram(model);
    if (parts_.pieces.empty()) refuse("model.vocab", "has no pieces");
    return std::move(parts_);
  }
  const std::string& place() const { return object_.place(); }

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& why) const {
    throw UserError(
        "{}: '{}' {}; take sentencepiece.bpe.model from where the model is from, and put it beside "
        "config.json",
        object_.place(), key, why);
  }
  const json& at(const char* key) const {
    static const json none;
    const auto found = object_.all().find(key);
    return found == object_.all().end() ? none : *found;
  }
  static std::string text_at(const json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_string()
               ? object[key].get<std::string>()
               : "";
  }

  void normaliser(const json& step, const std::string& key) {
    if (step.is_null()) return;
    const std::string type = text_at(step, "type");
    if (type == "Sequence" && step.contains("normalizers") && step["normalizers"].is_array()) {
      for (const json& one : step["normalizers"]) normaliser(one, key);
    } else if (type == "Precompiled") {
      const auto map = base64_bytes(text_at(step, "precompiled_charsmap"));
      if (!map || !parts_.charsmap.empty())
        refuse(key, "has a 'precompiled_charsmap' that is no base64, or two of them");
      parts_.charsmap = *map;
    } else if (type == "Replace") {
      // Blanks that follow each other are one, which SentencePiece does itself.
      const json pattern = step.contains("pattern") ? step["pattern"] : json();
      if (text_at(pattern, "Regex") != " {2,}")
        refuse(key, "replaces something else than blanks that follow each other");
    } else if (type != "Strip") {
      refuse(key, fmt::format("has a step '{}', which SentencePiece has not", one_line(type)));
    }
  }

  void pre_tokenizer(const json& step, const std::string& key) {
    if (step.is_null()) return;
    const std::string type = text_at(step, "type");
    if (type == "Sequence" && step.contains("pretokenizers") && step["pretokenizers"].is_array()) {
      for (const json& one : step["pretokenizers"]) pre_tokenizer(one, key);
    } else if (type == "Metaspace") {
      const bool before = step.contains("add_prefix_space") && step["add_prefix_space"] == true;
      const std::string scheme = text_at(step, "prepend_scheme");
      if (text_at(step, "replacement") != text::kWordStart ||
          (scheme.empty() ? !before : scheme != "always"))
        refuse(key, "does not put SentencePiece's mark of a word start before each text");
      has_word_starts_ = true;
    } else if (type != "WhitespaceSplit") {
      refuse(key, fmt::format("has a step '{}', which SentencePiece has not", one_line(type)));
    }
  }

  /// Pieces that are found before the model sees a text are no segments.
  void added() {
    added_.insert(std::begin(kControlPieces), std::end(kControlPieces));
    const json& tokens = at("added_tokens");
    if (!tokens.is_array()) return;
    for (const json& token : tokens) added_.insert(text_at(token, "content"));
  }

  void unigram(const json& model) {
    const char* key = "model.vocab";
    if (!model.contains("vocab") || !model["vocab"].is_array())
      refuse(key, "is no list of pieces and scores");
    std::size_t id = 0;
    const auto unknown = model.contains("unk_id") && model["unk_id"].is_number_unsigned()
                             ? model["unk_id"].get<std::size_t>()
                             : model["vocab"].size();
    for (const json& entry : model["vocab"]) {
      if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
        refuse(key, fmt::format("has no piece and score at {}", id));
      if (id++ == unknown)
        parts_.unknown = entry[0];
      else if (!added_.contains(entry[0].get<std::string>()))
        parts_.pieces.emplace_back(entry[0], entry[1].get<float>());
    }
  }

  /// SentencePiece merges any two pieces whose text together is a piece, the one with the highest
  /// score first. `tokenizers` merges the pairs of a list, the first in it first. They do the same
  /// where the list has all pairs of each piece.
  void bpe(const json& model) {
    if (!model.contains("vocab") || !model["vocab"].is_object())
      refuse("model.vocab", "is no table of pieces and ids");
    if (!model.contains("merges") || !model["merges"].is_array())
      refuse("model.merges", "is no list of merges");
    const json& table = model["vocab"];
    std::unordered_map<std::string, float> scores;
    std::set<std::pair<std::string, std::string>> merges;
    for (const json& merge : model["merges"]) {
      std::pair<std::string, std::string> pair;
      if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        pair = {merge[0], merge[1]};
      } else if (merge.is_string()) {
        const std::string both = merge;
        pair = {both.substr(0, both.find(' ')),
                both.substr(std::min(both.find(' '), both.size() - 1) + 1)};
      }
      if (pair.first.empty() || pair.second.empty() || !table.contains(pair.first + pair.second))
        refuse("model.merges",
               fmt::format("has no two pieces that make a third at {}", merges.size()));
      scores.try_emplace(pair.first + pair.second, -static_cast<float>(scores.size()));
      merges.insert(std::move(pair));
    }
    parts_.unknown = text_at(model, "unk_token");
    if (parts_.unknown.empty()) parts_.unknown = "<unk>";
    const std::vector<std::string> names = pieces_in(table, object_.place());
    for (const std::string& piece : names) {
      if (piece.empty() || piece == parts_.unknown || added_.contains(piece)) continue;
      if (text::is_utf8(piece)) require_all_merges(piece, table, merges);
      const auto score = scores.find(piece);
      // Single characters come from no merge.
      parts_.pieces.emplace_back(
          piece, score == scores.end() ? -static_cast<float>(scores.size() + parts_.pieces.size())
                                       : score->second);
    }
  }

  void require_all_merges(const std::string& piece, const json& table,
                          const std::set<std::pair<std::string, std::string>>& merges) const {
    for (std::size_t at = 1; at < piece.size(); ++at) {
      if ((static_cast<unsigned char>(piece[at]) & 0xC0U) == 0x80U) continue;  // in a character
      std::pair<std::string, std::string> pair{piece.substr(0, at), piece.substr(at)};
      if (table.contains(pair.first) && table.contains(pair.second) && !merges.contains(pair) &&
          !added_.contains(pair.first) && !added_.contains(pair.second))
        refuse("model.merges",
               fmt::format("lacks '{}' and '{}', which SentencePiece would merge to a piece",
                           one_line(pair.first), one_line(pair.second)));
    }
  }

  JsonObject object_;
  text::SegmentsParts parts_;
  std::set<std::string> added_;
  bool has_word_starts_ = false;
};

}  // namespace

SegmentFile segments_of_tokenizer(const Package& package) {
  Tokenizer tokenizer(package);
  std::string bytes = text::segments_file(tokenizer.parts());
  return {std::move(bytes), tokenizer.place()};
}

}  // namespace heed::exchange
