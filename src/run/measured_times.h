// What products take on this machine in each format of numbers. It is measured once and kept in the
// user's folder for caches, so that a choice among formats costs no time, and stays the same from
// one command to the next, although two measurements differ.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/precision_times.h"
#include "engine/search_times.h"
#include "model/description/config.h"
#include "model/description/layer_sizes.h"

namespace heed::run {

struct KnownTimes {
  PrecisionTimes times;
  bool from_file = false;  // they were measured by an earlier command, or earlier in this one

  /// Returns the end of a message that has told the times.
  const char* origin() const { return from_file ? ", as measured before" : ""; }
};

/// A file of times, which is a cache: one that cannot be read is as good as none, and where it
/// cannot be written, the next command measures anew. It has the times of several machines, for a
/// home folder may be on all machines of a cluster, and for each of them those of one program. Of
/// two processes that add something at once one may lose it; it is then measured again.
class MeasuredTimes {
 public:
  /// `path`: the file; empty: nothing is kept. `machine` and `program` are any names. `machine` is
  /// called when times are asked for, because finding out what the machine is takes longer than a
  /// command that measures nothing should wait.
  MeasuredTimes(std::string path, std::function<std::string()> machine, std::string program);
  /// precision_times.json in the folder $HEED_CACHE, else $XDG_CACHE_HOME/heed, else ~/.cache/heed;
  /// this machine, and this version of heed.
  MeasuredTimes();

  /// Returns the times of `products`, a name, from the file. Where it has none they are measured by
  /// `measure`, and kept.
  KnownTimes of(const std::string& products, const std::function<PrecisionTimes()>& measure) const;
  /// Forgets all times of this machine. Returns whether new ones can be kept.
  bool forget() const;

  const std::string& path() const { return path_; }

 private:
  std::optional<PrecisionTimes> find(const std::string& products) const;

  std::string path_;
  std::function<std::string()> machine_;
  std::string program_;
};

/// Returns the name of products with these layers: "translating by 32 and 5: 256-768 x6, ...".
std::string products_name(const std::string& use, const std::vector<model::LayerSize>& layers);

/// engine::search_times(), or what they were before.
KnownTimes translating_times(const model::ModelConfig& config, const engine::SearchRows& rows,
                             const MeasuredTimes& measured = MeasuredTimes());

}  // namespace heed::run
