// ctranslate2.cpp describes the format.
#include "exchange/model_bin.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "exchange/arrays.h"
#include "exchange/cursor.h"
#include "exchange/tensors.h"
#include "model/description/safetensors_header.h"

namespace heed::exchange {

using engine::Array, engine::Floats, model::Dtype;

namespace {

template <class Number>
Number number_in(std::string_view bytes) {
  Number number;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

/// Reads a text: 16 bits of length, its bytes, and a NUL, which counts.
std::string text_at(Cursor& cursor) {
  std::string text(cursor.bytes(cursor.number<uint16_t>()));
  if (!text.empty()) text.pop_back();
  return text;
}

/// The present name of a variable of the first revision, whose names were OpenNMT-tf's.
std::string name_since_revision_2(std::string name) {
  const auto replace = [&](const char* from, const char* to) {
    if (const std::size_t at = name.find(from); at != std::string::npos)
      name.replace(at, std::strlen(from), to);
  };
  replace("transformer/", "");
  replace(":0", "");
  replace("w_embs", "embeddings/weight");
  replace("kernel", "weight");
  replace("LayerNorm", "layer_norm");
  replace("dense", "projection");
  replace("conv1d_", "linear_");
  replace("conv1d", "linear_0");
  if (name.find("encoder") == std::string::npos) {
    replace("masked_multi_head", "self_attention");
    replace("multi_head", "attention");
  } else {
    replace("multi_head", "self_attention");
  }
  return name;
}

}  // namespace

ModelBin::ModelBin(const Package& package, const std::string& file)
    : place_(package.place_of(file)), bytes_(package.read(file)) {
  Cursor cursor(bytes_.view, place_);
  version_ = cursor.number<uint32_t>();
  if (version_ < 1 || version_ > 6)
    throw UserError("{}: is of version {} of CTranslate2's format, and heed reads 1 to 6", place_,
                    version_);
  const std::string spec = version_ < 2 ? "" : text_at(cursor);
  // The first files had one kind of model, or two, whose names implied the number of heads.
  if (spec != "TransformerSpec" && spec != "TransformerBase" && spec != "TransformerBig" &&
      !spec.empty())
    throw UserError("{}: holds a '{}'; heed opens Transformers that translate (TransformerSpec)",
                    place_, one_line(spec));
  if (spec == "TransformerBig") default_heads_ = 16;
  const uint32_t revision = version_ < 2 ? 1 : cursor.number<uint32_t>();
  for (auto count = cursor.number<uint32_t>(); count > 0; --count) {
    std::string name = text_at(cursor);
    Variable variable = variable_at(cursor, name);
    variables_[revision == 1 ? name_since_revision_2(std::move(name)) : name] = variable;
  }
  name_as_today(revision);
  if (version_ < 3) return;
  for (auto count = cursor.number<uint32_t>(); count > 0; --count) {
    const std::string alias = text_at(cursor), name = text_at(cursor);
    if (!variables_.contains(name))
      throw UserError("{}: '{}' stands for '{}', which is not there", place_, one_line(alias),
                      one_line(name));
    aliases_[alias] = name;
  }
}

/// Adds the present names of old variables. Before revision 5 (CTranslate2 3.0) both sides shared
/// these variables, at the root.
void ModelBin::name_as_today(uint32_t revision) {
  if (revision >= 5) return;
  for (const char* name : {"num_heads", "pre_norm", "activation", "embeddings_merge",
                           "alignment_layer", "alignment_heads"})
    for (const char* side : {"encoder/", "decoder/"})
      if (variables_.contains(name) && !variables_.contains(side + std::string(name)))
        aliases_[side + std::string(name)] = name;
}

std::string ModelBin::kept(const std::string& name) const {
  const auto alias = aliases_.find(name);
  return alias == aliases_.end() ? name : alias->second;
}

Array ModelBin::array(const std::string& name, const std::vector<int64_t>& shape) const {
  const Variable& own = at(name);
  const auto fits = [](int64_t extent, int64_t wanted) { return wanted < 0 || extent == wanted; };
  if (!std::ranges::equal(own.shape, shape, fits))
    throw UserError("{}: '{}' has another shape than the layers around it", place_, name);
  if (own.code == kInt8) return dequantised<int8_t>(own, kept(name));
  if (own.code == kInt16) return dequantised<int16_t>(own, kept(name));
  constexpr std::array<Dtype, 6> kTypes{Dtype::F32, Dtype::I8,  Dtype::I16,
                                        Dtype::I32, Dtype::F16, Dtype::BF16};
  return array_of({kTypes[own.code], own.shape, {own.bytes, bytes_.owner}}, place_ + ": " + name);
}

double ModelBin::number(const std::string& name, double otherwise) const {
  if (!has(name)) return otherwise;
  const Variable& own = at(name);
  if (own.bytes.size() != size_of(own.code))
    throw UserError("{}: '{}' is no single number", place_, name);
  switch (own.code) {
    case kInt8:
      return number_in<int8_t>(own.bytes);
    case kInt16:
      return number_in<int16_t>(own.bytes);
    case kInt32:
      return number_in<int32_t>(own.bytes);
    case kFloat32:
      return number_in<float>(own.bytes);
    default:
      return array_of({own.code == kFloat16 ? Dtype::F16 : Dtype::BF16, {1}, {own.bytes}}, name)
          .data[0];
  }
}

std::string ModelBin::text(const std::string& name, const std::string& otherwise) const {
  if (!has(name)) return otherwise;
  const Variable& own = at(name);
  if (own.code != kInt8) throw UserError("{}: '{}' is no text", place_, name);
  return std::string(own.bytes);
}

bool ModelBin::is_switch(const std::string& name) const {
  return at(name).code == kInt8;
}

void ModelBin::require_all_read() const {
  for (const auto& [name, variable] : variables_)
    if (!read_.contains(name) && variable.bytes.find_first_not_of('\0') != std::string_view::npos)
      throw UserError("{}: has '{}'; heed has nothing like it", place_, one_line(name));
}

std::size_t ModelBin::size_of(Code code) {
  constexpr std::array<std::size_t, 6> kSizes{4, 1, 2, 4, 2, 2};
  return kSizes[code];
}

ModelBin::Variable ModelBin::variable_at(Cursor& cursor, const std::string& name) const {
  Variable own;
  uint64_t count = 1;
  for (auto rank = cursor.number<uint8_t>(); rank > 0; --rank) {
    own.shape.push_back(cursor.number<uint32_t>());
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(own.shape.back()), &count)) count = 0;
  }
  auto code = cursor.number<uint8_t>();
  auto size = uint64_t{cursor.number<uint32_t>()};
  if (version_ < 4) {  // the bytes of a number, and how many numbers there are
    size *= code;
    code = code == 4 ? kFloat32 : code == 2 ? kInt16 : code == 1 ? kInt8 : kBfloat16 + 1;
  }
  own.bytes = cursor.bytes(size);
  if (code > kBfloat16 || count > own.bytes.size() ||
      count * size_of(static_cast<Code>(code)) != own.bytes.size())
    throw UserError("{}: '{}' has not the bytes of its shape", place_, one_line(name));
  own.code = static_cast<Code>(code);
  return own;
}

const ModelBin::Variable& ModelBin::at(const std::string& name) const {
  const auto found = variables_.find(kept(name));
  if (found == variables_.end()) throw UserError("{}: has no '{}'", place_, name);
  read_.insert(found->first);
  return found->second;
}

/// Returns the numbers in fp32: they are divided by a scale of their row or of all rows.
template <class Number>
Array ModelBin::dequantised(const Variable& own, const std::string& name) const {
  const bool by_rows = sizeof(Number) == 1;
  const std::string scale_name = name + "_scale";
  Floats scales;
  if (by_rows)
    scales = array(scale_name, {own.shape.empty() ? 1 : own.shape[0]}).copy();
  else
    scales = {static_cast<float>(number(scale_name, 0))};
  if (scales.empty() || std::ranges::count(scales, 0.0F) > 0)
    throw UserError("{}: '{}' has a scale of zero, or none", place_, name);
  quantised_ = by_rows ? "int8" : "int16";
  const std::size_t count = own.bytes.size() / sizeof(Number),
                    each = std::max<std::size_t>(count / scales.size(), 1);
  Floats numbers(count);
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<float>(number_in<Number>(own.bytes.substr(i * sizeof(Number)))) /
                 scales[i / each];
  return array_from(std::move(numbers), own.shape);
}

}  // namespace heed::exchange
