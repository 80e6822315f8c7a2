// heed watch: what its page is told of runs. The page itself: tests/page/test_watch_page.py.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program.h"
#include "cli/toy.h"
#include "http/client.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using http::testing::ask;
using http::testing::get_text;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

json told(const std::vector<std::string>& places) {
  std::vector<std::string> arguments{"watch", "--json"};
  arguments.insert(arguments.end(), places.begin(), places.end());
  return json::parse(product(run_heed(arguments)));
}

std::map<std::string, fs::file_time_type> files_of(const std::string& folder) {
  std::map<std::string, fs::file_time_type> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    files[entry.path().string()] = entry.last_write_time();
  return files;
}

TEST(Watch, TellsOfEachRunInAFolderAndLeavesItAsItIs) {
  const Toy& toy = Toy::get();
  const auto before = files_of(toy.folder.path());
  const json all = told({toy.folder.path()});
  EXPECT_TRUE(all.at("damaged").empty());
  ASSERT_EQ(all.at("runs").size(), 2U);
  const json& rnn = all["runs"][0];
  EXPECT_EQ(rnn.at("id"), toy.rnn);
  EXPECT_EQ(rnn.at("state"), "finished");
  EXPECT_EQ(rnn.at("model"), "GRU encoder-decoder, width 48, attention bahdanau");
  EXPECT_EQ(rnn.at("update"), 300);
  EXPECT_EQ(rnn.at("updates"), 300);
  EXPECT_TRUE(rnn.at("left").is_null());
  EXPECT_EQ(rnn.at("train").at("update"), json({50, 100, 150, 200, 250, 300}));
  EXPECT_EQ(rnn["train"].at("loss").size(), 6U);
  EXPECT_GT(rnn["train"].at("speed")[0], 0);
  EXPECT_EQ(rnn.at("valid").at("").at("update"), json({100, 200, 300}));
  EXPECT_TRUE(rnn["valid"][""].at("bleu")[2].is_number());
  EXPECT_TRUE(rnn["valid"][""].at("chrf")[2].is_null());
  EXPECT_EQ(rnn.at("validations"), json({100, 200, 300}));
  EXPECT_THAT(rnn.at("test")[0].get<std::string>(), StartsWith("BLEU "));
  EXPECT_EQ(all["runs"][1].at("id"), toy.transformer);
  EXPECT_TRUE(files_of(toy.folder.path()) == before);
}

TEST(Watch, NamesNoNumberOfUpdatesWhereEpochsEndTheRun) {
  const TemporaryFolder folder;
  fs::copy(Toy::get().rnn, folder / "run", fs::copy_options::recursive);
  std::string config = read_file(folder / "run/config.yaml");
  const std::size_t epochs = config.find("epochs: 0");
  ASSERT_NE(epochs, std::string::npos);
  folder.write("run/config.yaml", config.replace(epochs, 9, "epochs: 3"));
  const json run = told({folder / "run"}).at("runs").at(0);
  EXPECT_TRUE(run.at("updates").is_null());
  EXPECT_GT(run.at("done").get<double>(), 0.9);
}

TEST(Watch, DoesNotTellOfAValidationThatWasTakenBack) {
  const TemporaryFolder folder;
  fs::copy(Toy::get().rnn, folder / "run", fs::copy_options::recursive);
  folder.write("run/validations/999.txt", "line       1\n");
  EXPECT_EQ(told({folder / "run"}).at("runs").at(0).at("validations"), json({100, 200, 300}));
}

TEST(Watch, OfValidationsTrainingLeavesTheAttentionOfOneSentence) {
  const std::string left = Toy::get().transformer + "/validations/";
  json before;
  for (const char* update : {"100", "200", "300"}) {
    const json attention = json::parse(read_file(left + update + ".attention.json"));
    const std::size_t sources = attention.at("source").size(),
                      targets = attention.at("target").size();
    EXPECT_EQ(attention["source"].back(), "</s>");
    ASSERT_EQ(attention.at("layers").size(), 2U);
    for (const json& layer : attention["layers"]) {
      ASSERT_EQ(layer.at("weights").size(), targets);
      for (const auto& row : layer["weights"].get<std::vector<std::vector<double>>>()) {
        ASSERT_EQ(row.size(), sources);
        double sum = 0;
        for (const double weight : row) sum += weight;
        EXPECT_NEAR(sum, 1, 1e-3);
      }
    }
    // The same words each time, and other weights.
    if (!before.is_null()) {
      EXPECT_EQ(before["source"], attention["source"]);
      EXPECT_EQ(before["target"], attention["target"]);
      EXPECT_NE(before["layers"], attention["layers"]);
    }
    before = attention;
  }
  // The longest of the samples: their words are fewer than twelve.
  std::size_t longest = 0;
  for (const std::string& line : lines_of(read_file(left + "300.txt")))
    if (line.starts_with("source ")) longest = std::max(longest, split_words(line).size());
  const auto lines = lines_of(read_file(Toy::get().folder / "valid.src"));
  EXPECT_EQ(split_words(lines.at(before["line"].get<std::size_t>() - 1)).size() + 1, longest);
}

/// Waits up to 20 seconds for a text in a file that another process writes.
bool appears(const std::string& text, const std::string& file) {
  for (int i = 0; i < 400; ++i) {
    if (fs::exists(file) && read_file(file).find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

TEST(Watch, ARunIsTrainingWhileItsProcessLivesAndStoppedAfterwards) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 50, 1);
  write_toy_pairs(folder, "valid", 5, 2);
  const std::string config = write_toy_config(
      folder, {"run", kNone, "updates: 1000000, validate_every: 40, log_every: 5"});
  subprocess::Child training = subprocess::start(command({"train", config}), folder / "log");
  ASSERT_TRUE(appears("\"validation\"", folder / "run/metrics.jsonl")) << read_file(folder / "log");
  const auto listed = [&] {
    return json::parse(product(run_heed({"runs", folder.path(), "--json"}))).at(0);
  };
  EXPECT_EQ(listed().at("state"), "training");
  EXPECT_GE(listed().at("updates"), 40);
  EXPECT_TRUE(listed().at("validation_loss").is_number());
  const json live = told({folder.path()}).at("runs").at(0);
  EXPECT_EQ(live.at("state"), "training");
  EXPECT_EQ(live.at("updates"), 1000000);
  EXPECT_GT(live.at("left"), 0);  // seconds
  training.signal(SIGINT);
  training.wait();
  EXPECT_EQ(listed().at("state"), "stopped");
  EXPECT_TRUE(told({folder.path()}).at("runs").at(0).at("left").is_null());
}

TEST(Watch, OneDamagedRunHidesNoOther) {
  const TemporaryFolder folder;
  fs::copy(Toy::get().transformer, folder / "a", fs::copy_options::recursive);
  folder.write("b/config.yaml", "seed: [\n");
  folder.write("b/metrics.jsonl", "");
  folder.write("c/config.yaml", "seed: 1\n");
  folder.write("c/metrics.jsonl", "{\"event\": \"train\", \"upd");  // being written
  const json all = told({folder.path(), folder / "a"});             // named twice
  ASSERT_EQ(all.at("runs").size(), 2U);
  EXPECT_EQ(all["runs"][0].at("id"), folder / "a");
  EXPECT_EQ(all["runs"][1].at("state"), "stopped");
  EXPECT_EQ(all["runs"][1].at("update"), 0);
  ASSERT_EQ(all.at("damaged").size(), 1U);
  EXPECT_THAT(all["damaged"][0].get<std::string>(), HasSubstr("b/config.yaml"));
}

void replace_by_pipe(const std::string& path) {
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
}

TEST(Watch, WaitsForNoPipe) {
  for (const std::string name : {"config.yaml", "metrics.jsonl", "summary.json"}) {
    const TemporaryFolder folder;
    fs::copy(Toy::get().rnn, folder / "run", fs::copy_options::recursive);
    replace_by_pipe(folder / ("run/" + name));
    const json all = told({folder.path()});
    EXPECT_TRUE(all.at("runs").empty()) << name;
    ASSERT_EQ(all.at("damaged").size(), 1U) << name;
    EXPECT_THAT(all["damaged"][0].get<std::string>(), HasSubstr(name));
  }
  const TemporaryFolder folder;
  fs::copy(Toy::get().rnn, folder / "run", fs::copy_options::recursive);
  replace_by_pipe(folder / "run/.heed.lock");
  EXPECT_EQ(told({folder.path()}).at("runs").size(), 1U);
}

TEST(Watch, ServesUntilItIsInterruptedAndRefusesATakenPort) {
  const TemporaryFolder folder;
  const std::string log = folder / "log";
  subprocess::Child child =
      subprocess::start(command({"watch", folder.path(), "--port", "0"}), log);
  const std::string address = "http://127.0.0.1:";
  ASSERT_TRUE(appears(address, log) && appears("Ctrl-C", log));
  const std::string text = read_file(log), rest = text.substr(text.find(address) + address.size());
  const std::string port = rest.substr(0, rest.find('/'));
  expect_mistake(run_heed({"watch", folder.path(), "--port", port}),
                 {port, "is taken by another program", "--port"});
  const auto asked_for = [&](const std::string& update) {
    const std::string path = "/validation.json?run=none&update=" + update;
    return ask(static_cast<uint16_t>(std::stoi(port)), get_text(path)).status;
  };
  EXPECT_EQ(asked_for("12"), 404);
  // A finished run that is scored again: nothing but its summary changes.
  fs::copy(Toy::get().rnn, folder / "run", fs::copy_options::recursive);
  const auto test_scores = [&] {
    const auto answer = ask(static_cast<uint16_t>(std::stoi(port)), get_text("/snapshot.json"));
    return json::parse(answer.body).at("runs").at(0).at("test");
  };
  const json before = test_scores();
  json summary = json::parse(read_file(folder / "run/summary.json"));
  ASSERT_EQ(summary.at("test"), before);
  summary["test"] = {"BLEU 3.21"};
  write_atomic(folder / "run/summary.json", summary.dump());
  EXPECT_EQ(test_scores(), json({"BLEU 3.21"}));
  for (const char* wrong : {"12abc", "", "-12", "99999999999999999999"})
    EXPECT_EQ(asked_for(wrong), 400) << wrong;
  replace_by_pipe(folder / "run/validations/100.txt");
  const std::string of_pipe = "/validation.json?run=" + (folder / "run") + "&update=100";
  EXPECT_EQ(ask(static_cast<uint16_t>(std::stoi(port)), get_text(of_pipe)).status, 400);
  EXPECT_EQ(test_scores(), json({"BLEU 3.21"}));
  child.signal(SIGINT);
  EXPECT_EQ(child.wait(), 0);
  expect_mistake(run_heed({"watch", "--json", folder / "nowhere"}), {"no folder", "nowhere"});
  expect_mistake(run_heed({"watch", folder.write("file", "")}), {"no folder", "file"});
}

}  // namespace
}  // namespace heed::cli
