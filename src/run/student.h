// The configuration of a student, a small model that learns from another's translations
// (sequence-level knowledge distillation, Kim and Rush 2016).
#pragma once

#include <string>
#include <vector>

#include "data/config.h"
#include "data/split.h"
#include "run/config.h"
#include "run/recipe.h"

namespace heed::run {

/// The request to make a student: what it learns from, and where it is to be.
struct StudentRequest {
  std::string teacher;                  // folder of the model whose vocabularies it has
  data::CorpusFiles pairs;              // sources with the teacher's translations
  std::string shortlist;                // a file for its decoding
  std::string output;                   // its folder
  std::vector<std::string> settings{};  // what is changed in the configuration afterwards
};

/// YAML with comments: a Transformer of at most 256 units, whose encoder has four layers or as many
/// as the teacher's up to six, and whose decoder has one without self-attention; the teacher's
/// vocabularies, languages, validation and test sets; the batches and updates of recipe_for(); and,
/// on a CPU, greedy search in int8. Where the teacher's encoder is of these sizes, also with the
/// settings, the student begins with it (training.take). With an alignment of the pairs it is
/// trained to align (training.guided_alignment). Throws UserError for a wrong setting.
std::string student_config(const Config& teacher, const StudentRequest& teaching,
                           const data::CorpusShape& shape, const Machine& machine);

}  // namespace heed::run
