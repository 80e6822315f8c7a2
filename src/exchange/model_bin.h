// model.bin, CTranslate2's file of weights. Inside exchange/ only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/weights.h"
#include "exchange/package.h"

namespace heed::exchange {

class Cursor;

/// The variables of a file, and which of them were read. Each function throws UserError that begins
/// with the file's name.
class ModelBin {
 public:
  ModelBin(const Package& package, const std::string& file);

  bool has(const std::string& name) const {
    return variables_.contains(name) || aliases_.contains(name);
  }
  /// The name under which a variable is stored; several names may share one.
  std::string kept(const std::string& name) const;
  /// A variable in fp32. -1 in `shape` is any size.
  engine::Array array(const std::string& name, const std::vector<int64_t>& shape) const;
  /// A single number, or `otherwise` where there is none.
  double number(const std::string& name, double otherwise) const;
  /// A text, which is kept as the numbers of its bytes, or `otherwise`.
  std::string text(const std::string& name, const std::string& otherwise) const;
  /// Whether the variable is int8, as switches are; a factor is a real number.
  bool is_switch(const std::string& name) const;

  /// Throws where a variable that is not zero was not read: the model has something that heed
  /// lacks.
  void require_all_read() const;
  /// The type of weights before array(): "int8", "int16", or "" for neither.
  const std::string& quantised() const { return quantised_; }
  /// The format's version. Before version 6 variables have the settings that config.json has since.
  uint32_t version() const { return version_; }
  /// The number of heads of a model that does not state it.
  int64_t default_heads() const { return default_heads_; }
  const std::string& place() const { return place_; }

 private:
  enum Code : uint8_t { kFloat32, kInt8, kInt16, kInt32, kFloat16, kBfloat16 };
  struct Variable {
    Code code{};
    std::vector<int64_t> shape;
    std::string_view bytes;
  };

  static std::size_t size_of(Code code);
  Variable variable_at(Cursor& cursor, const std::string& name) const;
  void name_as_today(uint32_t revision);
  const Variable& at(const std::string& name) const;
  template <class Number>
  engine::Array dequantised(const Variable& own, const std::string& name) const;

  std::string place_;
  Bytes bytes_;
  uint32_t version_ = 0;
  int64_t default_heads_ = 8;
  std::map<std::string, Variable> variables_;
  std::map<std::string, std::string> aliases_;
  mutable std::set<std::string> read_;
  mutable std::string quantised_;
};

}  // namespace heed::exchange
