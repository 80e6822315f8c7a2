// Tensors in a file of weights, as tests read and spoil them.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"

namespace heed::cli {

/// Reads and changes fp32 tensors in a safetensors file of heed; after a change the checksum is
/// right again.
class WeightsFile {
 public:
  explicit WeightsFile(std::string path) : path_(std::move(path)), bytes_(read_file(path_)) {
    std::memcpy(&length_, bytes_.data(), sizeof length_);
  }

  /// A vector has rows of one number.
  std::vector<std::vector<float>> rows(const std::string& tensor) const {
    const nlohmann::json entry = entry_of(tensor);
    const std::vector<float> numbers = numbers_of(entry);
    const auto count = entry.at("shape").at(0).get<std::size_t>();
    const std::size_t width = numbers.size() / count;
    std::vector<std::vector<float>> rows;
    for (auto next = numbers.begin(); next != numbers.end(); next += width)
      rows.emplace_back(next, next + width);
    return rows;
  }
  void change(const std::string& tensor, const std::function<void(std::vector<float>&)>& edit) {
    const nlohmann::json entry = entry_of(tensor);
    std::vector<float> numbers = numbers_of(entry);
    edit(numbers);
    std::memcpy(bytes_.data() + begin_of(entry), numbers.data(), numbers.size() * sizeof(float));
    save();
  }
  /// Says that the tensor has another type of the same width.
  void retype(const std::string& tensor, const std::string& type) {
    const std::size_t entry = bytes_.find("\"" + tensor + "\":{");
    bytes_.replace(bytes_.find("\"F32\"", entry) + 1, 3, type);
    save();
  }
  /// Changes the texts in the header.
  void rewrite_metadata(const std::function<void(nlohmann::json&)>& edit) {
    nlohmann::json header = nlohmann::json::parse(bytes_.substr(8, length_));
    edit(header.at("__metadata__"));
    std::string text = header.dump();
    text.resize((text.size() + 8 + 63) / 64 * 64 - 8, ' ');  // as heed aligns it
    bytes_ = std::string(8, '\0') + text + bytes_.substr(8 + length_);
    length_ = text.size();
    std::memcpy(bytes_.data(), &length_, sizeof length_);
    save();
  }
  /// Makes the file one of an earlier version, which did not say what the weights belong to.
  void forget_what_it_belongs_to() {
    rewrite_metadata([](nlohmann::json& metadata) {
      for (const char* key : {"model", "joint.spm", "text_normaliser", "config"})
        metadata.erase(key);
    });
  }

 private:
  nlohmann::json entry_of(const std::string& tensor) const {
    return nlohmann::json::parse(bytes_.substr(8, length_)).at(tensor);
  }
  std::size_t begin_of(const nlohmann::json& entry) const {
    return 8 + length_ + entry.at("data_offsets").at(0).get<std::size_t>();
  }
  std::vector<float> numbers_of(const nlohmann::json& entry) const {
    const auto offsets = entry.at("data_offsets").get<std::vector<std::size_t>>();
    std::vector<float> numbers((offsets.at(1) - offsets.at(0)) / sizeof(float));
    std::memcpy(numbers.data(), bytes_.data() + begin_of(entry), numbers.size() * sizeof(float));
    return numbers;
  }
  void save() {
    const std::string field = "\"checksum\":\"crc32:";
    const std::size_t digits = bytes_.find(field) + field.size();
    bytes_.replace(digits, 8, "00000000");
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(bytes_.data()), static_cast<uInt>(bytes_.size()));
    char text[9];
    std::snprintf(text, sizeof text, "%08lx", sum);
    bytes_.replace(digits, 8, text);
    write_atomic(path_, bytes_);
  }

  std::string path_, bytes_;
  uint64_t length_ = 0;
};

}  // namespace heed::cli
