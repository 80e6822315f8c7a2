#include "inspect/next_words.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "data/batch.h"
#include "decode/model_steps.h"
#include "decode/search/pieces.h"
#include "model/device.h"
#include "model/evaluation_mode.h"

namespace heed::inspect {
namespace {

using at::Tensor;

constexpr int64_t kPieces = 12;          // of a word at the most
constexpr int64_t kReadTogether = 4096;  // tokens of a side

using Ids = std::vector<int32_t>;

/// A word on its way.
struct Growing {
  Ids ids;  // behind the prefix
  double log_probability = 0;
  bool done = false;
};

/// All models of a translator, which read a line and the beginnings of its translation.
class Reader {
 public:
  Reader(decode::Translator& translator, const std::vector<decode::TranslatorModel>& members,
         const std::string& line)
      : translator_(translator), members_(members) {
    for (const decode::TranslatorModel& member : members) {
      const int64_t limit = translator.source_limit();
      Ids ids = member.source.encode(line, limit);
      ids.resize(std::min(std::ssize(ids), limit));
      sources_.push_back(std::move(ids));
    }
  }

  bool empty() const { return sources_.front().empty(); }

  /// log P of each piece behind each beginning, as a search may take it: [beginnings, vocab] fp32
  /// on the CPU. Long ones are read some at a time, as memory for all of them may not be there.
  Tensor after(const std::vector<Ids>& beginnings) const {
    int64_t longest = 1;
    for (const auto* all : {&sources_, &beginnings})
      for (const Ids& ids : *all) longest = std::max(longest, std::ssize(ids) + 1);
    const int64_t rows = std::max<int64_t>(kReadTogether / longest, 1),
                  count = std::ssize(beginnings);
    std::vector<Tensor> parts;
    for (int64_t first = 0; first < count; first += rows)
      parts.push_back(after_some(
          {beginnings.begin() + first, beginnings.begin() + std::min(first + rows, count)}));
    return at::cat(parts);
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
    Tensor scores = decode::mixed_log_probabilities(logits).cpu();
    for (const int64_t never : translator_.never()) scores.select(1, never).fill_(-INFINITY);
    return scores;
  }

  decode::Translator& translator_;
  const std::vector<decode::TranslatorModel>& members_;
  std::vector<Ids> sources_;
};

bool begins_word(const text::Vocabulary& vocabulary, int32_t id) {
  return id == text::kEnd || vocabulary.piece(id).starts_with(text::kWordStart);
}

/// The likeliest next pieces, each the beginning of a word.
std::vector<Growing> beginnings_of(const Tensor& row, int64_t count) {
  const auto [values, ids] = row.topk(std::min(count, row.numel()));
  std::vector<Growing> out;
  for (int64_t i = 0; i < values.numel(); ++i) {
    const auto id = static_cast<int32_t>(ids[i].item<int64_t>());
    const auto value = values[i].item<double>();
    if (std::isfinite(value)) out.push_back({{id}, value, id == text::kEnd});
  }
  return out;
}

/// Adds to each word that is not done the likeliest piece, or ends it.
void grow(const Reader& reader, const text::Vocabulary& vocabulary, const Ids& prefix,
          std::vector<Growing>& words) {
  std::vector<Growing*> open;
  std::vector<Ids> beginnings;
  for (Growing& word : words) {
    if (word.done) continue;
    open.push_back(&word);
    beginnings.push_back(prefix);
    beginnings.back().insert(beginnings.back().end(), word.ids.begin(), word.ids.end());
  }
  if (open.empty()) return;
  const auto [values, ids] = reader.after(beginnings).max(-1);
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto id = static_cast<int32_t>(ids[i].item<int64_t>());
    // A piece that only says where words begin has its word behind it.
    const bool bare = vocabulary.piece(open[i]->ids.back()) == text::kWordStart;
    open[i]->done = begins_word(vocabulary, id) && !bare;
    if (open[i]->done) continue;
    open[i]->ids.push_back(id);
    open[i]->log_probability += values[i].item<double>();
  }
}

}  // namespace

std::vector<NextWord> next_words(decode::Translator& translator, const std::string& line,
                                 const std::string& prefix, int64_t count) {
  const text::Vocabulary& vocabulary = translator.first().target;
  const Ids given = vocabulary.encode(prefix);
  if (std::ssize(given) + kPieces + 1 > translator.longest())
    throw UserError("the prefix has {} pieces, too many for this model to go on", given.size());
  const Reader reader(translator, translator.members(), line);
  if (reader.empty()) return {};
  const at::NoGradGuard no_gradients;
  std::vector<model::Model*> models;
  for (const decode::TranslatorModel& member : translator.members())
    models.push_back(member.model.get());
  const model::EvaluationMode mode(models);

  std::vector<Growing> words = beginnings_of(reader.after({given})[0], count);
  for (int64_t pieces = 1; pieces < kPieces; ++pieces) grow(reader, vocabulary, given, words);

  const std::vector<std::string> unknown = decode::unknown_pieces(vocabulary, prefix, given);
  const std::string before = vocabulary.decode(given, unknown);
  std::vector<NextWord> out;
  for (const Growing& word : words) {
    Ids all = given;
    all.insert(all.end(), word.ids.begin(), word.ids.end());
    NextWord next{.prefix = vocabulary.decode(all, unknown),
                  .probability = std::exp(word.log_probability),
                  .ends = word.ids.front() == text::kEnd};
    const std::string added =
        next.prefix.starts_with(before) ? next.prefix.substr(before.size()) : next.prefix;
    next.word = trim(added);
    next.continues = !before.empty() && !next.word.empty() && !added.starts_with(' ');
    const auto same = std::ranges::find_if(out, [&](const NextWord& one) {
      return one.prefix == next.prefix && one.ends == next.ends;
    });
    if (same != out.end()) {  // spelled in other pieces
      same->probability += next.probability;
    } else if (next.ends || !next.word.empty()) {
      out.push_back(std::move(next));
    }
  }
  std::ranges::stable_sort(out, std::greater<>(), &NextWord::probability);
  return out;
}

}  // namespace heed::inspect
