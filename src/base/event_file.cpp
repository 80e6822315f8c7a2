#include "base/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/protobuf.h"

namespace heed {
namespace {

constexpr const char* kBegin = "events.out.tfevents.";

constexpr std::array<uint32_t, 256> crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0x82F63B78U : value >> 1;
    table[i] = value;
  }
  return table;
}

/// The bytes of an Event, whose fields are wall_time = 1, step = 2, summary = 5 with values = 1.
std::string event_of(const ProtobufMessage& value, int64_t step, double seconds) {
  ProtobufMessage event;
  event.real(1, seconds)
      .number(2, static_cast<uint64_t>(step))
      .message(5, ProtobufMessage().message(1, value));
  return event.done();
}

std::string little_endian(uint64_t value, int size) {
  std::string out;
  for (int i = 0; i < size; ++i) out += static_cast<char>(value >> 8 * i & 255);
  return out;
}

double seconds_since_epoch() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

uint32_t masked_crc32c(std::string_view bytes) {
  static constexpr auto kTable = crc_table();
  uint32_t crc = ~0U;
  for (const char c : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<uint8_t>(c)) & 255];
  crc = ~crc;
  return (crc >> 15 | crc << 17) + 0xA282EAD8U;
}

bool is_event_file(const std::string& name) {
  return name.starts_with(kBegin);
}

void remove_event_files(const std::string& folder) {
  std::error_code ignored;
  for (const std::string& name : names_in(folder))
    if (is_event_file(name)) std::filesystem::remove(folder + "/" + name, ignored);
}

EventFile::EventFile(const std::string& folder) {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  const double begin = seconds_since_epoch();
  path_ = folder + "/" + kBegin + std::to_string(static_cast<int64_t>(begin)) + "." + host + "." +
          std::to_string(::getpid());
  file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!file_.open()) throw Failure(path_ + ": cannot write: " + error_text(errno));
  ProtobufMessage version;
  version.real(1, begin).bytes(3, "brain.Event:2");
  write(version.done());
}

void EventFile::scalar(const std::string& tag, double value, int64_t step, double seconds) {
  ProtobufMessage one;
  one.bytes(1, tag).single(2, static_cast<float>(value));
  write(event_of(one, step, seconds));
}

void EventFile::text(const std::string& tag, std::string_view text, int64_t step, double seconds) {
  // A tensor of one string, for the plugin "text".
  ProtobufMessage tensor, metadata, one;
  tensor.number(1, 7)
      .message(2, ProtobufMessage().message(2, ProtobufMessage().number(1, 1)))
      .bytes(8, text);
  metadata.message(1, ProtobufMessage().bytes(1, "text"));
  one.bytes(1, tag).message(8, tensor).message(9, metadata);
  write(event_of(one, step, seconds));
}

void EventFile::picture(const std::string& tag, std::string_view png, int64_t width, int64_t height,
                        int64_t step, double seconds) {
  ProtobufMessage image, one;
  image.number(1, static_cast<uint64_t>(height)).number(2, static_cast<uint64_t>(width));
  image.number(3, 3).bytes(4, png);
  one.bytes(1, tag).message(4, image);
  write(event_of(one, step, seconds));
}

void EventFile::write(const std::string& event) {
  const std::string length = little_endian(event.size(), 8);
  const std::string record = length + little_endian(masked_crc32c(length), 4) + event +
                             little_endian(masked_crc32c(event), 4);
  if (!write_all(file_, record)) throw Failure(path_ + ": cannot write: " + error_text(errno));
}

}  // namespace heed
