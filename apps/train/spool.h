// Corpora that can be read only once (stdin, a FIFO), kept in the folder of the run.
#pragma once

#include <string>
#include <vector>

#include "apps/shared/config.h"
#include "apps/train/folder.h"

namespace heed {

/// Reads each such corpus of the config into a file of the run's folder, which the config names
/// from then on. A run that goes on has these files already, and nothing is read. Throws UserError
/// where they are not there, where stdin is to be two corpora, and where the folder holds a run
/// that is not to be continued or overwritten.
void spool_corpora(Config& config, const Wish& wish);

/// Deletes what an earlier run has kept in the folder, and this one does not read.
void remove_kept(const Config& config);

/// Settings ("data.train.source=runs/x/data.train.tsv") that name the files which the config has of
/// the run's folder.
std::vector<std::string> kept_corpora(const Config& config);

}  // namespace heed
