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

/// The weights of W x + b, weight [out, in], bias [out]; or of a layer norm, both [width]. An array
/// without data: there is none.
struct Affine {
  engine::Array weight, bias = {};
};

/// The weights of another program. Each function throws UserError where a tensor is missing.
class ForeignTransformer {
 public:
  virtual ~ForeignTransformer() = default;

  virtual Affine module(const PeerModule& module) const = 0;
  /// The word vectors, [pieces, width], by the program's ids.
  virtual engine::Array embedding(bool target) const = 0;
  /// The output layer, by the program's ids; its weight where it is not tied, its bias where it has
  /// one.
  virtual Affine output() const = 0;
  /// The vectors of positions, [positions, width], with `positions: learned`.
  virtual engine::Array positions(bool decoder) const = 0;
};

/// How the program's pieces and states are numbered.
struct Numbering {
  /// The program's id for each of heed's; -1: the program has no such piece.
  std::span<const int64_t> source, target;
  /// The program's id of the piece with which its decoder begins; -1: it begins with zeros.
  int64_t start = -1;
  /// Whether bos has that piece's row of the output layer; if not, bos is never written.
  bool writes_start = false;
  /// The index in the program's states of each number of heed's; empty: the same.
  std::span<const int64_t> width = {};
  /// Whether the program multiplies its word vectors by sqrt(width). If not, embeddings are not
  /// tied.
  bool scaled = true;
  /// The factor of word vectors where it is not sqrt(width).
  double factor = 1;
};

/// The bias of pieces that the program cannot write, with which heed never writes them, either.
inline constexpr float kNeverWritten = -100;

/// heed's weights by their names. `config` is changed to match: it gets `tie: none` where vectors
/// are not scaled. Throws UserError that begins with `place` where they are not the weights of such
/// a model.
std::map<std::string, engine::Array> weights_from(const ForeignTransformer& from,
                                                  const Numbering& numbering,
                                                  model::ModelConfig& config,
                                                  const std::string& place);

/// The layers stacked, one below the other, such as queries, keys and values.
Affine joined(const std::vector<Affine>& parts);

/// Positions [count, width] with sin(p f) in the first half and cos(p f) in the second, for p from
/// `first` on, with the frequencies of tensor2tensor: f(i) = 10000^(-i / (width / 2 - 1)). (Vaswani
/// et al. 2017 have 10000^(-2 i / width).)
engine::Array tensor2tensor_positions(int64_t first, int64_t count, int64_t width);

/// The order in which a table of positions has heed's sinusoids for all of its positions: in pairs
/// or in halves; `none` where it has others.
enum class Sinusoids { none, pairs, halves };
Sinusoids sinusoids_in(const engine::Array& table);

}  // namespace heed::exchange
