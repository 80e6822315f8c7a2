#include "train/guided.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "model/device.h"
#include "train/loss.h"

namespace heed::train {

at::Tensor guided_loss(const at::Tensor& logs, const data::Batch& batch, GuidedStep step) {
  expect(logs.defined(), "a model that attends");
  const int64_t target = logs.size(1), source = logs.size(2);
  const int64_t later = step == GuidedStep::reads ? 1 : 0;
  std::vector<int64_t> places;  // in [batch * target * source]
  std::vector<double> shares;   // A of each
  for (int64_t row = 0; row < std::ssize(batch.links); ++row) {
    const std::vector<data::PieceLink>& links = batch.links[row];
    for (auto begin = links.begin(); begin != links.end();) {
      const auto end = std::find_if(begin, links.end(), [&](const data::PieceLink& link) {
        return link.target != begin->target;
      });
      for (auto link = begin; link != end; ++link) {
        const int64_t taught = link->target + later;
        expect(taught < target && link->source < source, "links of pieces that are there");
        places.push_back((row * target + taught) * source + link->source);
      }
      shares.insert(shares.end(), end - begin, 1 / static_cast<double>(end - begin));
      begin = end;
    }
  }
  const at::Tensor chosen =
      logs.flatten().index_select(0, model::upload_numbers(places, logs.device()));
  const at::Tensor weights =
      model::upload(at::tensor(at::ArrayRef<double>(shares), at::kDouble), logs.device());
  return (chosen.to(at::kDouble) * weights).sum().neg();
}

at::Tensor align_loss(const LossInput& input) {
  return guided_loss(input.attention, input.batch, input.config.guided_step);
}

}  // namespace heed::train
