// The parameters of a request; the models that are served, and the choice among them; names of
// languages, and guesses of the language of a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decode/search/glossary.h"
#include "decode/search/line_translator.h"
#include "http/message.h"
#include "model/description/config.h"
#include "serve/answers/answers.h"
#include "study/alignment.h"
#include "text/kept.h"

namespace heed::serve {

// The parameters of a request by name: the members of a JSON object; or the fields of a form, and
// what it lacks of those after the path's ?.

/// All functions throw UserError that names the parameter and its allowed values.
class Parameters {
 public:
  explicit Parameters(const http::Request& request);

  /// The text of a parameter; "" where it is missing or null.
  std::string text(const char* name) const;
  /// The code of a language, without blanks around it; "" where it is missing or null.
  std::string language(const char* name) const;
  /// The text of a parameter. Throws where it is missing.
  std::string required_text(const char* name) const;
  struct Texts {
    std::vector<std::string> values;
    bool is_list = false;
  };
  /// One text or a list of them; none where it is missing.
  Texts texts(const char* name) const;
  /// The kinds of items to keep, by their names: a list of them, or a text with commas.
  text::KeepOptions kept(const char* name) const;
  /// Terms, each a source and its targets: a list of lists, an object with sources as names, or a
  /// text, as forms have it, that is one of these. None where it is missing.
  std::optional<std::vector<decode::TextLines>> terms(const char* name) const;
  /// A whole number from `low` to `high`; the value `missing` where the parameter is missing.
  int64_t whole(const char* name, int64_t missing, int64_t low, int64_t high) const;

 private:
  nlohmann::json values_;  // an object
};

/// The lines of a text as `heed translate` would read them; at least one.
std::vector<std::string> lines_of(const std::string& text);

/// The text as one line. Throws UserError where it has several.
std::string one_line_of(const std::string& text, const char* name);

struct ServedModel : ShownModel {
  std::string source, target;  // codes of its languages
  std::shared_ptr<decode::LineTranslator> translator;
  bool reads = false;  // its alignment shows best at the step that reads a word
  model::ModelConfig config = {};
  /// The attention weights by which tags are placed, where others show the alignment.
  std::optional<study::AlignmentChoice> placing = {};

  /// Whether its files or options say its languages, whose codes may else be endings such as "src".
  bool names_its_languages() const;
  /// The attention weights by which tags are placed; none where the model has no attention.
  std::optional<study::AlignmentChoice> alignment() const;
};

/// The model that `model` names or, if none is named, the first of those that fit `source` and
/// `target` best. Of those that fit equally well, the models of the `detected` source language come
/// first. Throws UserError where there is none.
std::size_t choose(const std::vector<ServedModel>& models, const Parameters& parameters,
                   const std::string& detected = "");

/// Returns how well a language fits the wished one. 2: the same code ("EN" and "en"); 1: another
/// form of the same language, by the part before the first - or _ ("de-DE" and "de", "pt-BR" and
/// "pt-PT"); 0: another language.
int fit_of(const std::string& code, const std::string& wished);

struct Guess {
  std::string language;
  double confidence = 0;  // per cent
};

/// A guess for each source language that the models name, the likeliest first. Where there is one
/// language, the confidence is the share of the text's letters that its vocabulary has pieces for.
/// If there are several, it is this share times the probability of the language given the
/// beginning of the text:
/// - Where each of them is also the target of a model, by log p of the text as output of that
///   model.
/// - Otherwise by the number of pieces of the text in the vocabulary of the language, and by the
///   mean probability of a piece of the translation.
/// To be called by the thread that translates.
std::vector<Guess> guesses_of(const std::vector<ServedModel>& models, const std::string& text);

}  // namespace heed::serve
