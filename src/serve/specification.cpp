#include "serve/specification.h"

#include <algorithm>

namespace heed::serve {
namespace {

struct ParameterText {
  const char* name;
  const char* type;  // of Swagger; "texts" for a text or a list of texts
  bool required;
  const char* text;
};

struct PathText {
  const char *method, *path, *text;
  const char* answer;
  std::vector<ParameterText> parameters = {};
};

constexpr ParameterText kSource = {"source", "string", false,
                                   "The code of the source language, or auto."};
constexpr ParameterText kTarget = {"target", "string", false, "The code of the target language."};
constexpr ParameterText kModel = {"model", "string", false,
                                  "The name of a model, if there are several."};
constexpr ParameterText kKeep = {"keep", "string", false,
                                 "Kinds of items that stay as they are: urls, emails, numbers, "
                                 "placeholders, with commas between them."};
constexpr ParameterText kGlossary = {"glossary", "string", false,
                                     "Terms, as an object that gives each its target."};
constexpr ParameterText kLine = {"q", "string", true, "One line of text."};
constexpr ParameterText kPrefix = {"prefix", "string", false, "The beginning of the translation."};

std::vector<PathText> paths() {
  return {
      {"post",
       "/translate",
       "Translates texts.",
       "translatedText, a text or a list of texts; alternatives; detectedLanguage where source is "
       "auto; cutLines, cutTranslations, missingTerms, repeatedItems, looseBraces and "
       "wholeMessages where there are such.",
       {{"q", "texts", true, "A text or a list of texts."},
        kSource,
        kTarget,
        {"format", "string", false, "text, html or xml."},
        {"alternatives", "integer", false, "The number of further translations."},
        kModel,
        kKeep,
        kGlossary,
        kPrefix}},
      {"post",
       "/translate_file",
       "Translates a document, whose format is that of its name's ending.",
       "translatedFileUrl, the address of the translated document; cutLines, cutTranslations, "
       "missingTerms, repeatedItems, looseBraces and wholeMessages, lists of lines of the "
       "document, "
       "where there are such.",
       {{"file", "file", true, "The document."},
        {"column", "texts", false, "Of a table: columns, by name or number."},
        kSource,
        kTarget,
        kModel,
        kKeep,
        kGlossary}},
      {"get",
       "/download_file",
       "Gives a translated document.",
       "The document.",
       {{"key", "string", true, "As in translatedFileUrl."}}},
      {"post",
       "/detect",
       "Guesses the language of a text among the source languages of the models.",
       "A list of objects with language and confidence, the likeliest first.",
       {{"q", "texts", true, "A text, or a list of texts in one language."}}},
      {"post", "/suggest", "Answers 403: better translations are not collected.", "Nothing."},
      {"post",
       "/attention",
       "Translates a line and shows the attention of the model.",
       "translatedText, words, tokens and matrices.",
       {kLine,
        kPrefix,
        {"translation", "string", false, "A translation that the model reads."},
        {"kind", "texts", false, "Kinds of attention: cross, encoder, decoder."},
        kSource,
        kTarget,
        kModel}},
      {"post",
       "/steps",
       "Shows the numbers of each step of a translation.",
       "The numbers of each step.",
       {kLine, kPrefix, kSource, kTarget, kModel}},
      {"post",
       "/candidates",
       "Lists the likeliest next words after a beginning of the translation.",
       "Words with their probabilities.",
       {kLine, kPrefix, {"count", "integer", false, "How many."}, kSource, kTarget, kModel}},
      {"get", "/languages", "Lists the languages.", "A list of code, name and targets."},
      {"get", "/frontend/settings", "Says what the server can do.",
       "Limits, formats of documents, languages and models."},
      {"get", "/health", "Says whether the server takes requests.", "status: ok or draining."},
      {"get", "/metrics", "Counts for Prometheus.", "Text in Prometheus' format."},
      {"get", "/spec", "This description.", "An object of Swagger 2.0."},
  };
}

Json described(const ParameterText& parameter, bool is_post) {
  Json out = {{"name", parameter.name},
              {"in", is_post ? "formData" : "query"},
              {"required", parameter.required},
              {"description", parameter.text}};
  const bool is_list = std::string_view(parameter.type) == "texts";
  out["type"] = is_list ? "array" : parameter.type;
  if (is_list) {
    out["items"] = {{"type", "string"}};
    out["collectionFormat"] = "multi";
  }
  return out;
}

}  // namespace

Json specification() {
  Json all = Json::object();
  for (const PathText& path : paths()) {
    const bool is_post = std::string_view(path.method) == "post";
    const bool has_file = std::ranges::any_of(path.parameters, [](const ParameterText& one) {
      return std::string_view(one.type) == "file";
    });
    Json parameters = Json::array();
    for (const ParameterText& one : path.parameters) parameters.push_back(described(one, is_post));
    Json operation = {{"summary", path.text},
                      {"parameters", parameters},
                      {"responses", {{"200", {{"description", path.answer}}}}}};
    if (is_post) {
      operation["consumes"] = {"multipart/form-data"};
      if (!has_file) {
        operation["consumes"].push_back("application/x-www-form-urlencoded");
        operation["consumes"].push_back("application/json");
      }
      for (const char* status : {"400", "413", "429", "503"})
        operation["responses"][status] = {{"description", "error: what is wrong, and the cure."}};
    }
    all[path.path] = {{path.method, operation}};
  }
  return {{"swagger", "2.0"},
          {"info",
           {{"title", "heed"},
            {"version", "1.0"},  // of the interface
            {"description", "Neural machine translation, and what attention does in it."}}},
          {"basePath", "/"},
          {"paths", all}};
}

std::vector<std::string> parameter_names(std::string_view path) {
  std::vector<std::string> names;
  for (const PathText& one : paths())
    if (one.path == path)
      for (const ParameterText& parameter : one.parameters) names.emplace_back(parameter.name);
  return names;
}

}  // namespace heed::serve
