// heed course: labs on attention, handed out and graded. docs/course/course.py does the work: holes
// that students fill in are Python functions.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "apps/commands.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/strings.h"
#include "score/sacrebleu.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct CourseArgs {
  std::string action = "list", output, course;
  std::vector<std::string> what;
  bool answers = false;
};

/// The program beside the labs: in the checkout that this program was built in, or installed.
std::string course_program() {
  std::error_code ignored;
  for (fs::path base = own_part(""); base.has_relative_path(); base = base.parent_path())
    for (const char* folder : {"docs/course", "share/doc/heed/docs/course"})
      if (const fs::path file = base / folder / "course.py"; fs::is_regular_file(file, ignored))
        return file.string();
  throw Failure(
      "the labs were not found: docs/course/course.py is neither in a folder above heed "
      "nor installed with it");
}

/// Returns the Python of sacrebleu, which has the modules that make pages of handouts; else any.
std::string python() {
  std::error_code ignored;
  try {
    const fs::path beside = fs::path(score::find_sacrebleu()).parent_path() / "python3";
    if (fs::exists(beside, ignored)) return beside.string();
  } catch (const Failure&) {  // labs need no scores
  }
  return "python3";
}

void course(const CourseArgs& args) {
  if (args.action == "list" && !args.what.empty())
    throw UserError("course list: unexpected argument '{}'; it lists all labs",
                    one_line(args.what[0]));
  std::vector<std::string> words = {python(), "-B", "-X", "utf8", course_program()};
  if (!args.output.empty()) words.insert(words.end(), {"--output", args.output});
  if (!args.course.empty()) words.insert(words.end(), {"--course", args.course});
  if (args.answers) words.emplace_back("--answers");
  words.insert(words.end(), {"--", args.action});
  words.insert(words.end(), args.what.begin(), args.what.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // An interrupt waits until the program can tell of it, because Python does so in many lines.
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
  execvp(argv[0], argv.data());
  throw Failure("course: {} does not start: {}; labs need Python 3", words[0],
                std::generic_category().message(errno));
}

}  // namespace

void add_course(CommandLine& program) {
  auto [command, args] = program.command("course", course);
  command
      .option(
          "action", args->action,
          "list: the labs; start N: write the folder of lab N; check N or a folder of a lab: what "
          "is right in it, with hints; grade FOLDER...: a table of students, one folder each")
      .one_of({"list", "start", "check", "grade"});
  command.option("what", args->what, "Numbers of labs, or folders");
  command.output_folder("-o,--output", args->output,
                        "Folder that start writes; default: labs/ and its name");
  command.flag("--answers", args->answers, "check also shows the right answers, for teachers");
  command.former_flag("--right", "--answers", args->answers);
  command.option("--course", args->course,
                 "Folder with other labs and their answers, as docs/course/README.md says");
  command.examples({"heed course start 1", "heed course grade class/*"});
}

}  // namespace heed
