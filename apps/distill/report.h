// A student beside its teacher.
#pragma once

#include "apps/distill/distilled_corpus.h"
#include "run/config.h"
#include "run/held_out.h"

namespace heed {

/// Translates the test set with both on one thread of a CPU, prints BLEU with its
/// interval, chrF2, speed and size, and writes them to files.report. `as_student`: how the
/// student is opened.
void report_student(const DistillArgs& args, const run::Config& teacher, const run::TestSet& set,
                    const DistillationFiles& files, const run::OpenOptions& as_student);

}  // namespace heed
