// No attention: c(t) = the encoder's last states of both directions, the same at every step.
// Sutskever et al. 2014; Cho et al. 2014, equation 10 and appendix A.1 (the summary enters every
// step).
#include <ATen/ATen.h>

#include <memory>

#include "model/recurrent/attention/attention.h"

namespace heed::model {
namespace {

class None : public Attention {
 protected:
  Attended attend(const StepInput& step, const Prepared& memory) override {
    return {memory.summary.unsqueeze(1).expand({-1, step.query.size(1), -1}), {}, {}};
  }
};

}  // namespace

AttentionPtr make_none(const AttentionSize&) {
  return std::make_shared<None>();
}

}  // namespace heed::model
