#include "model/recurrent/attention/common.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "kernels/product.h"
#include "model/embedding.h"

namespace heed::model {

Memory make_memory(const Tensor& values, const Tensor& valid, const Tensor& summary) {
  Memory memory{.values = values,
                .keys = {},
                .valid = valid,
                .summary = summary,
                .bias = {},
                .query = {},
                .additive = {}};
  const auto type = values.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  memory.bias =
      at::zeros({valid.size(0), 1, valid.size(1)}, values.options().dtype(type))
          .masked_fill_(valid.logical_not().unsqueeze(1), -std::numeric_limits<double>::infinity());
  return memory;
}

Memory ready_for_products(Memory memory) {
  if (!at::GradMode::is_enabled())
    memory.values = memory.values.to(kernels::product_type(memory.values));
  return memory;
}

Attended attend_with(const Tensor& scores, const Memory& memory, double share, bool training) {
  const Tensor weights = at::softmax(scores + memory.bias, -1);  // [sentences, query, source]
  const Tensor used = drop(weights, share, training);
  return {at::bmm(used.to(memory.values.scalar_type()), memory.values), weights};
}

}  // namespace heed::model
