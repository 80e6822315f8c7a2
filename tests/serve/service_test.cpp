// The service over HTTP, with small random models: the same answers as the translator's, alone
// or among others; queues, times and mistakes.
#include "serve/service.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/strings.h"
#include "http/client.h"
#include "serve/running.h"

namespace heed::serve {
namespace {

using http::testing::Answer;
using http::testing::ask;
using http::testing::get_text;
using http::testing::post_text;
using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string>& sentences() {
  static const std::vector<std::string> all = {
      "mira tolo",
      "sena kupo vadi rel nostra bahir glume",
      "",
      "quorz",
      "dyphe fonji mira mira",
      "wexta rel tolo tolo sena kupo kupo glume glume dyphe",
      "vadi"};
  return all;
}

// SentencePiece alone takes most of a minute for each of them.
TEST(Service, AnswersWhereAMegabyteOfLettersIsUnknown) {
  std::string letters;
  while (letters.size() < 1000000) letters += "ж";
  for (const std::size_t which : {0, 1}) {
    Running running({which});
    for (const char* path : {"/translate", "/candidates"})
      EXPECT_EQ(running.ok(path, {{"q", letters}}), running.ok(path, {{"q", "ж"}}));
    for (const char* path : {"/translate", "/attention", "/candidates"})
      running.ok(path, {{"q", "mira"}, {"prefix", letters}});
    EXPECT_EQ(running.ok("/attention", {{"q", letters}})["tokens"]["source"].size(), 3U);
  }
}

TEST(Service, TranslatesTextsAndListsOfThem) {
  for (const std::size_t which : {0, 1}) {
    Running running({which});
    const auto texts = expected(translator_of(which), sentences());
    EXPECT_EQ(running.ok("/translate", {{"q", sentences()}})["translatedText"], json(texts));
    EXPECT_EQ(running.ok("/translate", {{"q", join(sentences(), "\n")}})["translatedText"],
              json(join(texts, "\n")));
    EXPECT_EQ(running.ok("/translate", {{"q", json::array()}})["translatedText"], json::array());
    auto form = running.begin(post_text(
        "/translate", "q=mira+tolo&source=de&target=" + std::string(which == 0 ? "en" : "fr"),
        "application/x-www-form-urlencoded"));
    EXPECT_EQ(json::parse(running.end(form).body)["translatedText"], json(texts[0]));
    auto of_lines = running.begin(post_text("/translate", "q=mira tolo\nquorz&format=text",
                                            "application/x-www-form-urlencoded"));
    EXPECT_EQ(json::parse(running.end(of_lines).body)["translatedText"],
              json(join(expected(translator_of(which), {"mira tolo", "quorz"}), "\n")));
  }
}

TEST(Service, TranslatesTheTextOfHtmlAndLeavesItsTags) {
  for (const std::size_t which : {kShares, kSharesNot}) {
    Running running({which});
    const auto texts = expected(translator_of(which), {"mira tolo", "quorz", "vadi rel"});
    for (const std::string& text : texts)  // would be references
      ASSERT_THAT(text, Not(::testing::ContainsRegex("[<>&]")));
    const std::string page =
        "<p class=\"mira\">mira\n <i>tolo</i></p><script>mira</script>vadi &#114;el";
    std::string translated =
        running.ok("/translate", {{"q", page}, {"format", "html"}})["translatedText"];
    const json several = {{"q", {"<br>", page, "quorz"}}, {"format", "html"}};
    EXPECT_EQ(running.ok("/translate", several)["translatedText"],
              json({"<br>", translated, texts[1]}));
    // Somewhere in the sentence, which is translated as a whole.
    for (const std::string tag : {"<i>", "</i>"}) {
      ASSERT_THAT(translated, HasSubstr(tag));
      translated.erase(translated.find(tag), tag.size());
    }
    std::string wanted = "<p class=\"mira\">" + texts[0] + "</p><script>mira</script>" + texts[2];
    for (std::string* text : {&translated, &wanted})
      std::erase_if(*text, [](char c) { return c == ' ' || c == '\n'; });  // beside the tags
    EXPECT_EQ(translated, wanted);
    const json more = {{"q", "<b>mira</b>"}, {"format", "xml"}, {"alternatives", 1}};
    EXPECT_THAT(running.ok("/translate", more)["alternatives"][0].get<std::string>(),
                AllOf(HasSubstr("<b>"), HasSubstr("</b>")));
    EXPECT_EQ(running.ok("/translate", {{"q", "<br>"}, {"format", "html"}})["translatedText"],
              json("<br>"));
  }
}

TEST(Service, TakesCodesOfLanguagesInUpperCaseAndWithRegions) {
  Running running({0, 1});
  const auto model_of = [&](const std::string& source, const std::string& target) {
    return running.ok("/attention",
                      {{"q", "mira"}, {"source", source}, {"target", target}})["model"];
  };
  EXPECT_EQ(model_of("de", "en"), json("m0"));
  EXPECT_EQ(model_of("DE", "FR"), json("m1"));
  EXPECT_EQ(model_of("de-AT", "en_US"), json("m0"));
  EXPECT_EQ(model_of("auto", "fr-CA"), json("m1"));
  EXPECT_EQ(model_of(" de", "fr "), json("m1"));
}

TEST(Service, RequestsAtOnceGetWhatTheyWouldGetAlone) {
  // Threads gain nothing in models so small, and wait for each other where others compute.
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  for (const std::size_t which : {kShares, kSharesNot}) {
    Running running({which});
    std::vector<std::future<Answer>> answers;
    int64_t lines = 0;
    for (int i = 0; i < 40; ++i) {
      std::vector<std::string> some(sentences().begin(), sentences().begin() + 1 + i % 7);
      std::ranges::rotate(some, some.begin() + i % std::ssize(some));
      lines += std::ssize(some);
      answers.push_back(running.begin(post_text("/translate", json{{"q", some}}.dump())));
    }
    running.wait_for_lines(lines);  // all wait, and share batches
    for (int i = 0; i < 40; ++i) {
      std::vector<std::string> some(sentences().begin(), sentences().begin() + 1 + i % 7);
      std::ranges::rotate(some, some.begin() + i % std::ssize(some));
      const Answer answer = running.end(answers[static_cast<std::size_t>(i)]);
      EXPECT_EQ(json::parse(answer.body)["translatedText"],
                json(expected(translator_of(which), some)));
    }
    const std::string metrics = ask(running.server.port(), get_text("/metrics")).body;
    const int batches = std::stoi(metrics.substr(metrics.find("heed_batch_lines_count ") + 23));
    if (which == kShares)
      EXPECT_LT(batches, 20);
    else
      EXPECT_EQ(batches, 40);
  }
  at::set_num_threads(threads);
}

TEST(Service, ALongRequestDoesNotHoldUpShortOnes) {
  Running running({0});
  std::vector<std::string> many(500, "mira tolo sena");
  auto large = running.begin(post_text("/translate", json{{"q", many}}.dump()));
  running.wait_for_lines(500);
  auto small = running.begin(post_text("/translate", R"({"q": "quorz"})"));
  running.wait_for_lines(501);
  EXPECT_EQ(running.end(small).status, 200);
  EXPECT_GT(running.service.waiting(), 300);
  EXPECT_EQ(json::parse(running.end(large).body)["translatedText"].size(), 500U);
}

TEST(Service, ALongRequestDoesNotHoldUpOthersWhereBatchesAreNotShared) {
  const decode::DecodeConfig config{.batch_size = 3};
  std::vector<std::string> many;  // three chunks of 96 lines, the last of them with 1 line
  for (int i = 0; i < 193; ++i) many.push_back(sentences()[static_cast<std::size_t>(i * i % 7)]);
  const int threads = at::get_num_threads();
  for (const int some : {1, 2, 3}) {
    at::set_num_threads(some);
    Running running({kSharesNot}, {.threads = some}, config);
    auto large = running.begin(post_text("/translate", json{{"q", many}}.dump()));
    running.wait_for_lines(193);
    auto small = running.begin(post_text("/translate", R"({"q": ["quorz", "mira tolo"]})"));
    running.wait_for_lines(195);
    for (int turn = 0; turn < 2; ++turn) running.service.work(milliseconds(1));
    EXPECT_EQ(running.service.waiting(), 193 - 3 * some);  // of the long one, one turn is done
    EXPECT_EQ(json::parse(running.end(small).body)["translatedText"],
              json(expected(translator_of(kSharesNot, config), {"quorz", "mira tolo"})));
    std::vector<std::string> texts;  // as `heed translate` does, chunk by chunk
    for (auto from = many.begin(); from < many.end(); from += 96) {
      const auto to = std::min(from + 96, many.end());
      const auto part = expected(translator_of(kSharesNot, config), {from, to});
      texts.insert(texts.end(), part.begin(), part.end());
      if (to == many.end()) break;
    }
    EXPECT_EQ(json::parse(running.end(large).body)["translatedText"], json(texts));
  }
  at::set_num_threads(threads);
}

TEST(Service, GivesAlternativesAndGoesOnFromPrefixes) {
  Running running({0});
  decode::Translator translator = translator_of(0);
  const auto best =
      translator
          .translate({.lines = {"mira tolo sena"}, .search = with_n_best(translator.config(), 3)})
          .translations[0]
          .texts;
  const json answer = running.ok("/translate", {{"q", "mira tolo sena"}, {"alternatives", 2}});
  EXPECT_EQ(answer["translatedText"], json(best[0]));
  EXPECT_EQ(answer["alternatives"], json({best[1], best[2]}));
  const auto begun = translator.translate({.lines = {"mira tolo"}, .prefixes = {"wexta"}});
  EXPECT_EQ(running.ok("/translate", {{"q", "mira tolo"}, {"prefix", "wexta"}})["translatedText"],
            json(begun.translations[0].text));
  EXPECT_EQ(running.ok("/translate", {{"q", "mira tolo\n"}, {"prefix", "wexta"}})["translatedText"],
            json(begun.translations[0].text + "\n"));
  // And the next request is as if there had been none.
  EXPECT_EQ(running.ok("/translate", {{"q", "mira tolo"}}).size(), 1U);
}

TEST(Service, RequestsForOtherModelsOrWithAlternativesShareNoBatch) {
  const auto other = [] {
    return decode::make_translator(decode::random_model(decode::small_models()[0], /*seed=*/9));
  };
  const std::string line = "mira tolo sena", second = "quorz kupo";
  const std::string of_other = expected(other(), {line})[0];
  ASSERT_NE(of_other, expected(translator_of(0), {line})[0]);
  std::vector<ServedModel> models = models_of({0});
  models.push_back({{.name = "other",
                     .kinds = {config::AttentionKind::cross},
                     .softmax_kinds = {config::AttentionKind::cross}},
                    "de",
                    "en",
                    shared(other())});
  Service service(std::move(models), {});
  const http::Server server({}, service.routes());
  // All wait before the first is translated, in this order.
  std::vector<std::future<Answer>> answers;
  int64_t lines = 0;
  const auto begin = [&](const json& question, int64_t more) {
    const std::string text = post_text("/translate", question.dump());
    answers.push_back(
        std::async(std::launch::async, [port = server.port(), text] { return ask(port, text); }));
    lines += more;
    while (service.waiting() < lines) std::this_thread::sleep_for(milliseconds(1));
  };
  begin({{"q", line}}, 1);
  begin({{"q", json::array({line, second})}, {"alternatives", 2}}, 2);
  begin({{"q", line}, {"model", "other"}}, 1);
  std::vector<json> bodies;
  for (auto& answer : answers) {
    while (answer.wait_for(milliseconds(0)) != std::future_status::ready)
      service.work(milliseconds(1));
    bodies.push_back(json::parse(answer.get().body));
  }
  decode::Translator translator = translator_of(0);
  const auto found =
      translator.translate({.lines = {line, second}, .search = with_n_best(translator.config(), 3)})
          .translations;
  EXPECT_EQ(bodies[0]["translatedText"], json(found[0].text));
  std::vector<std::string> best;
  std::vector<std::vector<std::string>> others;
  for (const auto& one : found) {
    ASSERT_EQ(one.texts.size(), 3U);
    best.push_back(one.texts[0]);
    others.push_back({one.texts[1], one.texts[2]});
  }
  EXPECT_EQ(bodies[1]["translatedText"], json(best));
  EXPECT_EQ(bodies[1]["alternatives"], json(others));
  EXPECT_EQ(bodies[2]["translatedText"], json(of_other));
}

TEST(Service, TellsWhatWasCut) {
  Running running({0});
  std::string endless;
  for (int i = 0; i < 1100; ++i) endless += "mira ";
  const json answer = running.ok("/translate", {{"q", {"mira", endless}}});
  EXPECT_EQ(answer["cutLines"], json({2}));
}

TEST(Service, RefusesWhatItCannotAnswer) {
  Running running({0, 1});
  const auto mistake = [&](const std::string& path, const std::string& body,
                           const std::string& part) {
    auto begun = running.begin(post_text(path, body));
    const Answer answer = running.end(begun);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_THAT(json::parse(answer.body)["error"].get<std::string>(), HasSubstr(part));
  };
  mistake("/translate", "{}", "q: is missing");
  mistake("/translate", "q", "no JSON");
  mistake("/translate", "", "q: is missing");
  mistake("/translate", R"({"q": 5})", "q: must be a text or a list of texts");
  mistake("/translate", R"({"q": "a", "source": "xx"})", "no model here translates from xx; GET");
  mistake("/translate", R"({"q": "a", "target": "xx"})", "to xx; GET /languages lists them");
  mistake("/translate", R"({"q": "a", "model": "xx"})", "'xx' is not here; m0, m1");
  mistake("/translate", R"({"q": "a", "format": "rtf"})", "send text, html or xml");
  mistake("/translate", R"({"q": ["a", "<p>a</p>\n<!-- b"], "format": "html"})",
          "q: the comment that begins with '<!-- b' has no end in its text; send the whole page");
  mistake("/translate", R"({"q": "a", "alternatives": 5})", "from 0 to 4");
  mistake("/translate", R"({"q": "a\nb", "prefix": "c"})", "prefix: is for a q of one line");
  mistake("/translate", R"({"q": "a", "prefix": "c", "keep": "urls"})", "does not go with keep");
  mistake("/translate", R"({"q": "a", "keep": "urls,dates"})",
          "keep: 'dates' is not known here; send urls, emails, numbers, placeholders");
  mistake("/translate", R"({"q": "a", "glossary": ["mira"]})", "glossary: must be [[");
  mistake("/translate", R"({"q": "a", "glossary": {"mira": "ж"}})",
          "glossary: the vocabulary has no pieces for 'ж'");
  mistake("/translate", R"({"q": "a", "glossary": [["mira", "a"], ["Mira", "b"]]})",
          "glossary: 'Mira' is there twice; put all its targets into one term");
  mistake("/translate", R"({"q": "a", "glosary": {}})",
          "glosary: is no parameter; did you mean 'glossary'?");
  mistake("/translate?taget=de", R"({"q": "a", "Source": "de"})", "did you mean 'source'?");
  mistake("/attention", R"({"q": "a\nb"})", "must be one line");
  mistake("/attention", R"({"q": "a", "kind": "x"})", "cross, encoder, decoder");
  mistake("/attention", R"({"q": "a", "prefix": "b", "translation": "c"})", "send one");
  mistake("/translate", R"({"q": "a", "source": "auto", "target": "xx"})",
          "no model here translates to xx; GET");
  mistake("/translate", R"({"q": "a", "source": "xx", "target": "auto"})",
          "no model here translates from xx; GET");
  mistake("/translate", R"({"q": "a", "model": "m0", "target": "xx"})",
          "m0 does not translate to xx; GET");
  mistake("/candidates", R"({"q": "a", "count": 0})", "from 1 to 100");
  // The second model has other languages.
  EXPECT_EQ(running.ok("/translate", {{"q", "mira"}, {"target", "fr"}})["translatedText"],
            json(expected(translator_of(1), {"mira"})[0]));
  const json open = {{"q", "mira"}, {"source", "auto"}, {"target", "auto"}};
  EXPECT_EQ(running.ok("/translate", open)["translatedText"],
            json(expected(translator_of(0), {"mira"})[0]));
}

TEST(Service, RefusesFormsThatAreNotUtf8) {
  Running running({0});
  const auto answer_to = [&](const std::string& path, const std::string& body) {
    auto begun = running.begin(post_text(path, body, "application/x-www-form-urlencoded"));
    return running.end(begun);
  };
  for (const Answer& answer :
       {answer_to("/translate", "q=M\xe4nner"), answer_to("/translate", "q=mira&source=M%E4nner"),
        answer_to("/translate?q=M%E4nner", "source=de")}) {
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.body, HasSubstr("is not UTF-8"));
  }
  EXPECT_EQ(answer_to("/translate", "q=M%C3%A4nner").status, 200);
}

TEST(Service, TakesNoSuggestions) {
  Running running({0});
  const Answer answer = running.post("/suggest", {{"q", "mira"}, {"s", "tolo"}});
  EXPECT_EQ(answer.status, 403);
  EXPECT_THAT(answer.body, HasSubstr("suggestions are not taken here"));
}

TEST(Service, LimitsTheQueueAndTheTime) {
  Running running({0}, {.queue = 3, .patience = std::chrono::seconds(1)});
  auto first = running.begin(post_text("/translate", R"({"q": "mira\ntolo"})"));
  running.wait_for_lines(2);
  const Answer too_many = ask(running.server.port(), post_text("/translate", R"({"q": "a\nb"})"));
  EXPECT_EQ(too_many.status, 429);
  EXPECT_EQ(too_many.body, "{\"error\":\"too many requests wait already\"}\n");
  EXPECT_EQ(too_many.header("retry-after"), "1");
  const Answer too_long =
      ask(running.server.port(), post_text("/translate", R"({"q": "a\nb\nc\nd"})"));
  EXPECT_EQ(too_long.status, 413);
  EXPECT_THAT(too_long.body, HasSubstr("4 lines; a request may have 3"));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  const Answer late = running.end(first);
  EXPECT_EQ(late.status, 503);
  EXPECT_EQ(late.header("retry-after"), "5");
  EXPECT_EQ(running.service.waiting(), 0);
  EXPECT_EQ(running.ok("/translate", {{"q", "mira"}}).size(), 1U);
}

TEST(Service, DoesNotTranslateForClientsThatHaveGone) {
  Running running({0});
  auto first = running.begin(post_text("/translate", R"({"q": "mira"})"));
  running.wait_for_lines(1);
  {
    const http::testing::Client leaves(running.server.port());
    leaves.send(post_text("/translate", R"({"q": "tolo\nsena\nkupo"})"));
    running.wait_for_lines(4);
    leaves.hang_up();
  }
  EXPECT_EQ(running.end(first).status, 200);
  EXPECT_EQ(running.service.waiting(), 0);
  std::string metrics;
  while (metrics.find("status=\"0\"") == std::string::npos)
    metrics = ask(running.server.port(), get_text("/metrics")).body;
  EXPECT_THAT(metrics, HasSubstr("heed_requests_total{path=\"/translate\",status=\"0\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("heed_lines_total{model=\"m0\"} 1\n"));
}

TEST(Service, AlternativesAreAsManyAsTheSearchFinds) {
  const auto refuse = [](const decode::DecodeConfig& config, int64_t count,
                         const std::string& limits) {
    Running running({0}, {}, config);
    const Answer answer = running.post("/translate", {{"q", "mira"}, {"alternatives", count}});
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.body, AllOf(HasSubstr("alternatives"), HasSubstr(limits)));
  };
  decode::DecodeConfig risk;
  risk.mbr = 2;
  refuse(risk, 2, "from 0 to 1");
  decode::DecodeConfig drawn;
  drawn.beam_size = 1;
  drawn.sampling.top_p = 1;
  refuse(drawn, 101, "from 0 to 100");
  Running running({0}, {}, drawn);
  EXPECT_EQ(running.ok("/translate", {{"q", "mira"}, {"alternatives", 2}})["alternatives"].size(),
            2U);
}

TEST(Service, TellsOfItself) {
  Running running({0, 1});
  const auto get = [&](const std::string& path) {
    return ask(running.server.port(), get_text(path));
  };
  EXPECT_EQ(json::parse(get("/languages").body),
            json::parse(R"([{"code": "de", "name": "German", "targets": ["en", "fr"]},
                            {"code": "en", "name": "English", "targets": []},
                            {"code": "fr", "name": "French", "targets": []}])"));
  EXPECT_EQ(json::parse(get("/health").body)["status"], "ok");
  running.ok("/translate", {{"q", {"mira", "tolo"}}});
  running.ok("/attention", {{"q", "mira"}});  // a third line
  running.ok("/attention", {{"q", "mira"}, {"translation", "tolo"}});
  const Answer metrics = get("/metrics");
  EXPECT_THAT(metrics.header("content-type"), HasSubstr("version=0.0.4"));
  EXPECT_THAT(metrics.body, HasSubstr("heed_lines_total{model=\"m0\"} 3\n"));
  EXPECT_THAT(metrics.body, HasSubstr("heed_batch_lines_sum 3\n"));
  EXPECT_THAT(metrics.body,
              HasSubstr("heed_requests_total{path=\"/translate\",status=\"200\"} 1\n"));
  EXPECT_THAT(metrics.body, HasSubstr("heed_waiting_lines 0\n"));
  const Answer page = get("/");
  EXPECT_THAT(page.body, HasSubstr("m0 and m1"));
  EXPECT_THAT(page.header("content-security-policy"), HasSubstr("default-src 'none'"));
  running.service.drain();
  EXPECT_EQ(json::parse(get("/health").body)["status"], "draining");
}

}  // namespace
}  // namespace heed::serve
