// The corpus that a student learns from: texts with a teacher's translations of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/cli/options.h"
#include "base/run_folder.h"
#include "data/config.h"
#include "run/saved_config.h"
#include "text/pairs.h"

namespace heed {

struct DistillArgs {
  std::string teacher;  // several, separated by commas
  std::vector<std::string> sources, references;
  std::string output, reverse, search = "beam";
  int64_t candidates = 8;
  double worst = 0;                  // share of the pairs, by the reverse model
  std::vector<std::string> student;  // settings
  ModelOptions common;

  bool chooses() const { return search != "mbr" && (!references.empty() || !reverse.empty()); }
  std::string first_teacher() const { return run::model_paths(teacher).front(); }
};

/// The files of a distilled corpus, in the order in which they are made.
struct DistillationFiles {
  explicit DistillationFiles(const std::string& student)
      : folder(file_in(student, "teaching")), shortlist(file_in(student, kShortlistFile)) {}

  std::string of(const char* name) const { return file_in(folder, name); }
  data::CorpusFiles pairs(bool aligned) const {
    data::CorpusFiles files;
    files.source = source;
    files.target = target;
    if (aligned) files.alignment = alignment;
    return files;
  }

  std::string folder, shortlist;
  std::string request = of("request.txt");            // what all of this is made of
  std::string translations = of("translations.tsv");  // reverse score, translation; of each source
  std::string source = of("taught.source"), target = of("taught.target");
  std::string alignment = of("taught.align");
  std::string config = of("student.yaml");
  std::string report = of("report.csv");
};

/// Lines of all sources. Throws UserError for what is no text of one side, is a stream, or has more
/// or fewer references than lines.
int64_t count_sources(const DistillArgs& args);

/// Reads the `all` lines of the sources, and writes a row for each: the reverse score ("inf" where
/// the model cannot read so much) and the translation. Continues after the rows that are there.
/// `request` is written once the models are open.
void translate_sources(const DistillArgs& args, int64_t all, const std::string& request,
                       const DistillationFiles& files);

/// Writes the pairs without translations that would teach a mistake, and without those that the
/// reverse model finds worst; the log counts them.
void choose_pairs(const DistillArgs& args, const DistillationFiles& files);

/// Writes word alignments by the attention of the first teacher.
void align_pairs(const DistillArgs& args, const text::Pairs& pairs, const std::string& file);

}  // namespace heed
