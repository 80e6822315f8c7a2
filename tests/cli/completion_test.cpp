// heed completion: what each shell offers behind the beginning of a command.
#include "base/subprocess.h"
#include "cli/program.h"
#include "temporary_folder.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct CompletionTest : testing::Test {
  TemporaryFolder folder;

  std::string script(const std::string& shell, const std::string& name) {
    return folder.write(name, product(run_heed({"completion", shell})));
  }

  static std::string output(const std::vector<std::string>& command) {
    const subprocess::Result result = subprocess::run(command);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }
};

/// The words before the last one are typed, and that is begun.
const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>>& cases() {
  static const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> all = {
      {{"ru"}, {"runs"}},
      {{"--quiet", "tr"}, {"train", "translate"}},
      {{"-q", "completion", "z"}, {"zsh"}},
      {{"completion", ""}, {"bash", "zsh", "fish", "man"}},
      {{"runs", "--against", ""}, {"updates", "minutes"}},
      {{"runs", "runs/a", "--against", "m"}, {"minutes"}},
      {{"--log-level", ""}, {"debug", "info", "warn"}},
      {{"--log-level", "debug", "ru"}, {"runs"}},
      {{"runs", "--ag"}, {"--against"}},
      {{"--quiet", "bottleneck", "--sys"}, {"--systems"}},
      {{"lengths", "tr"}, {}},
  };
  return all;
}

TEST_F(CompletionTest, OfBash) {
  const std::string file = script("bash", "heed.bash");
  const auto offered = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"bash", "--norc", "-c",
                                 "source \"$0\"; COMP_WORDS=(heed \"$@\"); COMP_CWORD=$#; _heed; "
                                 "printf '%s\\n' \"${COMPREPLY[@]}\"",
                                 file});
    return split_words(output(words));
  };
  for (const auto& [typed, expected] : cases())
    EXPECT_EQ(offered(typed), expected) << join(typed, " ");
  // bash cuts --against=m into three words.
  EXPECT_THAT(offered({"runs", "--against", "=", "m"}), ElementsAre("minutes"));
  EXPECT_THAT(offered({"runs", "--against", "="}), ElementsAre("updates", "minutes"));
  // Files.
  EXPECT_THAT(offered({"train", ""}), IsEmpty());
  EXPECT_THAT(offered({"attention", "model", "-o", ""}), IsEmpty());
  EXPECT_THAT(offered({""}), AllOf(Contains("train"), Contains("--quiet"), Contains("completion")));
}

TEST_F(CompletionTest, OfFish) {
  if (!subprocess::exists("fish")) GTEST_SKIP() << "no fish";
  const std::string file = script("fish", "heed.fish");
  const auto offered = [&](const std::string& line) {
    return output({"env", "HOME=" + folder.path(), "fish", "--no-config", "-c",
                   "source " + file + "; cd; complete -C'" + line + "'"});
  };
  for (const auto& [typed, expected] : cases()) {
    const std::string line = "heed " + join(typed, " ");
    std::vector<std::string> found;
    for (const std::string& each : lines_of(offered(line)))
      found.push_back(each.substr(0, each.find('\t')));
    EXPECT_THAT(found, testing::UnorderedElementsAreArray(expected)) << line;
  }
  // Descriptions are as the help has them.
  EXPECT_THAT(offered("heed init --"), Not(HasSubstr("\\")));
  EXPECT_THAT(offered("heed runs --he"), HasSubstr("--help\tPrint this help"));
  EXPECT_THAT(product(run_heed({"completion", "fish"})), Not(HasSubstr("\\`")));
}

TEST_F(CompletionTest, OfZsh) {
  if (!subprocess::exists("zsh")) GTEST_SKIP() << "no zsh";
  script("zsh", "_heed");
  // A shell at a terminal of its own, which has not completed heed before.
  const std::string tried = folder.write("try.zsh", R"(
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; print RE''ADY"
zpty -r -m shell out '*READY*'
zpty -n -w shell $2$'\t'
zpty -r -m shell out "*$3*" && print found
zpty -d shell
)");
  for (const auto& [typed, expected] : {std::pair("heed --quiet run", "heed --quiet runs"),
                                        {"heed runs --against m", "--against minutes"},
                                        {"heed completion z", "completion zsh"}})
    EXPECT_THAT(output({"env", "TERM=dumb", "timeout", "60", "zsh", "-f", tried, folder.path(),
                        typed, expected}),
                HasSubstr("found"));
}

TEST_F(CompletionTest, OfBashIsValidForTheShell) {
  EXPECT_EQ(output({"bash", "-n", script("bash", "heed.bash")}), "");
  EXPECT_THAT(product(run_heed({"completion", "man"})), HasSubstr(".TH HEED 1"));
  expect_mistake(run_heed({"completion", "tcsh"}), {"tcsh", "bash"});
}

}  // namespace
}  // namespace heed::cli
