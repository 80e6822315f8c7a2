#include "model/recurrent/library.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <tuple>

#include "kernels/fp32.h"
#include "kernels/product.h"

namespace heed::model {
namespace {

/// cuDNN wants all weights in one piece of memory, copies them there, and warns of it at each call.
/// They are small beside what is computed with them, and other code wants them as they are.
class Silent : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

}  // namespace

// Autocast by itself would run cuDNN's recurrences in fp16, in which gradients that nobody scaled
// vanish, where bf16 is asked for.
LibraryOutput run_library(Cell cell, const LibraryWeights& weights, const Tensor& input,
                          const CellState& first) {
  const at::ScalarType type = kernels::product_type(input);
  const kernels::WithoutAutocast in_this_type;
  Silent silent;
  const c10::WarningUtils::WarningHandlerGuard guard(&silent);
  const auto as = [&](const Tensor& x) { return x.to(type); };
  const std::vector<Tensor> all = {as(weights.input), as(weights.hidden), as(weights.input_bias),
                                   as(weights.hidden_bias)};
  // The call's `train` is what a gradient needs on a GPU, outside of training, too: saliency is
  // one.
  const bool keep_states = at::GradMode::is_enabled();
  LibraryOutput out;
  if (cell == Cell::gru)
    std::tie(out.outputs, out.hidden) =
        at::gru(as(input), as(first.hidden), all, true, 1, 0.0, keep_states, false, true);
  else
    std::tie(out.outputs, out.hidden, out.cell) = at::lstm(
        as(input), {as(first.hidden), as(first.cell)}, all, true, 1, 0.0, keep_states, false, true);
  return out;
}

}  // namespace heed::model
