// The header of a safetensors file: which tensors it holds, and where their bytes lie.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heed::model {

/// The types of numbers, by their names in the format.
enum class Dtype { F64, I64, F32, I32, BF16, F16, I16, I8, U8, BOOL };

const char* name_of(Dtype type);
int64_t bytes_of(Dtype type);  // of one number
bool is_float(Dtype type);

/// One tensor as the header describes it.
struct Slot {
  std::string name;
  Dtype type{};
  std::vector<int64_t> shape;
  int64_t begin = 0, end = -1;  // bytes after the header
};

struct Header {
  std::vector<Slot> slots;  // in the order of the file
  std::map<std::string, std::string> metadata;
};

/// The number of bytes at the beginning of a file that say how long its header is.
inline constexpr int64_t kLengthBytes = 8;

/// The text of the header of a whole file. Throws UserError, which begins with `path`, where the
/// header is incomplete.
std::string_view header_of(std::string_view file, const std::string& path);

/// Reads the JSON `text` in one pass, without keeping more of it than the result. Throws UserError,
/// which begins with `path`, unless each tensor has its bytes and all of them cover `data_bytes`
/// bytes, from the first to the last.
Header parse_header(std::string_view text, int64_t data_bytes, const std::string& path);

}  // namespace heed::model
