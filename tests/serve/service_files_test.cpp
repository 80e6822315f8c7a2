// Documents sent to the server, and what programs ask it before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decode/search/lines_request.h"
#include "decode/search/marked_text.h"
#include "document/document.h"
#include "document/format.h"
#include "http/client.h"
#include "running.h"
#include "serve/specification.h"

namespace heed::serve {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A multipart form with a document, the field `source` and `more` ones.
std::string form_with(const std::string& name, const std::string& document,
                      const std::map<std::string, std::string>& more = {}) {
  std::string body = "--cut\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nde\r\n";
  for (const auto& [field, value] : more)
    body +=
        "--cut\r\nContent-Disposition: form-data; name=\"" + field + "\"\r\n\r\n" + value + "\r\n";
  body += "--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name +
          "\"\r\nContent-Type: text/plain\r\n\r\n" + document + "\r\n--cut--\r\n";
  return "POST /translate_file HTTP/1.1\r\nHost: localhost:9\r\nContent-Type: multipart/form-data; "
         "boundary=cut\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

class ServedFiles : public testing::Test {
 protected:
  Answer send(const std::string& name, const std::string& document) {
    auto answer = server.begin(form_with(name, document));
    return server.end(answer);
  }
  Answer get(const std::string& path) {
    return http::testing::ask(server.server.port(), http::testing::get_text(path));
  }
  Running server{{kShares}};
};

TEST_F(ServedFiles, AreTranslatedAsDocumentsAndFetched) {
  const std::string sentence =
      server.ok("/translate", {{"q", "a b"}}).at("translatedText").get<std::string>();
  const Answer answer = send("My film.srt", "1\n00:00:01,000 --> 00:00:02,000\na b\n");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const std::string url = json::parse(answer.body).at("translatedFileUrl");
  ASSERT_TRUE(url.starts_with("http://localhost:9/download_file?key=")) << url;
  const Answer file = get(url.substr(std::string("http://localhost:9").size()));
  EXPECT_EQ(file.status, 200);
  EXPECT_EQ(file.body, "1\n00:00:01,000 --> 00:00:02,000\n" + sentence + "\n");
  EXPECT_THAT(file.head, HasSubstr("attachment; filename*=UTF-8''My%20film.srt"));
  // Without a word there is nothing to translate.
  EXPECT_EQ(send("a.txt", "\n").status, 200);
}

TEST_F(ServedFiles, HaveTheirNameAgainWithQuotes) {
  const Answer answer = send("a%22b.txt", "a b\n");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const std::string url = json::parse(answer.body).at("translatedFileUrl");
  EXPECT_THAT(get(url.substr(url.find("/download"))).head,
              HasSubstr("attachment; filename*=UTF-8''a%22b.txt"));
  // Only quotes and line ends have codes.
  const std::string other = json::parse(send("a%41.txt", "a b\n").body).at("translatedFileUrl");
  EXPECT_THAT(get(other.substr(other.find("/download"))).head, HasSubstr("''a%2541.txt"));
}

TEST(ServedFile, TellsOfLinesAsTranslateDoes) {
  decode::DecodeConfig config;
  config.max_length_ratio = 0.1;  // and 10 pieces
  Running running({kShares}, {}, config);
  const std::string terms =
      R"({"tolo": "mira tolo sena kupo vadi rel nostra bahir glume dyphe fonji wexta"})";
  // Sentences of one line are one line.
  const std::string document =
      "mira\n\ntolo. Tolo!\n\na { b\n\nmira {n, plural, one {mira} other {x}} sena\n";
  auto begun =
      running.begin(form_with("a.txt", document, {{"keep", "placeholders"}, {"glossary", terms}}));
  const Answer answer = running.end(begun);
  ASSERT_EQ(answer.status, 200) << answer.body;
  const json told = json::parse(answer.body);
  EXPECT_EQ(told.value("missingTerms", json()), json({3}));
  EXPECT_EQ(told.value("looseBraces", json()), json({5}));
  EXPECT_EQ(told.value("wholeMessages", json()), json({7}));
  EXPECT_FALSE(told.contains("cutLines"));
  EXPECT_FALSE(told.contains("repeatedItems"));
}

/// The document as `heed translate --document` translates it, in chunks.
std::string translated(const decode::Translator& translator, const ServedModel& model,
                       const std::string& name, const std::string& bytes) {
  const document::Document read(
      bytes, *document::format_of_name(name),
      {.read = {.source_language = model.source, .target_language = model.target},
       .fits = decode::fits_of(translator),
       .knows = decode::knows_of(translator)});
  const std::span pages(&read.text(), 1);
  const std::vector<std::string> lines = decode::segments_of(pages, {}).lines;
  const decode::LineNumbers numbers(read.lines());
  std::vector<std::string> texts;
  while (texts.size() < lines.size()) {
    const auto first = std::ssize(texts);
    const auto count = std::min(std::ssize(lines) - first, translator.chunk_size());
    const decode::LinesRequest chunk{
        .lines = {lines.begin() + first, lines.begin() + first + count},
        .numbers = numbers.from(first)};
    auto found = translator.translate(chunk).translations;
    put_inlays(translator, chunk, pages, model.alignment(), found, texts.size());
    for (const decode::Translation& one : found) texts.push_back(one.text);
  }
  return read.text().with(texts);
}

TEST(ServedFile, IsDrawnAsTranslateDrawsIt) {
  decode::DecodeConfig config{.batch_size = 1};  // a chunk is 32 sentences
  config.sampling.top_k = 8;
  std::string sentences;
  for (int i = 0; i < 12; ++i) sentences += "Mira tolo sena. Kupo vadi rel. Nostra bahir mira. ";
  const std::vector<std::pair<std::string, std::string>> documents = {
      {"a.srt",
       "1\n00:00:00,000 --> 00:00:01,500\nMira tolo.\n\n2\n00:00:02,000 --> 00:00:03,500\nMira "
       "tolo.\n"},
      {"a.html", "<p>Mira <b>tolo</b> sena. Mira tolo.</p>\n<p>Mira tolo.</p>\n"},
      {"a.md", "# Mira tolo\n\nMira *tolo*. Mira tolo.\n\n- Mira tolo\n"},
      {"a.po",
       "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\nmsgid "
       "\"Mira tolo\"\nmsgstr \"\"\n\nmsgid \"Mira tolo!\"\nmsgstr \"\"\n"},
      {"a.txt", "Mira tolo. Mira tolo.\n\n" + sentences + "\n\nMira tolo.\n"}};
  for (const std::size_t which : {kShares, kSharesNot}) {
    Running running({which}, {}, config);
    const decode::Translator translator = translator_of(which, config);
    const ServedModel model = models_of({which})[0];
    for (const auto& [name, bytes] : documents) {
      const std::string wanted = translated(translator, model, name, bytes);
      auto begun = running.begin(form_with(name, bytes));
      const std::string url = json::parse(running.end(begun).body).at("translatedFileUrl");
      EXPECT_EQ(http::testing::ask(running.server.port(),
                                   http::testing::get_text(url.substr(url.find("/download"))))
                    .body,
                wanted);
      if (name == "a.html") {
        EXPECT_EQ(running.ok("/translate", {{"q", bytes}, {"format", "html"}})["translatedText"],
                  wanted);
      }
    }
  }
}

TEST_F(ServedFiles, WhatIsNoDocumentIsRefused) {
  EXPECT_THAT(send("a.docx", "x").body,
              HasSubstr("file: the name 'a.docx' does not end like one "
                        "of a document; names of documents end in .ass, "));
  EXPECT_EQ(send("a.docx", "x").status, 400);
  EXPECT_THAT(send("a.txt.gz", "x").body,
              HasSubstr("file: 'a.txt.gz' has the name of a packed file; send it unpacked"));
  EXPECT_THAT(send("a.txt", "\xFF\xFE").body, HasSubstr("file: is not UTF-8"));
  EXPECT_THAT(server.post("/translate_file", {{"source", "de"}}).body,
              HasSubstr("file: is missing"));
  // A table's columns are named as the form's field, not as the option of the command line.
  EXPECT_THAT(send("a.csv", "en,de\na,b\n").body,
              HasSubstr("\"column says which column is translated, by name or number"));
  EXPECT_EQ(get("/download_file?key=0").status, 404);
  EXPECT_EQ(get("/download_file").status, 404);
}

TEST_F(ServedFiles, ProgramsLearnWhatTheServerCanDo) {
  const json settings = json::parse(get("/frontend/settings").body);
  EXPECT_EQ(settings.at("models"), json({"m0"}));
  EXPECT_EQ(settings.at("language").at("source").at("name"), "German");
  EXPECT_THAT(settings.at("supportedFilesFormat").get<std::vector<std::string>>(),
              testing::IsSupersetOf({".md", ".srt", ".txt", ".vtt"}));
  EXPECT_EQ(json::parse(get("/health").body), json({{"status", "ok"}}));
  // The description has each path of the interface.
  std::set<std::string> described, served;
  const Json specified = specification();
  for (const auto& [path, operation] : specified.at("paths").items())
    for (const auto& [method, text] : operation.items()) described.insert(method + " " + path);
  for (const http::Route& route : server.service.routes())
    if (route.path != "/") served.insert((route.method == "GET" ? "get " : "post ") + route.path);
  EXPECT_EQ(described, served);
  EXPECT_EQ(json::parse(get("/spec").body), json(specification()));
  // What both tell of lines.
  for (const char* path : {"/translate", "/translate_file"})
    for (const char* list : {"cutLines", "cutTranslations", "missingTerms", "repeatedItems",
                             "looseBraces", "wholeMessages"})
      EXPECT_THAT(specified.at("paths").at(path).at("post").at("responses").at("200").dump(),
                  HasSubstr(list));
}

}  // namespace
}  // namespace heed::serve
