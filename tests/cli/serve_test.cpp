// heed serve as a user starts it, asks it and ends it.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/files.h"
#include "cli/program.h"
#include "cli/toy.h"
#include "http/client.h"

namespace heed::cli {
namespace {

using http::testing::Answer;
using http::testing::ask;
using http::testing::get_text;
using http::testing::post_text;
using nlohmann::json;
using ::testing::HasSubstr;

/// `heed serve ARGUMENTS --port 0` until it listens.
class Served {
 public:
  explicit Served(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "serve");
    arguments.insert(arguments.end(), {"--port", "0", "--device", "cpu"});
    child_.emplace(subprocess::start(command(arguments), folder_ / "console.log"));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const std::string before = "http://127.0.0.1:";
    while (port_ == 0) {
      const std::string text = console();
      const std::size_t at = text.find(before), stop = text.find("/\n", at);
      if (at != std::string::npos && stop != std::string::npos)
        port_ = static_cast<uint16_t>(std::stoi(text.substr(at + before.size())));
      if (child_->finished() || std::chrono::steady_clock::now() > end)
        throw std::runtime_error("heed serve does not listen:\n" + console());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  uint16_t port() const { return port_; }
  std::string console() const {
    std::ifstream file(folder_ / "console.log");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void signal(int number) const { child_->signal(number); }
  int wait() { return child_->wait(); }

  Answer translate(const json& question) const {
    return ask(port_, post_text("/translate", question.dump()));
  }
  /// The texts of an answer.
  std::vector<std::string> texts(const std::vector<std::string>& lines) const {
    const Answer answer = translate({{"q", lines}});
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json::parse(answer.body)["translatedText"];
  }

 private:
  TemporaryFolder folder_;
  std::optional<subprocess::Child> child_;
  uint16_t port_ = 0;
};

// Also where its corpus is gone, as in a copy on another machine.
TEST(Serve, ShowsSentencesOfTheRunsOwnValidationsAsExamples) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const std::string model = folder / "model";
  fs::copy(Toy::get().rnn, model, fs::copy_options::recursive);
  folder.write("model/validations/9.txt", "line       1\nsource     old old old\n");
  folder.write("model/validations/1000000.txt",
               "line       1\nsource     a b\nreference  b a\n\nline       2\nsource     "
               "a quite particular sentence\nreference  x\noutput     too short\n");
  const Served served({model});
  const std::string page = ask(served.port(), get_text("/")).body;
  EXPECT_THAT(page, HasSubstr("[\"a quite particular sentence\"]"));
}

TEST(Serve, GivesWhatTranslateGivesAndEndsWithASignal) {
  const Toy& toy = Toy::get();
  const std::string test = toy.folder / "test.src";
  const std::vector<std::string> lines = lines_of(read_file(test));
  for (const std::string& model : {toy.transformer, toy.rnn}) {
    Served served({model});
    const auto expected = lines_of(product(run_heed({"translate", model, test})));
    EXPECT_EQ(served.texts(lines), expected);
    // Eight clients at once, a line each: what the line gets in a file of its own.
    std::vector<std::future<std::vector<std::string>>> answers;
    for (int i = 0; i < 8; ++i)
      answers.push_back(std::async(std::launch::async, [&, i] {
        std::vector<std::string> out;
        for (int turn = 0; turn < 3; ++turn)
          out.push_back(served.texts({lines[static_cast<std::size_t>(3 * i + turn)]}).at(0));
        return out;
      }));
    for (std::size_t i = 0; i < 8; ++i) {
      const auto texts = answers[i].get();
      for (std::size_t turn = 0; turn < 3; ++turn)
        EXPECT_EQ(texts[turn], expected[3 * i + turn]) << lines[3 * i + turn];
    }
    EXPECT_EQ(served.texts({lines[0]}).at(0) + "\n",
              product(run_heed({"translate", model}, lines[0] + "\n")));
    served.signal(SIGTERM);
    EXPECT_EQ(served.wait(), 0) << served.console();
    EXPECT_THROW(http::testing::Client{served.port()}, std::runtime_error);
  }
}

TEST(Serve, KeepsItsModelWhereTheFileIsOverwritten) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  for (const std::string name : {"transformer", "rnn"}) {
    const std::string model = folder / name;
    std::filesystem::copy(toy.folder / name, model);
    const Served served({model});
    const std::vector<std::string> before = served.texts({"a b c"});
    const auto size = std::filesystem::file_size(model + "/model.safetensors");
    std::ofstream(model + "/model.safetensors") << std::string(size / 2, '\0');
    EXPECT_EQ(served.texts({"a b c"}), before);
  }
}

TEST(Serve, GivesAlternativesAndPrefixesAsTranslateDoes) {
  const Toy& toy = Toy::get();
  const Served served({toy.transformer});
  const json best = json::parse(served.translate({{"q", "a b c"}, {"alternatives", 2}}).body);
  std::vector<std::string> listed;
  for (const std::string& line :
       lines_of(product(run_heed({"translate", toy.transformer, "--n-best", "3"}, "a b c\n"))))
    listed.push_back(line.substr(6, line.find(" ||| ", 6) - 6));
  ASSERT_EQ(listed.size(), 3U);
  EXPECT_EQ(best["translatedText"], json(listed[0]));
  EXPECT_EQ(best["alternatives"], json({listed[1], listed[2]}));
  EXPECT_EQ(
      json::parse(served.translate({{"q", "a b c"}, {"prefix", "hg"}}).body)["translatedText"],
      json(lines_of(
          product(run_heed({"translate", toy.transformer, "--prefix-column"}, "a b c\thg\n")))[0]));
}

TEST(Serve, KeepsItemsAndObeysTermsAsTranslateDoes) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  const std::string terms = folder.write("terms.tsv", "a\tgh\n"), page = "<b>a {x} 5</b> c b";
  for (const std::string& model : {toy.transformer, toy.rnn}) {
    const Served served({model});
    const Result marked = run_heed({"translate", model, "--markup", "html", "--keep",
                                    "placeholders,numbers", "--glossary", terms},
                                   page + "\n");
    EXPECT_EQ(json::parse(served
                              .translate({{"q", page},
                                          {"format", "html"},
                                          {"keep", {"placeholders", "numbers"}},
                                          {"glossary", {{"a", "gh"}}}})
                              .body)["translatedText"],
              json(lines_of(product(marked))[0]));
    const Answer form = ask(
        served.port(), post_text("/translate", "q=a+c&glossary=[[\"a\",\"gh\"]]&keep=urls,emails",
                                 "application/x-www-form-urlencoded"));
    EXPECT_EQ(
        json::parse(form.body)["translatedText"],
        json(lines_of(product(run_heed({"translate", model, "--glossary", terms}, "a c\n")))[0]));
    EXPECT_EQ(served.translate({{"q", "a"}, {"keep", "x"}}).status, 400);
  }
}

TEST(Serve, TranslatesWhatIsTooLongForItsAttention) {
  const Toy& toy = Toy::get();
  const Served served({toy.transformer, "--set", "decoding.beam_size=1"});
  std::string line = "a";
  for (int i = 1; i < 130; ++i) line += " b";
  const Answer answer = ask(served.port(), post_text("/attention", json{{"q", line}}.dump()));
  ASSERT_EQ(answer.status, 200) << answer.body;
  const json body = json::parse(answer.body);
  const Result translated =
      run_heed({"translate", toy.transformer, "--set", "decoding.beam_size=1"}, line + "\n");
  EXPECT_EQ(body["translatedText"], json(lines_of(product(translated))[0]));
  EXPECT_THAT(body.value("noAttention", ""), HasSubstr("attention is shown of up to 128"));
  EXPECT_EQ(body["matrices"], json::array());
}

TEST(Serve, NamesLanguagesByFilesOrAsItIsTold) {
  const Toy& toy = Toy::get();
  const Served told({toy.rnn, "--source-language", "de", "--target", "en"});  // as it was called
  EXPECT_THAT(ask(told.port(), get_text("/languages")).body, HasSubstr("\"German\""));
  EXPECT_EQ(told.translate({{"q", "a"}, {"source", "fr"}, {"target", "en"}}).status, 400);
  EXPECT_EQ(told.translate({{"q", "a"}, {"source", "auto"}, {"target", "en"}}).status, 200);
  const Served two({toy.rnn, toy.transformer});
  EXPECT_EQ(json::parse(ask(two.port(), get_text("/frontend/settings")).body)["models"],
            json({"rnn", "transformer"}));
  EXPECT_EQ(json::parse(ask(two.port(), get_text("/languages")).body)[0]["code"], "src");
}

TEST(Serve, ASecondModelKeepsTheLanguagesThatItNames) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  const std::string back = folder / "back", config = back + "/config.yaml";
  std::filesystem::copy(toy.rnn, back, std::filesystem::copy_options::recursive);
  std::string yaml = read_file(config);
  for (const auto& [from, to] : {std::pair("train.src", "train.de"), {"train.tgt", "train.en"}})
    yaml.replace(yaml.find(from), std::string_view(from).size(), to);
  write_atomic(config, yaml);
  const Served both({toy.rnn, back, "--source-language", "en", "--target-language", "de"});
  const json languages = json::parse(ask(both.port(), get_text("/languages")).body);
  ASSERT_EQ(languages[0]["code"], "de");
  EXPECT_EQ(languages[0]["targets"], json({"en"}));
  EXPECT_EQ(languages[1]["targets"], json({"de"}));
}

TEST(Serve, AnswersWhatItHasTakenBeforeItEnds) {
  const Toy& toy = Toy::get();
  Served served({toy.transformer});
  const std::vector<std::string> many(800, "a b c d e f g h i j a b c d e f g h i j");
  auto answer = std::async(std::launch::async, [&] { return served.texts(many); });
  // It is at work when the signal comes.
  while (ask(served.port(), get_text("/metrics")).body.find("\nheed_waiting_lines 0\n") !=
         std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  served.signal(SIGINT);
  EXPECT_EQ(answer.get().size(), 800U);
  EXPECT_EQ(served.wait(), 0) << served.console();
  EXPECT_THAT(served.console(), HasSubstr("ending; first 1 answer"));
}

TEST(Serve, SurvivesRequestsOfAllKinds) {
  const Toy& toy = Toy::get();
  Served served({toy.transformer, "--max-body", "4", "--queue", "100"});
  std::string endless;  // of more pieces than decoding.max_source_length
  for (int i = 0; i < 1100; ++i) endless += "c ";
  const std::vector<std::string> requests = {
      post_text("/translate", R"({"q": "a b"})"),
      post_text("/translate", "q=c+d", "application/x-www-form-urlencoded"),
      post_text("/translate", "q=c\nd=50%&", "application/x-www-form-urlencoded"),
      post_text("/translate", json{{"q", "a"}, {"prefix", endless}}.dump()),
      post_text("/candidates", json{{"q", "a"}, {"prefix", endless}}.dump()),
      post_text("/translate", "{"),
      post_text("/translate", R"({"q": 1})"),
      post_text("/translate", R"({"q": "\ud800"})"),
      post_text("/translate", "{\"q\": \"\xc3\x28\"}"),
      post_text("/translate", std::string(5000, 'x')),
      post_text("/attention", R"({"q": "a b c"})"),
      post_text("/candidates", R"({"q": "a b c", "prefix": "c"})"),
      get_text("/metrics"),
      get_text("/translate"),
      get_text("/x%00%ff?%"),
  };
  const std::vector<int> statuses = {200, 200, 200, 400, 400, 400, 400, 400,
                                     400, 413, 200, 200, 200, 405, 404};
  const auto client = [&](std::size_t number) {
    int wrong = 0;
    std::unique_ptr<http::testing::Client> connection;
    for (std::size_t i = 0; i < 40; ++i) {
      if (!connection) connection = std::make_unique<http::testing::Client>(served.port());
      const std::size_t which = (number + i) % requests.size();
      connection->send(requests[which]);
      if ((number + i) % 17 == 0) {  // does not wait
        connection.reset();
        continue;
      }
      const int status = connection->answer().status;
      wrong += status != statuses[which] && status != 429;
    }
    return wrong;
  };
  std::vector<std::future<int>> clients;
  for (std::size_t number = 0; number < 32; ++number)
    clients.push_back(std::async(std::launch::async, client, number));
  for (auto& one : clients) EXPECT_EQ(one.get(), 0);
  EXPECT_EQ(served.texts({"a b"}).size(), 1U);
  served.signal(SIGTERM);
  EXPECT_EQ(served.wait(), 0) << served.console();
  EXPECT_THAT(served.console(), Not(HasSubstr("failed")));
}

TEST(Serve, RefusesWhatItCannotServe) {
  const Toy& toy = Toy::get();
  expect_mistake(run_heed({"serve", "/nowhere"}), {"/nowhere: no such model folder"});
  expect_mistake(run_heed({"serve", toy.rnn, toy.rnn}), {"is named twice"});
  expect_mistake(run_heed({"serve", toy.rnn, "--port", "70000"}), {"--port"});
  expect_mistake(run_heed({"serve", toy.rnn, "--address", "x.y"}), {"'x.y' is no address"});
  const Served served({toy.rnn});
  expect_mistake(run_heed({"serve", toy.rnn, "--port", std::to_string(served.port())}),
                 {"is taken by another program", "--port"});
}

}  // namespace
}  // namespace heed::cli
