// What a run was made by and of: enough to make it again, and to see that a file has changed since.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heed::data {
struct DataConfig;
}

namespace heed::run {

/// Which sources this program was built of: `git describe --always --dirty` when they were
/// compiled; "unknown" without git.
const char* commit();

/// One corpus file of a run.
struct CorpusSum {
  std::string path;
  uint64_t bytes = 0;
  std::string sha256;  // 64 hexadecimal digits, as sha256sum(1) prints it

  bool operator==(const CorpusSum&) const = default;
};

struct Provenance {
  std::string heed, commit, libtorch;
  std::string processor, device, precision;
  int64_t threads = 0;
  std::string command;  // of the process that wrote this, as a shell reads it
  std::vector<CorpusSum> corpora;
  std::vector<std::pair<std::string, std::string>> vocabularies;  // file name, fingerprint

  /// Of provenance.json. Throws UserError naming the file.
  static Provenance read(const std::string& path);
  std::string to_json() const;
};

/// Of a file as it is now. Throws Failure where sha256sum(1) is missing or fails.
CorpusSum sum_of(const std::string& path);

/// Of every corpus file that the section names.
std::vector<CorpusSum> sums_of(const data::DataConfig& data);

/// Whether the weights of a run depend on the corpus in `path`. Those of data.more_valid are only
/// scored, and data.test as well unless data.clean leaves out training pairs by it.
bool decides(const data::DataConfig& data, const std::string& path);

/// What has the path of one of the corpora `before`, but other bytes.
std::vector<CorpusSum> changed_corpora(const std::vector<CorpusSum>& before,
                                       const std::vector<CorpusSum>& now);

}  // namespace heed::run
