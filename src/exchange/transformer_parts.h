// A Transformer of another program, module by module, and heed's weights made of it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/weights.h"
#include "exchange/plain_transformer.h"
#include "model/description/config.h"

namespace heed::exchange {

/// W x + b, weight [out, in], bias [out]; or a layer norm, both [width]. Without data: none.
struct Affine {
  engine::Array weight, bias = {};
};

/// The weights of another program. Everything throws UserError where a tensor is missing.
class ForeignTransformer {
 public:
  virtual ~ForeignTransformer() = default;

  virtual Affine module(const PeerModule& module) const = 0;
  /// [pieces, width], by the program's ids.
  virtual engine::Array embedding(bool target) const = 0;
  /// The output layer, by the program's ids; its weight where it is not tied, its bias where it has
  /// one.
  virtual Affine output() const = 0;
  /// [positions, width] with `positions: learned`.
  virtual engine::Array positions(bool decoder) const = 0;
};

/// How the program's pieces and states are numbered.
struct Numbering {
  /// heed's id -> the program's; -1: it has no such piece.
  std::span<const int64_t> source, target;
  /// The piece with which its decoder begins, by its id; -1: with zeros.
  int64_t start = -1;
  /// Whether the output layer's row of that piece is heed's bos, too; else bos is never written.
  bool writes_start = false;
  /// heed's number of a state -> the program's; empty: the same.
  std::span<const int64_t> width = {};
  /// The program's word vectors are multiplied by sqrt(width). If not, embeddings are not tied.
  bool scaled = true;
  /// By what they are multiplied where not by that.
  double factor = 1;
};

/// A bias with which a piece is never written: what the program cannot write.
inline constexpr float kNeverWritten = -100;

/// heed's weights by their names. `config` is made to fit: `tie: none` where vectors are not
/// scaled. Throws UserError that begins with `place` where they are not of such a model.
std::map<std::string, engine::Array> weights_from(const ForeignTransformer& from,
                                                  const Numbering& numbering,
                                                  model::ModelConfig& config,
                                                  const std::string& place);

/// One below the other: a query, keys and values.
Affine joined(const std::vector<Affine>& parts);

/// [count, width] of sin(p f) in the first half, cos(p f) in the second, p from `first` on, with
/// the frequencies of tensor2tensor: f(i) = 10000^(-i / (width / 2 - 1)). (Vaswani et al. 2017 have
/// 10000^(-2 i / width).)
engine::Array tensor2tensor_positions(int64_t first, int64_t count, int64_t width);

/// Whether a table of positions has heed's sinusoids, in pairs or in halves, as far as it goes.
enum class Sinusoids { none, pairs, halves };
Sinusoids sinusoids_in(const engine::Array& table);

}  // namespace heed::exchange
