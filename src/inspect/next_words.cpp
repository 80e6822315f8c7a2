#include "inspect/next_words.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "decode/model_steps.h"
#include "decode/search/pieces.h"
#include "model/device.h"
#include "model/model.h"

namespace heed::inspect {
namespace {

using at::Tensor;

constexpr int64_t kReadTogether = 4096;  // tokens of a side

using Ids = std::vector<int32_t>;

/// All models of a translator, which read a line and the beginnings of its translation.
class Reader {
 public:
  Reader(decode::Translator& translator, const std::vector<decode::TranslatorModel>& members,
         const std::string& line)
      : translator_(translator), members_(members) {
    for (const decode::TranslatorModel& member : members)
      sources_.push_back(decode::first_pieces(member.source, line, translator.source_limit()));
  }

  bool empty() const { return sources_.front().empty(); }

  /// As decode::ScoresAfter. Long ones are read some at a time, as memory for all of them may not
  /// be there.
  std::vector<std::vector<float>> after(const std::vector<Ids>& beginnings) const {
    int64_t longest = 1;
    for (const auto* all : {&sources_, &beginnings})
      for (const Ids& ids : *all) longest = std::max(longest, std::ssize(ids) + 1);
    const int64_t rows = std::max<int64_t>(kReadTogether / longest, 1),
                  count = std::ssize(beginnings);
    std::vector<std::vector<float>> scores;
    for (int64_t first = 0; first < count; first += rows) {
      const Tensor some = after_some(
          {beginnings.begin() + first, beginnings.begin() + std::min(first + rows, count)});
      const float* row = some.const_data_ptr<float>();
      for (int64_t i = 0; i < some.size(0); ++i, row += some.size(1))
        scores.emplace_back(row, row + some.size(1));
    }
    return scores;
  }

 private:
  Tensor after_some(const std::vector<Ids>& beginnings) const {
    const model::Autocast autocast(translator_.device(), translator_.precision());
    std::vector<Tensor> logits;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      std::vector<data::Example> examples;
      for (const Ids& ids : beginnings) examples.push_back({.source = sources_[m], .target = ids});
      std::vector<const data::Example*> rows;
      for (const data::Example& example : examples) rows.push_back(&example);
      const data::Batch batch = data::make_batch(rows);
      model::Model& model = *members_[m].model;
      const Tensor features = model.features(model::make_source(batch, translator_.device()),
                                             model::make_target_input(batch, translator_.device()));
      std::vector<int64_t> last;
      for (const Ids& ids : beginnings) last.push_back(std::ssize(ids));
      const Tensor at = model::upload_numbers(last, translator_.device());
      const Tensor own = features.index({at::arange(batch.size, at.options()), at});
      logits.push_back(model.logits(own));
    }
    Tensor scores = decode::mixed_log_probabilities(logits).cpu().contiguous();
    for (const int64_t never : translator_.never()) scores.select(1, never).fill_(decode::kNever);
    return scores;
  }

  decode::Translator& translator_;
  const std::vector<decode::TranslatorModel>& members_;
  std::vector<Ids> sources_;
};

}  // namespace

std::vector<NextWord> next_words(decode::Translator& translator, const std::string& line,
                                 const std::string& prefix, int64_t count) {
  const Reader reader(translator, translator.members(), line);
  if (reader.empty()) return {};
  const at::NoGradGuard no_gradients;
  std::vector<model::Model*> models;
  for (const decode::TranslatorModel& member : translator.members())
    models.push_back(member.model.get());
  const model::EvaluationMode mode(models);
  return decode::next_words(
      translator.first().target,
      [&](const std::vector<Ids>& beginnings) { return reader.after(beginnings); }, prefix, count,
      translator.longest());
}

}  // namespace heed::inspect
