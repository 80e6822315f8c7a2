// heed distill TEACHER SOURCE... -o STUDENT: a small, fast model that learns from another's
// translations (Kim and Rush 2016). Each step leaves a file in STUDENT/teaching/, and is not done
// again where that is there.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands.h"
#include "apps/distill/distilled_corpus.h"
#include "apps/distill/report.h"
#include "base/error.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/io.h"
#include "data/split.h"
#include "decode/search/shortlist_learner.h"
#include "model/description/traits.h"
#include "model/device.h"
#include "run/check.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/held_out.h"
#include "run/model_folder.h"
#include "run/recipe.h"
#include "run/saved_config.h"
#include "run/student.h"
#include "run/summary.h"
#include "run/training.h"
#include "text/pairs.h"
#include "text/tmx_lines.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

/// Returns what the distilled corpus depends on: models and texts with their checksums, and how
/// they are translated.
Lines request_of(const DistillArgs& args) {
  Lines lines;
  const auto add_file = [&](const char* what, const std::string& path) {
    lines.push_back(fmt::format("{}: {} {}", what, path, run::sum_of(path).sha256));
  };
  for (const std::string& teacher : run::model_paths(args.teacher))
    add_file("teacher", file_in(teacher, kWeightsFile));
  if (!args.reverse.empty()) add_file("--reverse", file_in(args.reverse, kWeightsFile));
  for (const std::string& source : args.sources) add_file("source", source);
  for (const std::string& reference : args.references) add_file("--reference", reference);
  lines.push_back(fmt::format("--search: {}", args.search));
  lines.push_back(fmt::format("--candidates: {}", args.candidates));
  lines.push_back(fmt::format("--worst: {}", args.worst));
  for (const std::string& setting : args.common.open().settings)
    lines.push_back("--set: " + one_line(setting, 1000));
  return lines;
}

/// Throws UserError where the folder has a corpus of another request.
void require_same_request(const DistillArgs& args, const Lines& request,
                          const DistillationFiles& files) {
  if (!fs::exists(files.request)) return;
  const Lines begun = text::read_lines(files.request);
  for (std::size_t i = 0; i < std::max(begun.size(), request.size()); ++i) {
    const std::string before = i < begun.size() ? begun[i] : "nothing";
    const std::string now = i < request.size() ? request[i] : "nothing";
    if (before != now)
      throw UserError(
          "{}: was begun with '{}', and this is '{}'; give the same again, or another --output",
          args.output, before, now);
  }
}

void learn_shortlist(const DistillArgs& args, const run::Config& teacher, const text::Pairs& pairs,
                     const std::string& file) {
  const auto [source, target] = run::with_languages(
      run::load_vocabularies(args.first_teacher(), run::is_joint(teacher)), teacher);
  const int64_t most = teacher.data.max_length;
  write_atomic(file, decode::learn_shortlist(decode::pieces_of(pairs, most, source, target), {},
                                             source, target));
}

std::string student_of(const DistillArgs& args, const run::Config& teacher,
                       const DistillationFiles& files, const data::CorpusShape& shape, bool gpu) {
  return run::student_config(teacher,
                             {.teacher = args.first_teacher(),
                              .pairs = files.pairs(model::traits(teacher.model).attends()),
                              .shortlist = files.shortlist,
                              .output = args.output,
                              .settings = args.student},
                             shape, run::this_machine(gpu));
}

/// Checks for faults that would end the student's training, as far as they are known before there
/// is a distilled corpus.
void check_student(const DistillArgs& args, const run::Config& teacher,
                   const DistillationFiles& files, bool gpu) {
  run::Config student;
  try {
    if (fs::exists(files.config))
      config::load_file(student, files.config);
    else
      config::load_text(student, student_of(args, teacher, files, {}, gpu), files.config);
    student = run::with_settings(student, args.student);
  } catch (const UserError& error) {
    std::string text = error.what();
    if (text.starts_with("--set ")) text.replace(0, 5, "--student");
    throw UserError(text);
  }
  if (student.output != args.output)
    throw UserError("--student output: the student's folder is {}, by --output; leave it out",
                    args.output);
  student.data.train.clear();
  student.decoding.shortlist.clear();
  run::check_run(student, {.file = files.config, .resume = true, .lacks_train = true})
      .require("the student");
}

/// The teacher's; nothing where there is none that can be read.
std::optional<run::TestSet> test_set(const DistillArgs& args, const run::Config& teacher) {
  if (teacher.data.test.source.empty()) {
    log::info("no report: {} names no test set (data.test)", args.first_teacher());
    return std::nullopt;
  }
  try {
    return run::open_test_set(teacher, "", "");
  } catch (const UserError& error) {
    log::warn("no report: {}", error.what());
    return std::nullopt;
  }
}

void check(const DistillArgs& args, const DistillationFiles& files) {
  if (run::holds_run(args.output) && !fs::exists(files.request))
    throw UserError(args.output + ": holds a model already; name another --output");
  if (args.search == "mbr" && !args.references.empty())
    throw UserError("distill: --search mbr and --reference both choose a candidate; leave one out");
  if (!args.references.empty() && args.references.size() != args.sources.size())
    throw UserError("distill: --reference is given {}, and there are {}; give one for each source",
                    counted(std::ssize(args.references), "time"),
                    counted(std::ssize(args.sources), "source"));
  if (args.worst > 0 && args.reverse.empty())
    throw UserError("distill: --worst is judged by a model of the other direction; add --reverse");
  for (const std::string& path : run::model_paths(args.teacher)) run::require_model_folder(path);
  if (!args.reverse.empty()) run::require_model_folder(args.reverse);
  for (const std::string& path : args.sources) text::require_text_file(path, "source");
  for (const std::string& path : args.references) text::require_text_file(path, "--reference");
}

void distill(const DistillArgs& args) {
  const DistillationFiles files(args.output);
  check(args, files);
  const run::Config teacher = run::open_config(args.first_teacher(), args.common.open()).config;
  const bool gpu = model::open_device(teacher.device).is_cuda();
  check_student(args, teacher, files, gpu);
  const int64_t lines = count_sources(args);
  make_folder(files.folder);
  const FolderLock lock(files.folder, "heed distill");
  lock.remove_left_overs();
  const Lines request = request_of(args);
  require_same_request(args, request, files);
  run::use_threads(teacher.threads);
  translate_sources(args, lines, join(request, "\n") + "\n", files);
  if (!fs::exists(files.source) || !fs::exists(files.target)) choose_pairs(args, files);
  const text::Pairs pairs = text::read_pairs(files.source, files.target);
  if (model::traits(teacher.model).attends() && !fs::exists(files.alignment))
    align_pairs(args, pairs, files.alignment);
  if (!fs::exists(files.shortlist)) learn_shortlist(args, teacher, pairs, files.shortlist);
  if (!fs::exists(files.config))
    write_atomic(files.config,
                 student_of(args, teacher, files, data::shape_of(files.pairs(false)), gpu));
  run::make_run({.config = files.config, .settings = args.student, .existing = {.resume = true}});
  run::OpenOptions as_student;  // on a CPU, also where it was trained on a GPU
  if (gpu) as_student.settings = {"decoding.weights=int8", "decoding.shortlist=" + files.shortlist};
  if (const auto set = test_set(args, teacher))
    report_student(args, teacher, *set, files, as_student);
}

}  // namespace

void add_distill(CommandLine& program) {
  auto [command, args] = program.command("distill", distill);
  command
      .model("teacher", args->teacher,
             "Folder that `heed train` wrote; several, separated by commas, make an ensemble")
      .required();
  command.option("sources", args->sources, "Texts that the teacher translates").required();
  command
      .output_folder("-o,--output", args->output,
                     "Folder of the student; a command that was interrupted goes on there")
      .required();
  command.group("Lessons");
  command.input("--reference", args->references,
                "Correct translations, one file for each source; the candidate that is most like "
                "them is taken (chrF)");
  command.model("--reverse", args->reverse,
                "A model of the other direction, which helps to choose among candidates");
  command.option("--search", args->search, "How the teacher translates")
      .one_of({"beam", "sampling", "mbr"});
  command
      .option("--candidates", args->candidates,
              "Translations of a line among which --reference, --reverse or --search mbr choose")
      .between(1, 1000);
  command
      .option("--worst", args->worst,
              "Share of the pairs to leave out: those that the reverse model finds least likely")
      .between(0.0, 0.9);
  command.group("Student");
  command.option("--student", args->student,
                 "Change one key of the student's configuration, e.g. --student model.width=192; "
                 "may be repeated");
  args->common.add(command);
  command.examples(
      {"heed distill runs/multi30k_quick data/multi30k/train.de --reference "
       "data/multi30k/train.en -o runs/fast",
       "heed distill runs/a,runs/b text.de more.de.gz --reverse runs/en_de --worst 0.05 -o "
       "runs/fast --student training.updates=20000"});
}

}  // namespace heed
