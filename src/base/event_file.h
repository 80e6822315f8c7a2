// Event files as TensorBoard reads them: records of scalars, texts and pictures by step.
//
// A record is its length in 8 bytes, a checksum of these, the message, and a checksum of that
// (TFRecord); the message is an Event of TensorBoard's event.proto, with the fields that
// TensorBoard reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace heed {

/// One event file. Every record is written at once, so that a reader beside it sees it.
class EventFile {
 public:
  /// Creates events.out.tfevents.SECONDS.HOST.PROCESS in a folder; nothing else in it is touched.
  /// Throws Failure where it cannot be written.
  explicit EventFile(const std::string& folder);

  /// Writes a number. `seconds` since 1970. This and the two below throw Failure where the disk is
  /// full.
  void scalar(const std::string& tag, double value, int64_t step, double seconds);
  /// Writes a text, which TensorBoard shows as Markdown.
  void text(const std::string& tag, std::string_view text, int64_t step, double seconds);
  /// Writes a picture. `png`: a whole file of that format.
  void picture(const std::string& tag, std::string_view png, int64_t width, int64_t height,
               int64_t step, double seconds);

  const std::string& path() const { return path_; }

 private:
  void write(const std::string& event);
  std::string path_;
  Descriptor file_;
};

/// CRC-32C (Castagnoli) as TFRecord masks it: rotated right by 15 bits, plus a constant.
uint32_t masked_crc32c(std::string_view bytes);

/// Whether a file with this name is an event file.
bool is_event_file(const std::string& name);

/// Removes the event files of a folder.
void remove_event_files(const std::string& folder);

}  // namespace heed
