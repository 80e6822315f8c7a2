// Guided alignment: attention that is taught where to look, by word links (Chen et al. 2016 for
// recurrent models; Garg et al. 2019 for one head of one layer of a Transformer).
//
//   loss += weight * -sum over t, j of A(t, j) log a(t, j)
//
// a(t, j): the weight of source piece j at the decoder's step t, the one that predicts target piece
// t, or with guided_step: reads at step t + 1, which has target piece t as its input. A(t, j): 1 /
// n for each of the n source pieces that target piece t is linked to. A piece without links adds
// nothing, and neither does </s>.
#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "data/batch.h"
#include "data/links.h"
#include "model/device.h"
#include "train/config.h"
#include "train/loss.h"

namespace heed::train {

Tensor align_loss(const LossInput& input) {
  const Tensor& logs = input.attention;
  const data::Batch& batch = input.batch;
  expect(logs.defined(), "a model that attends");
  const int64_t target = logs.size(1), source = logs.size(2);
  const int64_t later = input.config.guided_step == GuidedStep::reads ? 1 : 0;
  std::vector<int64_t> indices;  // in [batch * target * source]
  std::vector<double> shares;    // A of each
  for (int64_t row = 0; row < std::ssize(batch.links); ++row) {
    const std::vector<data::PieceLink>& links = batch.links[row];
    for (auto begin = links.begin(); begin != links.end();) {
      const auto end = std::find_if(begin, links.end(), [&](const data::PieceLink& link) {
        return link.target != begin->target;
      });
      for (auto link = begin; link != end; ++link) {
        const int64_t step = link->target + later;
        expect(step < target && link->source < source, "links of pieces that are there");
        indices.push_back((row * target + step) * source + link->source);
      }
      shares.insert(shares.end(), end - begin, 1 / static_cast<double>(end - begin));
      begin = end;
    }
  }
  const Tensor chosen =
      logs.flatten().index_select(0, model::upload_numbers(indices, logs.device()));
  const Tensor weights =
      model::upload(at::tensor(at::ArrayRef<double>(shares), at::kDouble), logs.device());
  return (chosen.to(at::kDouble) * weights).sum().neg();
}

}  // namespace heed::train
