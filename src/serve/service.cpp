#include "serve/service.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/strings.h"
#include "config/attention_kind.h"
#include "decode/search/config.h"
#include "decode/search/line_translator.h"
#include "decode/search/lines_request.h"
#include "decode/search/marked_text.h"
#include "document/document.h"
#include "document/format.h"
#include "document/markup.h"
#include "document/markup_tokens.h"
#include "document/segment.h"
#include "draw/pages.h"
#include "http/message.h"
#include "serve/answers/answers.h"
#include "serve/specification.h"
#include "text/kept.h"
#include "text/language_tags.h"
#include "text/utf8.h"

namespace heed::serve {
namespace {

constexpr int64_t kCandidates = 100;  // the most that a client may ask for

/// The beginning of the translation that the request gives; "" where it gives none.
std::string prefix_of(const Parameters& parameters, const decode::LineTranslator& translator) {
  const std::string prefix = one_line_of(parameters.text("prefix"), "prefix");
  require_short_prefix(translator, prefix);
  return prefix;
}

/// A request to translate texts, of which text i has counts[i] pages. A page is a line where there
/// is no markup.
struct TextRequest {
  std::vector<std::size_t> counts;
  std::vector<document::SegmentedText> pages;
  // The line of each segment in plain text or in a document, or its own number in markup.
  std::vector<std::size_t> numbers;
  bool is_list = false;
  int64_t alternatives = 0;
  std::optional<Guess> detected = {};  // the language, where the client has left it open
};

/// The language that the texts of a request seem to be in.
Guess likeliest_language(const std::vector<ServedModel>& models, const Parameters& parameters) {
  const std::vector<Guess> guesses = guesses_of(models, join(parameters.texts("q").values, "\n"));
  return guesses.empty() ? Guess{.language = models[0].source} : guesses[0];
}

/// Whether models of several source languages translate into the wished language.
bool has_choice_of_source(const std::vector<ServedModel>& models, const std::string& target) {
  std::set<std::string> sources;
  for (const ServedModel& model : models)
    if (target.empty() || target == "auto" || fit_of(model.target, target) > 0)
      sources.insert(model.source);
  return sources.size() > 1;
}

Json language_of(const Guess& guess) {
  return {{"confidence", std::round(10 * guess.confidence) / 10}, {"language", guess.language}};
}

/// The translations of all texts, from hypothesis `which` of each segment.
Json translations_of(const TextRequest& asked, const std::vector<decode::Translation>& found,
                     std::size_t which) {
  const std::vector<std::string> pages = with_segments(asked.pages, found, which);
  Json all = Json::array();
  auto page = pages.begin();
  for (const std::size_t count : asked.counts) {
    const auto end = page + static_cast<std::ptrdiff_t>(count);
    all.push_back(join(std::vector(page, end), "\n"));
    page = end;
  }
  return all;
}

/// How a document is read for a model.
document::DocumentOptions options_for(const ServedModel& model, const text::KeepOptions& kept,
                                      const std::vector<std::string>& columns = {}) {
  return {.read = {.source_language = model.source,
                   .target_language = model.target,
                   .columns = columns,
                   .column_option = "column"},
          .kept = kept,
          .fits = decode::fits_of(*model.translator),
          .knows = decode::knows_of(*model.translator)};
}

/// Texts of documents, one after the other, and the line of each of their segments as if the texts
/// were one file. The lines say which random stream a segment is sampled from.
struct Documents {
  std::vector<document::SegmentedText> texts;
  std::vector<int64_t> lines;
  int64_t before = 0;  // lines of the texts that were added

  void add(std::string_view bytes, const document::DocumentFormat& format,
           const document::DocumentOptions& options) {
    const document::Document read(bytes, format, options);
    texts.push_back(read.text());
    for (const int64_t line : read.lines()) lines.push_back(before + line);
    before += 1 + std::ranges::count(bytes, '\n');
  }
};

http::Response json_response(const Json& body) {
  return {.body = text_of(body) + "\n"};
}

/// Adds to an answer lists of the numbers at which something was lost, or may be wrong.
void tell_faults(const TextRequest& asked, const ServedModel& model,
                 const decode::LinesRequest& request, const std::vector<decode::Translation>& found,
                 const decode::Inlaid& inlaid, Json& body) {
  Json faults = Json::object();
  tell_losses(*model.translator, request, asked.numbers, found, faults);
  for (const std::size_t i : inlaid.repeated) faults["repeatedItems"].push_back(asked.numbers[i]);
  for (const std::size_t i : inlaid.loose_braces) faults["looseBraces"].push_back(asked.numbers[i]);
  for (const std::size_t i : inlaid.whole_messages)
    faults["wholeMessages"].push_back(asked.numbers[i]);
  // A line may have several segments.
  for (const auto& [name, numbers] : faults.items())
    body[name] = numbers.get<std::set<std::size_t>>();
}

http::Response answer_to(const TextRequest& asked, const ServedModel& model,
                         const decode::LinesRequest& request,
                         std::vector<decode::Translation> found) {
  const decode::Inlaid inlaid =
      put_inlays(*model.translator, request, asked.pages, model.alignment(), found);
  const Json translated = translations_of(asked, found, 0);
  Json alternatives(asked.counts.size(), Json::array());
  for (int64_t which = 1; which <= asked.alternatives; ++which) {
    const Json others = translations_of(asked, found, static_cast<std::size_t>(which));
    for (std::size_t i = 0; i < others.size(); ++i) alternatives[i].push_back(others[i]);
  }
  Json body;
  body["translatedText"] = asked.is_list ? translated : translated[0];
  if (asked.alternatives > 0) body["alternatives"] = asked.is_list ? alternatives : alternatives[0];
  if (asked.detected) {
    const Json language = language_of(*asked.detected);
    body["detectedLanguage"] = asked.is_list ? Json(asked.counts.size(), language) : language;
  }
  tell_faults(asked, model, request, found, inlaid, body);
  return json_response(body);
}

std::vector<config::AttentionKind> kinds_of(const ServedModel& model,
                                            const std::vector<std::string>& wished) {
  if (wished.empty()) return model.kinds;
  std::vector<config::AttentionKind> kinds;
  for (const std::string& name : wished) {
    const auto kind = config::attention_kind(name);
    if (!kind || std::ranges::find(model.kinds, *kind) == model.kinds.end())
      throw UserError(
          "kind: '{}' is nothing that {} has; {}", one_line(name), model.name,
          model.kinds.empty() ? "it does not attend" : join(names_of(model.kinds), ", "));
    kinds.push_back(*kind);
  }
  return kinds;
}

/// Returns the number of alternatives to the best translation that a request may ask for.
int64_t most_alternatives(const decode::DecodeConfig& config) {
  constexpr int64_t kMostDrawn = 100;
  if (config.mbr > 0) return config.mbr - 1;
  return decode::samples(config.sampling) ? kMostDrawn : config.beam_size - 1;
}

/// The endings of names of documents: ".md" and the like.
std::vector<std::string> document_endings() {
  std::vector<std::string> endings;
  for (const document::DocumentFormat& format : document::document_formats())
    for (const std::string& ending : split_words(std::string(format.endings)))
      endings.push_back("." + ending);
  return endings;
}

/// The bytes as RFC 8187 has them in a header.
std::string percented(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Service::Service(std::vector<ServedModel> models, const Limits& limits)
    : models_(std::move(models)), limits_(limits), queue_(models_, limits, metrics_) {
  using enum http::ServiceMetrics::Type;
  metrics_.declare("heed_requests_total", counter,
                   "Requests by path and status; 0: the client closed the connection.");
  metrics_.declare("heed_request_seconds", histogram,
                   "Seconds from a request's first byte to the answer's last.",
                   {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30});
  metrics_.declare("heed_waiting_lines", gauge, "Lines that wait to be translated.");
  metrics_.declare("process_resident_memory_bytes", gauge, "Memory in use.");
}

void Service::note(const http::FinishedRequest& about) {
  metrics_.note("heed_requests_total", 1,
                {{"path", about.path}, {"status", std::to_string(about.status)}});
  metrics_.note("heed_request_seconds", about.seconds, {{"path", about.path}});
}

namespace {

/// A request with the model that answers it, and what is asked of it.
struct AskedLines {
  QueuedLines lines;
  TextRequest asked;
  std::optional<http::Response> refusal = {};
};

AskedLines asked_of(const std::vector<ServedModel>& models, const Limits& limits,
                    const Parameters& parameters, std::size_t chosen) {
  const Parameters::Texts texts = parameters.texts("q");
  if (texts.values.empty() && !texts.is_list) throw UserError("q: is missing");
  const std::string format = parameters.text("format");
  const document::MarkupKind markup = document::markup_kind(format);
  const bool is_markup = markup != document::MarkupKind::none;
  if (!format.empty() && format != "text" && !is_markup)
    throw UserError("format: '{}' is not known here; send text, html or xml", one_line(format));
  const ServedModel& model = models[chosen];
  const decode::LineTranslator& translator = *model.translator;
  AskedLines out{.lines = {.model = chosen}, .asked = {.is_list = texts.is_list}};
  TextRequest& asked = out.asked;
  asked.alternatives =
      parameters.whole("alternatives", 0, 0, most_alternatives(translator.config()));
  const text::KeepOptions kept = parameters.kept("keep");
  const bool is_html = markup == document::MarkupKind::html;
  Documents pages_of_html;
  int64_t count = 0;
  for (const std::string& text : texts.values) {
    // Lines are counted before they are stored, because a line takes far more memory here than its
    // line feed does.
    if (!is_markup) count += 1 + std::ranges::count(text, '\n');
    if (count > limits.queue) continue;
    if (const auto open = document::unclosed_markup(text, markup, /*is_page=*/is_html))
      throw UserError(
          "q: {} has no end in its text; send the whole page as one text; a < that begins no tag "
          "is written &lt;",
          *open);
    if (is_html) {
      pages_of_html.add(text, *document::format_named("html"), options_for(model, kept));
      asked.counts.push_back(1);
      continue;
    }
    const std::vector<std::string> pages = is_markup ? std::vector{text} : lines_of(text);
    for (const std::string& page : pages)
      asked.pages.push_back(document::read_markup(page, markup, kept));
    asked.counts.push_back(pages.size());
  }
  if (is_html) asked.pages = std::move(pages_of_html.texts);
  if (is_markup)
    for (const document::SegmentedText& page : asked.pages) count += std::ssize(page.segments());
  if (count > limits.queue) {
    out.refusal = http::error(
        413, fmt::format("{}; a request may have {}", counted(count, "line"), limits.queue));
    return out;
  }
  decode::LinesRequest& wanted = out.lines.request;
  wanted = decode::segments_of(asked.pages, {});
  if (is_html) {
    out.lines.is_document = true;
    wanted.numbers = decode::LineNumbers(std::move(pages_of_html.lines));
  }
  wanted.search = with_n_best(translator.config(), asked.alternatives + 1);
  if (const auto terms = parameters.terms("glossary"))
    wanted.glossary = translator.glossary_of(*terms);
  for (std::size_t i = 0; i < wanted.lines.size(); ++i)
    asked.numbers.push_back(is_markup ? i + 1 : wanted.numbers.of(static_cast<int64_t>(i)));
  if (const std::string prefix = prefix_of(parameters, translator); !prefix.empty()) {
    const bool ends_in_line_feed = wanted.lines.size() == 2 && wanted.lines.back().empty();
    if (wanted.lines.size() != 1 && !ends_in_line_feed)
      throw UserError("prefix: is for a q of one line");
    if (kept.any()) throw UserError("prefix: does not go with keep; send one of them");
    wanted.prefixes.resize(wanted.lines.size());
    wanted.prefixes.front() = prefix;
  }
  return out;
}

/// The lines of a request with what makes its response, or the response where nothing is to be
/// translated. `guess` returns the language where the client has left it open.
std::variant<http::Response, QueuedLines> queued(
    const std::vector<ServedModel>& models, AskedLines wanted,
    const std::function<std::optional<Guess>()>& guess) {
  if (wanted.refusal) return *wanted.refusal;
  const auto answer = [asked = wanted.asked, &model = models[wanted.lines.model], guess](
                          const decode::LinesRequest& translated,
                          std::vector<decode::Translation> found) {
    TextRequest answered = asked;
    answered.detected = guess();
    return answer_to(answered, model, translated, std::move(found));
  };
  if (wanted.lines.request.lines.empty()) return answer(wanted.lines.request, {});
  wanted.lines.answer = answer;
  return std::move(wanted.lines);
}

}  // namespace

void Service::translate(const http::Request& request, const http::Reply& reply) {
  const Parameters parameters(request);
  const bool detects = parameters.language("source") == "auto";
  if (detects && has_choice_of_source(models_, parameters.language("target"))) {
    const auto by_detected = [this, parameters](const decode::LineTranslator& /*translator*/) {
      const Guess likeliest = likeliest_language(models_, parameters);
      const std::size_t chosen = choose(models_, parameters, likeliest.language);
      return queued(models_, asked_of(models_, limits_, parameters, chosen),
                    [likeliest] { return likeliest; });
    };
    return queue_.take(Task{.answer = by_detected}, reply);
  }
  const auto guess = [this, detects, parameters]() -> std::optional<Guess> {
    if (!detects) return std::nullopt;
    return likeliest_language(models_, parameters);
  };
  const auto read = [this, parameters, guess, chosen = choose(models_, parameters)] {
    return queued(models_, asked_of(models_, limits_, parameters, chosen), guess);
  };
  // A megabyte of markup takes seconds to read, too long for the server's thread.
  if (document::markup_kind(parameters.text("format")) != document::MarkupKind::none) {
    Task task{.answer = [read](const decode::LineTranslator& /*translator*/) { return read(); }};
    for (const std::string& text : parameters.texts("q").values) task.bytes += text.size();
    return queue_.take(std::move(task), reply);
  }
  auto lines = read();
  if (auto* const response = std::get_if<http::Response>(&lines))
    return reply.send(std::move(*response));
  queue_.take(std::get<QueuedLines>(std::move(lines)), reply);
}

void Service::translate_file(const http::Request& request, const http::Reply& reply) {
  const auto name = http::find(request.files, "file"), bytes = http::find(request.form, "file");
  if (!name || !bytes)
    throw UserError("file: is missing; send a multipart form with the document as its field file");
  if (name->ends_with(".gz") || name->ends_with(".zst"))
    throw UserError("file: '{}' has the name of a packed file; send it unpacked, with its own name",
                    one_line(*name));
  const document::DocumentFormat* const format = document::format_of_name(*name);
  if (!format)
    throw UserError(
        "file: the name '{}' does not end like one of a document; names of documents "
        "end in {}",
        one_line(*name), join(document_endings(), ", "));
  if (!text::is_utf8(*bytes)) throw UserError("file: is not UTF-8; convert it before");
  const Parameters parameters(request);
  const auto read = [this, name = *name, bytes = *bytes, format, parameters, host = request.host,
                     chosen = choose(models_, parameters)](const decode::LineTranslator&) {
    return document_of({.name = name, .bytes = bytes, .host = host}, *format, parameters, chosen);
  };
  queue_.take(Task{.bytes = bytes->size(), .answer = read}, reply);
}

/// Reads a document. To be called by the thread that translates.
std::variant<http::Response, QueuedLines> Service::document_of(
    const SentDocument& sent, const document::DocumentFormat& format, const Parameters& parameters,
    std::size_t chosen) {
  QueuedLines lines{.model = chosen, .is_document = true};
  const ServedModel& model = models_[chosen];
  Documents read;
  read.add(sent.bytes, format,
           options_for(model, parameters.kept("keep"), parameters.texts("column").values));
  TextRequest asked{.counts = {1},
                    .pages = std::move(read.texts),
                    .numbers = {read.lines.begin(), read.lines.end()}};
  lines.request = decode::segments_of(asked.pages, {});
  lines.request.numbers = decode::LineNumbers(std::move(read.lines));
  const auto count = std::ssize(lines.request.lines);
  if (count > limits_.queue)
    return http::error(
        413, fmt::format("{}; a document may have {}", counted(count, "sentence"), limits_.queue));
  if (const auto terms = parameters.terms("glossary"))
    lines.request.glossary = model.translator->glossary_of(*terms);
  const auto answer = [this, asked, &model, name = sent.name, host = sent.host](
                          const decode::LinesRequest& translated,
                          std::vector<decode::Translation> found) {
    const decode::Inlaid inlaid =
        put_inlays(*model.translator, translated, asked.pages, model.alignment(), found);
    const std::string key = files_.add(name, with_segments(asked.pages, found)[0]);
    Json body;
    body["translatedFileUrl"] =
        fmt::format("{}/download_file?key={}", host.empty() ? "" : "http://" + host, key);
    tell_faults(asked, model, translated, found, inlaid, body);
    return json_response(body);
  };
  if (count == 0) return answer(lines.request, {});
  lines.answer = answer;
  return lines;
}

void Service::download_file(const http::Request& request, const http::Reply& reply) {
  const auto file = files_.find(http::find(request.query, "key").value_or(""));
  if (!file)
    return reply.send(http::error(404, "there is no such document; it may have waited too long"));
  reply.send({.type = "application/octet-stream",
              .body = file->bytes,
              .headers = {{"Content-Disposition",
                           fmt::format("attachment; filename*=UTF-8''{}", percented(file->name))},
                          {"X-Content-Type-Options", "nosniff"}}});
}

void Service::attention(const http::Request& request, const http::Reply& reply) {
  const Parameters parameters(request);
  const std::size_t chosen = choose(models_, parameters);
  const ServedModel& model = models_[chosen];
  AttentionQuestion wanted{.line = one_line_of(parameters.required_text("q"), "q"),
                           .prefix = prefix_of(parameters, *model.translator),
                           .kinds = kinds_of(model, parameters.texts("kind").values)};
  if (const std::string given = parameters.text("translation"); !given.empty()) {
    if (!wanted.prefix.empty()) throw UserError("prefix: a translation is given, too; send one");
    wanted.translation = one_line_of(given, "translation");
  }
  queue_.take({.model = chosen,
               .bytes = wanted.line.size(),
               .answer =
                   [this, &model, wanted](const decode::LineTranslator& translator) {
                     const AttentionAnswer answer = attention_of(model, translator, wanted);
                     if (answer.search_seconds) queue_.count(model, 1, *answer.search_seconds);
                     return json_response(answer.body);
                   }},
              reply);
}

void Service::steps(const http::Request& request, const http::Reply& reply) {
  const Parameters parameters(request);
  const std::size_t chosen = choose(models_, parameters);
  const ServedModel& model = models_[chosen];
  const std::string line = one_line_of(parameters.required_text("q"), "q"),
                    prefix = prefix_of(parameters, *model.translator);
  queue_.take({.model = chosen,
               .bytes = line.size(),
               .answer =
                   [&model, line, prefix](const decode::LineTranslator& translator) {
                     return json_response(steps_of(model, model.config, translator, line, prefix));
                   }},
              reply);
}

void Service::candidates(const http::Request& request, const http::Reply& reply) {
  const Parameters parameters(request);
  const std::size_t chosen = choose(models_, parameters);
  const std::string line = one_line_of(parameters.required_text("q"), "q"),
                    prefix = prefix_of(parameters, *models_[chosen].translator);
  const int64_t count = parameters.whole("count", 8, 1, kCandidates);
  queue_.take({.model = chosen,
               .bytes = line.size(),
               .answer =
                   [line, prefix, count](const decode::LineTranslator& translator) {
                     return json_response(candidates_of(translator, line, prefix, count));
                   }},
              reply);
}

void Service::detect(const http::Request& request, const http::Reply& reply) {
  const Parameters::Texts texts = Parameters(request).texts("q");
  if (texts.values.empty()) throw UserError("q: is missing");
  const std::string text = join(texts.values, "\n");
  queue_.take({.model = 0,
               .answer =
                   [this, text](const decode::LineTranslator&) {
                     Json out = Json::array();
                     for (const Guess& guess : guesses_of(models_, text))
                       out.push_back(language_of(guess));
                     return json_response(out);
                   }},
              reply);
}

http::Response Service::languages() const {
  std::map<std::string, std::set<std::string>> targets;
  // Beside others, a model that does not say its languages has none that a client could choose.
  const bool are_any_named = std::ranges::any_of(models_, &ServedModel::names_its_languages);
  for (const ServedModel& model : models_) {
    if (are_any_named && !model.names_its_languages()) continue;
    targets[model.source].insert(model.target);
    targets[model.target];
  }
  Json out = Json::array();
  for (const auto& [code, reached] : targets)
    out.push_back({{"code", code}, {"name", text::language_name(code)}, {"targets", reached}});
  return json_response(out);
}

/// LibreTranslate's settings, and the names of the models.
http::Response Service::settings() const {
  const auto language = [](const std::string& code) {
    return Json{{"code", code}, {"name", text::language_name(code)}};
  };
  std::vector<std::string> names;
  for (const ServedModel& model : models_) names.push_back(model.name);
  return json_response(
      {{"apiKeys", false},
       {"charLimit", -1},
       {"filesTranslation", true},
       {"frontendTimeout", 500},  // milliseconds after which a page translates what was typed
       {"keyRequired", false},
       {"language",
        {{"source", language(models_[0].source)}, {"target", language(models_[0].target)}}},
       {"suggestions", false},
       {"supportedFilesFormat", document_endings()},
       {"models", names}});
}

http::Response Service::health() const {
  return json_response({{"status", draining_ ? "draining" : "ok"}});
}

http::Response Service::metrics() {
  metrics_.note("heed_waiting_lines", static_cast<double>(queue_.waiting()));
  metrics_.note("process_resident_memory_bytes", resident_bytes());
  return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_.text()};
}

std::vector<http::Route> Service::routes() {
  using http::Reply;
  using http::Request;
  std::vector<draw::PlayedModel> played;
  for (const ServedModel& model : models_)
    played.push_back({model.name, text::language_name(model.source),
                      text::language_name(model.target), model.examples});
  const auto page = [](std::string html) {
    return [html = std::move(html)](const Request&, const Reply& reply) {
      reply.send({.type = "text/html; charset=utf-8",
                  .body = html,
                  .headers = {{"Content-Security-Policy",
                               "default-src 'none'; script-src 'unsafe-inline'; style-src "
                               "'unsafe-inline'; connect-src 'self'; frame-src 'self'; img-src "
                               "data: blob:; frame-ancestors 'self'"}}});
    };
  };
  return {
      {"GET", "/", page(draw::play_page(played))},
      {"POST", "/translate", [this](const Request& q, const Reply& r) { translate(q, r); }},
      {"POST", "/attention", [this](const Request& q, const Reply& r) { attention(q, r); }},
      {"POST", "/steps", [this](const Request& q, const Reply& r) { steps(q, r); }},
      {"POST", "/candidates", [this](const Request& q, const Reply& r) { candidates(q, r); }},
      {"POST", "/translate_file",
       [this](const Request& q, const Reply& r) { translate_file(q, r); }},
      {"GET", "/download_file", [this](const Request& q, const Reply& r) { download_file(q, r); }},
      {"POST", "/detect", [this](const Request& q, const Reply& r) { detect(q, r); }},
      {"POST", "/suggest",
       [](const Request&, const Reply& r) {
         r.send(http::error(403, "suggestions are not taken here"));
       }},
      {"GET", "/languages", [this](const Request&, const Reply& r) { r.send(languages()); }},
      {"GET", "/frontend/settings", [this](const Request&, const Reply& r) { r.send(settings()); }},
      {"GET", "/spec",
       [](const Request&, const Reply& r) { r.send(json_response(specification())); }},
      {"GET", "/health", [this](const Request&, const Reply& r) { r.send(health()); }},
      {"GET", "/metrics", [this](const Request&, const Reply& r) { r.send(metrics()); }},
  };
}

}  // namespace heed::serve
