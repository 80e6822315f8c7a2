#include "serve/served_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "base/strings.h"
#include "config/attention_kind.h"
#include "decode/search/encoded_lines.h"
#include "decode/search/glossary.h"
#include "decode/search/next_words.h"
#include "decode/search/search.h"
#include "serve/specification.h"
#include "text/language_tags.h"
#include "text/lines.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace heed::serve {
namespace {

using nlohmann::json;

json parse(const std::string& body) {
  if (!text::is_utf8(body) || body.find('\0') != std::string::npos)
    throw UserError("the body is not UTF-8, which alone is read here; send JSON in UTF-8");
  json value;
  try {
    value = json_of(body);
  } catch (const UserError& error) {
    throw UserError("the body is no form, and {}", error.what());
  }
  if (!value.is_object()) throw UserError("the body is JSON, but no object: {\"q\": \"...\"}");
  return value;
}

/// The name of a list without what PHP and axios write after it: "q" for "q[]" and "q[0]".
std::string_view without_index(std::string_view name) {
  const std::size_t open = name.rfind('[');
  const bool has_index =
      open != name.npos && open > 0 && name.ends_with(']') &&
      name.substr(open + 1).find_first_not_of("0123456789") == name.size() - open - 2;
  return has_index ? name.substr(0, open) : name;
}

/// The fields of a form as an object. A name that is there several times, or with [], has a list.
json object_of(const http::Fields& form) {
  std::map<std::string, std::vector<std::string>> fields;
  std::set<std::string> lists;
  for (const auto& [name, value] : form) {
    const std::string plain(without_index(name));
    fields[plain].push_back(value);
    if (plain != name || fields[plain].size() > 1) lists.insert(plain);
  }
  json out = json::object();
  for (const auto& [name, values] : fields)
    out[name] = lists.contains(name) ? json(values) : json(values[0]);
  return out;
}

[[noreturn]] void refuse(const char* name, const std::string& what) {
  throw UserError(std::string(name) + ": " + what);
}

/// Whether the client leaves the choice of the language to the server.
bool is_open(const std::string& language) {
  return language.empty() || language == "auto";
}

int fit_or_open(const std::string& code, const std::string& wished) {
  return is_open(wished) ? 2 : fit_of(code, wished);
}

/// The code of the language alone: "de" for "de-DE".
std::string language_of(const std::string& code) {
  return code.substr(0, code.find_first_of("-_"));
}

constexpr std::size_t kCharacters = 200;  // of a text that are looked at to guess its language
// Penalties on the logarithm of a language's weight: for a letter without a piece, and for each
// piece where no model can score the text, because a text in another language has more and shorter
// pieces.
constexpr double kUnknownLetter = 5, kPiece = 1;

/// Counts of the letters and signs of a line.
struct Letters {
  double all = 0, unknown = 0;
  double known_share() const { return all > 0 ? 1 - unknown / all : 0; }
};

Letters letters_of(const text::Vocabulary& any, const std::string& line) {
  const text::Vocabulary vocabulary = any.beginning_with({});  // symbols have no letters
  const std::vector<int32_t> ids = vocabulary.encode(line);
  const std::vector<std::string> names = vocabulary.with_word_starts(vocabulary.spell(line));
  Letters letters;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool begins = names[i].starts_with(text::kWordStart);
    const bool is_byte = vocabulary.has_bytes() && vocabulary.piece(ids[i]).starts_with("<0x");
    const auto count =
        is_byte ? 1.0 : static_cast<double>(text::count_code_points(names[i]) - begins);
    letters.all += count;
    if (is_byte || ids[i] == text::kUnknown) letters.unknown += count;
  }
  return letters;
}

bool has_room_for(const decode::LineTranslator& translator, const std::string& line) {
  return std::ranges::all_of(translator.texts(), [&](const decode::MemberText& member) {
    return std::ssize(member.source.encode(line)) < translator.longest() &&
           std::ssize(member.target.encode(line)) < translator.longest();
  });
}

/// A model whose target is this language and that can take the whole line; or nullptr.
const decode::LineTranslator* writer_of(const std::vector<ServedModel>& models,
                                        const std::string& language, const std::string& line) {
  for (const ServedModel& model : models)
    if (model.target == language && has_room_for(*model.translator, line))
      return model.translator.get();
  return nullptr;
}

double log_of_mean_probability(const decode::LineTranslator& translator, const std::string& line) {
  const auto found =
      translator.translate({.lines = {line}, .search = with_n_best(translator.config(), 1)})
          .translations;
  if (found[0].hypotheses.empty()) return 0;
  const decode::Hypothesis& best = found[0].hypotheses[0];
  return best.log_probability / static_cast<double>(best.token_log_probabilities.size());
}

/// Refuses parameters whose names are nearly those of the path's parameters. Others are ignored:
/// clients of other servers send keys and settings that mean nothing here.
void refuse_misspelt(const json& values, const std::string& path) {
  constexpr std::size_t kLongest = 30, kMost = 100;  // bytes of a name, and names
  const std::vector<std::string> known = parameter_names(path);
  std::size_t count = 0;
  for (const auto& [name, value] : values.items()) {
    if (name.size() > kLongest || std::ranges::find(known, name) != known.end()) continue;
    if (++count > kMost) return;
    if (const std::string near = nearest_spelling(name, known); !near.empty())
      refuse(one_line(name).c_str(), "is no parameter; did you mean '" + near + "'?");
  }
}

}  // namespace

std::optional<study::AlignmentChoice> ServedModel::alignment() const {
  if (std::ranges::find(kinds, config::AttentionKind::cross) == kinds.end()) return std::nullopt;
  return placing ? placing : study::AlignmentChoice{.layer = layer, .head = head, .reads = reads};
}

bool ServedModel::names_its_languages() const {
  return !text::main_language(source).empty() && !text::main_language(target).empty();
}

Parameters::Parameters(const http::Request& request) {
  // curl declares JSON as a form, unless its user gives another type.
  const std::string_view body = trim(request.body);
  const bool is_form = !body.starts_with('{') && (!request.form.empty() || body.empty());
  values_ = is_form ? object_of(request.form) : parse(request.body);
  refuse_misspelt(values_, request.path);
  if (!is_form) return;
  const json query = object_of(request.query);
  for (const auto& [name, value] : query.items())
    if (!values_.contains(name)) values_[name] = value;
  refuse_misspelt(query, request.path);
  for (const http::Fields* fields : {&request.form, &request.query})
    for (const auto& [name, value] : *fields)
      if (!text::is_utf8(value)) refuse(one_line(name).c_str(), "is not UTF-8; send it as UTF-8");
}

Parameters::Texts Parameters::texts(const char* name) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->is_null()) return {};
  if (found->is_string()) return {{found->get<std::string>()}, false};
  if (!found->is_array() ||
      !std::ranges::all_of(*found, [](const json& one) { return one.is_string(); }))
    refuse(name, "must be a text or a list of texts");
  return {found->get<std::vector<std::string>>(), true};
}

std::string Parameters::text(const char* name) const {
  const Texts all = texts(name);
  if (all.is_list) refuse(name, "must be one text");
  return all.values.empty() ? "" : all.values[0];
}

std::string Parameters::language(const char* name) const {
  return std::string(trim(text(name)));
}

std::string Parameters::required_text(const char* name) const {
  const Texts all = texts(name);
  if (all.is_list) refuse(name, "must be one text");
  if (all.values.empty()) refuse(name, "is missing");
  return all.values[0];
}

text::KeepOptions Parameters::kept(const char* name) const {
  std::vector<std::string> names = split(join(texts(name).values, ","), ',');
  std::ranges::transform(names, names.begin(), trim);
  std::erase(names, "");
  for (const std::string& one : names)
    if (std::ranges::count(text::kKeptNames, one) == 0)
      refuse(name, fmt::format("'{}' is not known here; send {}", one_line(one),
                               join(text::kKeptNames, ", ")));
  return text::kept_of(names);
}

std::optional<std::vector<decode::TextLines>> Parameters::terms(const char* name) const {
  constexpr int64_t kMostTerms = 1000, kMostTargets = 10, kLongest = 100;
  const auto found = values_.find(name);
  if (found == values_.end() || found->is_null()) return std::nullopt;
  json read;  // JSON in the text of a form
  if (found->is_string()) read = json_or_discarded(found->get_ref<const std::string&>());
  const json& all = found->is_string() ? read : *found;
  bool good = (all.is_array() || all.is_object()) && std::ssize(all) <= kMostTerms;
  std::vector<decode::TextLines> terms;
  for (auto item = all.begin(); good && item != all.end(); ++item) {
    decode::TextLines& term = terms.emplace_back();
    if (all.is_object()) term.push_back(item.key());
    for (const json& text : item->is_array() ? *item : json::array({*item}))
      term.push_back(text.is_string() ? text.get<std::string>() : "");
    good = std::ssize(term) >= 2 && std::ssize(term) <= 1 + kMostTargets &&
           std::ranges::all_of(term, [](const std::string& text) {
             return !text::is_blank(text) && text::count_code_points(text) <= kLongest;
           });
  }
  if (good) return terms;
  refuse(name,
         fmt::format("must be [[\"source\", \"target\"], ...] or {{\"source\": \"target\", "
                     "...}}, up to {} terms, each with 1 to {} targets of up to {} characters",
                     kMostTerms, kMostTargets, kLongest));
}

int64_t Parameters::whole(const char* name, int64_t missing, int64_t low, int64_t high) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->is_null()) return missing;
  int64_t value = low - 1;
  if (found->is_number_integer())
    value = found->get<int64_t>();  // negative where the number is too large for int64_t
  else if (found->is_string())
    value = exact_number<int64_t>(found->get_ref<const std::string&>()).value_or(low - 1);
  if (value < low || value > high)
    refuse(name, fmt::format("must be a whole number from {} to {}", low, high));
  return value;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  for (std::string& line : lines) line = text::clean_line(line);
  return lines;
}

std::string one_line_of(const std::string& text, const char* name) {
  std::vector<std::string> lines = lines_of(text);
  if (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  if (lines.size() > 1) refuse(name, "must be one line; send one at a time");
  return lines[0];
}

namespace {

bool names_its_source(const ServedModel& model) {
  return !text::main_language(model.source).empty();
}

/// The options that name the languages of models that do not say them, where these may be the ones
/// that a request asks for; "": all models say theirs.
std::string cure_of_unnamed(const std::vector<ServedModel>& models, const std::string& source,
                            const std::string& target) {
  std::string options;
  const auto add = [&](const char* option, const std::string& wished,
                       std::string ServedModel::*language) {
    const bool is_unnamed = std::ranges::any_of(models, [&](const ServedModel& model) {
      return text::main_language(model.*language).empty();
    });
    if (!is_open(wished) && is_unnamed)
      options += fmt::format(" {} {}", option, shell_word(one_line(wished)));
  };
  add("--source-language", source, &ServedModel::source);
  add("--target-language", target, &ServedModel::target);
  return options.empty()
             ? ""
             : "; where a model's files do not say its languages, begin heed serve with" + options;
}

}  // namespace

std::size_t choose(const std::vector<ServedModel>& models, const Parameters& parameters,
                   const std::string& detected) {
  const std::string name = parameters.text("model"), source = parameters.language("source"),
                    target = parameters.language("target");
  std::vector<std::string> names;
  bool named = false;
  std::size_t chosen = 0;
  int best = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const ServedModel& model = models[i];
    names.push_back(model.name);
    if (!name.empty() && name != model.name) continue;
    named = true;
    int fit = fit_or_open(model.source, source) * fit_or_open(model.target, target);
    if (fit > 0) fit = 3 * fit + fit_of(model.source, detected);
    if (fit > best) best = fit, chosen = i;
  }
  if (best > 0) return chosen;
  if (!named) throw UserError("model: '{}' is not here; {}", one_line(name), join(names, ", "));
  throw UserError(
      (name.empty() ? "no model here translates" : one_line(name) + " does not translate") +
      (is_open(source) ? "" : " from " + one_line(source)) +
      (is_open(target) ? "" : " to " + one_line(target)) + "; GET /languages lists them" +
      cure_of_unnamed(models, source, target));
}

int fit_of(const std::string& code, const std::string& wished) {
  const std::string mine = text::lower_case(code), theirs = text::lower_case(wished);
  if (mine == theirs) return 2;
  return language_of(mine) == language_of(theirs) ? 1 : 0;
}

std::vector<Guess> guesses_of(const std::vector<ServedModel>& models, const std::string& text) {
  const std::u32string beginning = text::decode_utf8(text).substr(0, kCharacters);
  const std::string line(trim(text::fold_spaces(text::encode_utf8(beginning))));
  // A model that does not say its language has none to be guessed, unless it is like all others.
  const bool is_any_named = std::ranges::any_of(models, names_its_source);
  std::vector<const ServedModel*> readers;  // one model for each source language
  for (const ServedModel& model : models)
    if ((!is_any_named || names_its_source(model)) &&
        std::ranges::find(readers, model.source, &ServedModel::source) == readers.end())
      readers.push_back(&model);
  const bool all_are_written = std::ranges::all_of(readers, [&](const ServedModel* model) {
    return writer_of(models, model->source, line) != nullptr;
  });
  std::vector<Guess> guesses;
  std::vector<double> weights;  // by reader, as logarithms
  for (const ServedModel* model : readers) {
    const text::Vocabulary& vocabulary = model->translator->first_text().source;
    const Letters letters = letters_of(vocabulary, line);
    guesses.push_back({model->source, 100 * letters.known_share()});
    double& weight = weights.emplace_back(-kUnknownLetter * letters.unknown);
    if (line.empty() || readers.size() == 1) continue;
    if (all_are_written)
      weight += decode::log_probability_of(*writer_of(models, model->source, line), line, line);
    else
      weight += log_of_mean_probability(*model->translator, line) -
                kPiece * static_cast<double>(vocabulary.encode(line).size());
  }
  const double largest = *std::ranges::max_element(weights);
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - largest);
  for (std::size_t i = 0; i < guesses.size(); ++i) guesses[i].confidence *= weights[i] / sum;
  std::ranges::stable_sort(guesses, std::ranges::greater(), &Guess::confidence);
  return guesses;
}

}  // namespace heed::serve
