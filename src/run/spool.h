// Corpora that can be read only once (stdin, a FIFO), kept in the folder of the run.
#pragma once

#include <string>
#include <vector>

#include "run/config.h"
#include "run/preparation.h"

namespace heed::run {

/// The corpora of one command that are such streams.
class StreamedCorpora {
 public:
  /// Deletes what has not got its name.
  ~StreamedCorpora();
  StreamedCorpora& operator=(StreamedCorpora&&) = delete;

  /// Reads each of the config into a file of the run's folder, which the config names from then on;
  /// with --overwrite into .heed.streams/ there, until name_streams(), for the older run may have
  /// files of these names. A run that goes on has these files already, and nothing is read. Throws
  /// UserError where they are not there, where stdin is to be two corpora, and where the folder
  /// holds a run that is not to be continued or overwritten.
  void read(Config& config, const ExistingRun& existing);

 private:
  std::string aside_;  // that folder, where it is used
};

/// Corpora in .heed.streams/ that the config names become those that the run keeps, and the config
/// names them so. The caller holds the folder's lock. Throws Failure.
void name_streams(Config& config);

/// Deletes what a command that was killed has left there. The caller holds the folder's lock.
void remove_old_streams(const std::string& folder);

/// Settings ("data.train.source=runs/x/data.train.tsv") that name the files which the config has of
/// the run's folder.
std::vector<std::string> kept_corpora(const Config& config);

}  // namespace heed::run
