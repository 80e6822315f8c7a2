#include "model/recurrent/library.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <tuple>

namespace heed::model {
namespace {

/// cuDNN wants all weights in one piece of memory, copies them there, and warns of it at each call.
/// They are small beside what is computed with them, and other code wants them as they are.
class Silent : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

template <class Gru, class Lstm>
LibraryOutput run(Cell cell, const Gru& gru, const Lstm& lstm) {
  Silent silent;
  const c10::WarningUtils::WarningHandlerGuard guard(&silent);
  LibraryOutput out;
  if (cell == Cell::gru)
    std::tie(out.outputs, out.hidden) = gru();
  else
    std::tie(out.outputs, out.hidden, out.cell) = lstm();
  return out;
}

/// The call's `train` switches dropout on, and on a GPU a gradient needs it, outside of training
/// too: saliency is one.
bool keeps_states(const LibraryLayers& layers) {
  return layers.dropout > 0 || at::GradMode::is_enabled();
}

}  // namespace

LibraryOutput run_library(const LibraryLayers& layers, const Tensor& input,
                          const CellState& first) {
  const bool keep = keeps_states(layers);
  return run(
      layers.cell,
      [&] {
        return at::gru(input, first.hidden, layers.weights, true, layers.layers, layers.dropout,
                       keep, layers.both_directions, /*batch_first=*/true);
      },
      [&] {
        return at::lstm(input, {first.hidden, first.cell}, layers.weights, true, layers.layers,
                        layers.dropout, keep, layers.both_directions, /*batch_first=*/true);
      });
}

LibraryOutput run_library(const LibraryLayers& layers, const Tensor& input,
                          const Tensor& batch_sizes, const CellState& first) {
  const bool keep = keeps_states(layers);
  return run(
      layers.cell,
      [&] {
        return at::gru(input, batch_sizes, first.hidden, layers.weights, true, layers.layers,
                       layers.dropout, keep, layers.both_directions);
      },
      [&] {
        return at::lstm(input, batch_sizes, {first.hidden, first.cell}, layers.weights, true,
                        layers.layers, layers.dropout, keep, layers.both_directions);
      });
}

}  // namespace heed::model
