#include "exchange/transformer_parts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "engine/matrix.h"
#include "engine/network.h"
#include "engine/weights.h"
#include "exchange/arrays.h"
#include "kernels/rows/positions.h"
#include "model/description/config.h"
#include "text/vocabulary.h"

namespace heed::exchange {
namespace {

namespace names = model::names;
using engine::Array, engine::Floats;

class Assembly {
 public:
  Assembly(const ForeignTransformer& from, const Numbering& numbering,
           const model::ModelConfig& config, const std::string& place)
      : from_(from), numbering_(numbering), config_(config), place_(place) {}

  std::map<std::string, Array> all() {
    tokens();
    if (config_.positions == "learned")
      for (const bool decoder : {false, true})
        put(decoder ? names::kTargetPositions : names::kSourcePositions, "weight",
            columns(from_.positions(decoder)));
    for (const PeerModule& module : peer_modules(config_)) {
      Affine affine = from_.module(module);
      const std::size_t dimensions = affine.weight.shape.size();
      if (dimensions != 1 && dimensions != 2) refuse(module.own);
      const int64_t rows = affine.weight.rows();
      if (affine.bias.data == nullptr) affine.bias = array_from(Floats(rows), {rows});
      if (affine.bias.shape != std::vector{rows}) refuse(module.own);
      const Array weight = module.state_columns ? columns(affine.weight) : affine.weight;
      put(module.own, "weight", module.state_rows ? reordered(weight, module.own) : weight);
      if (module.has_bias)
        put(module.own, "bias",
            module.state_rows ? reordered(affine.bias, module.own) : affine.bias);
    }
    return std::move(weights_);
  }

 private:
  [[noreturn]] void refuse(const std::string& module) const {
    throw UserError("{}: what would be heed's {} has another shape than the rest", place_, module);
  }
  void put(const std::string& module, const char* part, Array array) {
    weights_[names::within(module, part)] = std::move(array);
  }

  Array columns(const Array& matrix) const {
    if (matrix.shape.size() != 2 || matrix.columns() != config_.width) refuse("state");
    return numbering_.width.empty() ? matrix : with_columns(matrix, numbering_.width);
  }
  Array reordered(const Array& rows, const std::string& module) const {
    if (rows.rows() != config_.width) refuse(module);
    return numbering_.width.empty() ? rows : with_rows(rows, numbering_.width);
  }

  /// The rows of heed's pieces; where `start` is true, bos has the row of the piece with which the
  /// decoder begins.
  Array pieces(const Array& from, std::span<const int64_t> ids, bool start) const {
    if (from.shape.size() != 2) refuse("word vectors");
    std::vector<int64_t> order(ids.begin(), ids.end());
    if (start) order[text::kBegin] = numbering_.start;
    if (const int64_t most = std::ranges::max(order); most >= from.rows())
      throw UserError("{}: a piece has the id {}, and there are {} word vectors", place_, most,
                      from.rows());
    return columns(with_rows(from, order));
  }

  Array embedding(bool target) const {
    const bool both = config_.tie == model::Tie::all;
    Array vectors = pieces(from_.embedding(target), target ? numbering_.target : numbering_.source,
                           target || both);
    if (numbering_.scaled) return vectors;
    Floats smaller = vectors.copy();
    const double root = std::sqrt(static_cast<double>(config_.width));
    for (float& number : smaller) number = static_cast<float>(number * numbering_.factor / root);
    return array_from(std::move(smaller), vectors.shape);
  }

  void tokens() {
    for (const bool target : {false, true})
      if (target || config_.tie != model::Tie::all)
        put(model::embedding_module(config_.tie, target), "weight", embedding(target));
    const Affine output = from_.output();
    if (config_.tie == model::Tie::none)
      put(model::kOutputModule, "weight",
          pieces(output.weight.data ? output.weight : from_.embedding(true), numbering_.target,
                 true));
    put(model::kOutputModule, "bias", biases(output.bias));
  }

  Array biases(const Array& theirs) const {
    if (theirs.data && theirs.shape.size() != 1) refuse("output.bias");
    if (theirs.data && theirs.rows() <= std::ranges::max(numbering_.target)) refuse("output.bias");
    Floats bias(numbering_.target.size(), kNeverWritten);
    for (std::size_t id = 0; id < bias.size(); ++id) {
      const bool begin = id == text::kBegin;
      const int64_t piece = begin ? numbering_.start : numbering_.target[id];
      if (piece < 0 || (begin && !numbering_.writes_start)) continue;
      // Pieces that the program does not know have the vector of <unk>, and a decoder may begin
      // with <pad>: each of the program's pieces is written once.
      const bool repeated = (id > text::kEnd && piece == numbering_.target[text::kUnknown]) ||
                            (id == text::kPad && piece == numbering_.start);
      if (!repeated) bias[id] = theirs.data ? theirs.data[piece] : 0;
    }
    const int64_t count = std::ssize(bias);
    return array_from(std::move(bias), {count});
  }

  const ForeignTransformer& from_;
  const Numbering& numbering_;
  const model::ModelConfig& config_;
  const std::string& place_;
  std::map<std::string, Array> weights_;
};

}  // namespace

Affine joined(const std::vector<Affine>& parts) {
  std::vector<Array> weights, biases;
  for (const Affine& part : parts) {
    if (part.weight.shape.size() != 2 || part.weight.columns() != parts[0].weight.columns() ||
        (part.bias.data && part.bias.shape.size() != 1))
      throw UserError("a query, keys and values of different shapes");
    weights.push_back(part.weight);
    if (part.bias.data) biases.push_back(part.bias);
  }
  return {joined(weights), biases.empty() ? Array{} : joined(biases)};
}

std::map<std::string, Array> weights_from(const ForeignTransformer& from,
                                          const Numbering& numbering, model::ModelConfig& config,
                                          const std::string& place) {
  if (!numbering.scaled) config.tie = model::Tie::none;
  std::map<std::string, Array> weights = Assembly(from, numbering, config, place).all();
  // make_network() checks that every weight is there and has its shape.
  engine::make_network(config, engine::Weights(weights, place), engine::WeightFormat::fp32);
  return weights;
}

Array tensor2tensor_positions(int64_t first, int64_t count, int64_t width) {
  Floats table(count * width);
  kernels::halved_sinusoids(first, count, width, table.data());
  return array_from(std::move(table), {count, width});
}

Sinusoids sinusoids_in(const Array& table) {
  // Programs that compute angles in fp32 are off by more at later positions. A table in half
  // precision is off at the first ones, too, and so are the model's numbers: it stays as it is.
  constexpr float kTolerance = 1e-6F;
  const int64_t count = table.rows(), width = table.columns();
  Floats pairs(count * width);
  kernels::sinusoids(0, count, width, pairs.data());
  const std::vector<int64_t> halves = halves_from_pairs(width);
  const auto fits = [&](bool in_halves) {
    for (int64_t p = 0; p < count; ++p)
      for (int64_t i = 0; i < width; ++i) {
        const float wanted = pairs[p * width + (in_halves ? halves[i] : i)];
        const float tolerance = kTolerance * static_cast<float>(1 + p);
        if (!(std::abs(table.data[p * width + i] - wanted) <= tolerance)) return false;
      }
    return true;
  };
  return fits(false) ? Sinusoids::pairs : fits(true) ? Sinusoids::halves : Sinusoids::none;
}

}  // namespace heed::exchange
