// The position of a stream of batches (data/batches.h).
#pragma once

#include <cstdint>
#include <string>

namespace heed::data {

/// The position of the next batch: its epoch, its pool in the epoch, and its number in the pool,
/// each from 0. With data.stages `epoch` is the stage.
struct Position {
  int64_t epoch = 0, pool = 0, batch = 0;
  uint64_t order = 0;         // checksum of what the order depends on; 0 in a Position made by hand
  int64_t stage_batches = 0;  // batches of the stage before this one; 0 without stages

  std::string to_json() const;
  /// Reads the output of to_json(), in any order and spacing. Throws UserError where something is
  /// missing.
  static Position from_json(const std::string& json);
  bool operator==(const Position&) const = default;
};

}  // namespace heed::data
