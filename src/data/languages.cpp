#include "data/languages.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/strings.h"
#include "config/suggest.h"
#include "text/tmx_lines.h"
#include "text/vocabulary.h"

namespace heed::data {
namespace {

/// The characters around the code of a language in its symbol.
struct SymbolForm {
  std::string open, close;
};
const SymbolForm kSymbolForms[] = {{"", ""}, {"__", "__"}, {"<", ">"}, {"<2", ">"}, {">>", "<<"}};
const std::span<const SymbolForm> kOfOwnSide = std::span(kSymbolForms).first(3),
                                  kBeforeSource = std::span(kSymbolForms).last(2);

std::optional<std::string> symbol_of(const std::string& language,
                                     const text::Vocabulary& vocabulary,
                                     std::span<const SymbolForm> forms) {
  for (const SymbolForm& form : forms)
    if (const std::string symbol = form.open + language + form.close; vocabulary.has_symbol(symbol))
      return symbol;
  return std::nullopt;
}

[[noreturn]] void refuse_language(const std::string& key, const std::string& language,
                                  const std::vector<std::string>& languages) {
  throw UserError("{}: the vocabulary has no symbol for '{}'{}", key, one_line(language),
                  config::did_you_mean(language, languages));
}

}  // namespace

std::vector<std::string> languages_of(const text::Vocabulary& vocabulary) {
  std::vector<std::string> languages;
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string symbol = vocabulary.piece(id);
    if (!vocabulary.has_symbol(symbol)) continue;
    languages.push_back(symbol);
    for (const auto& [open, close] : kSymbolForms)  // takes the last form that fits
      if (symbol.size() > open.size() + close.size() && symbol.starts_with(open) &&
          symbol.ends_with(close))
        languages.back() = symbol.substr(open.size(), symbol.size() - open.size() - close.size());
  }
  return languages;
}

bool has_symbol_of(const std::string& language, const text::Vocabulary& vocabulary) {
  return symbol_of(language, vocabulary, kOfOwnSide).has_value();
}

std::vector<std::string> symbols_of_fresh(const DataConfig& config) {
  std::vector<std::string> symbols = source_symbols(config);
  const auto add = [&](const std::string& language, const SymbolForm& own) {
    const auto is_there = [&](const SymbolForm& form) {
      // Tags, which only the source has, say nothing about the target.
      return std::ranges::count(config.vocabulary.symbols, form.open + language + form.close) > 0;
    };
    if (!language.empty() && std::ranges::none_of(kSymbolForms, is_there))
      symbols.push_back(own.open + language + own.close);
  };
  add(config.source_language, kSymbolForms[2]);
  add(config.target_language, kSymbolForms[3]);
  return symbols;
}

void begin_with_languages(const DataConfig& config, text::Vocabulary& source,
                          text::Vocabulary& target) {
  std::vector<std::string> before_source, before_target;
  if (const std::string& language = config.source_language; !language.empty()) {
    const auto symbol = symbol_of(language, source, kOfOwnSide);
    const auto known = languages_of(source);
    if (symbol)
      before_source.push_back(*symbol);
    else if (!known.empty())
      refuse_language("data.source_language", language, known);
  }
  if (const std::string& language = config.target_language; !language.empty()) {
    const auto symbol = symbol_of(language, target, kOfOwnSide),
               before = symbol_of(language, source, kBeforeSource);
    auto known = languages_of(target);
    if (known.empty()) known = languages_of(source);
    if (symbol)
      before_target.push_back(*symbol);
    else if (before)
      before_source.push_back(*before);
    else if (!known.empty())
      refuse_language("data.target_language", language, known);
  }
  source = source.beginning_with(before_source)
               .with_end(config.source_end)
               .with_pieces_as_words(config.pieces);
  target = target.beginning_with(before_target).with_pieces_as_words(config.pieces);
}

std::string language_of_file(const std::string& path) {
  if (const auto side = text::tmx_side(path)) return side->language;
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  const std::string ending = name.extension().string();
  return ending.size() < 2 || ending == ".txt" || ending == ".tsv" ? "" : ending.substr(1);
}

LanguagePair language_pair(const DataConfig& config) {
  const CorpusFiles& files = config.train.empty() ? config.valid : config.train[0];
  const auto chosen = [](const std::string& language, const std::string& file) {
    return language.empty() ? language_of_file(file) : language;
  };
  return {chosen(config.source_language, files.source),
          chosen(config.target_language, files.target)};
}

}  // namespace heed::data
