#include "apps/bottleneck/attention_files.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "draw/attention_page.h"
#include "draw/heatmap.h"
#include "inspect/attention_maps.h"
#include "run/inspect_folder.h"
#include "study/attention_csv.h"

namespace heed {
namespace {

inspect::AttentionRequest all_of(const model::Traits& traits) {
  inspect::AttentionRequest request{.kinds = traits.kinds, .heads = {inspect::kEvery}};
  if (traits.whole_heads > 1) request.heads.push_back(inspect::kMeanOfHeads);
  return request;
}

/// By words first; by pieces, too, where words have several.
std::vector<study::AttentionMatrix> in_both_units(
    const std::vector<study::AttentionMatrix>& pieces) {
  std::vector<study::AttentionMatrix> out;
  for (const study::AttentionMatrix& matrix : pieces) {
    out.push_back(study::merge_words(matrix));
    if (out.back().weights.size() < matrix.weights.size()) out.push_back(matrix);
  }
  return out;
}

}  // namespace

std::optional<study::AttentionMatrix> write_attention(const run::ModelFolder& model,
                                                      const std::string& title,
                                                      const std::vector<Translated>& sentences) {
  const model::Traits traits = model::traits(model.config.model);
  if (!traits.attends() || sentences.empty()) return std::nullopt;
  std::vector<std::string> sources;
  std::vector<std::vector<int32_t>> translations;  // as pieces: what is too long is cut
  for (const Translated& one : sentences) {
    sources.push_back(one.source);
    translations.push_back(model.target.encode(one.translation));
  }
  decode::Translator translator = model.translator();
  auto attended = inspect::attention_maps(translator, sources, translations, all_of(traits));
  std::vector<study::AttentionMatrix> matrices;
  for (std::size_t i = 0; i < attended.size(); ++i)
    for (study::AttentionMatrix& matrix : attended[i].matrices) {
      matrix.sentence = static_cast<int64_t>(sentences[i].line) + 1;
      matrices.push_back(std::move(matrix));
    }
  if (matrices.empty()) return std::nullopt;
  inspect::mark_softmax(matrices, model.config.model);
  const std::filesystem::path folder(model.path);
  write_atomic((folder / "attention.html").string(),
               draw::attention_page(in_both_units(matrices), "Attention: " + title));

  const study::AlignmentChoice choice = run::usual_choice(model.config);
  const auto shown = std::ranges::find_if(matrices, [&](const study::AttentionMatrix& matrix) {
    return matrix.kind == config::AttentionKind::cross && matrix.layer == choice.layer &&
           matrix.head == choice.head;
  });
  if (shown == matrices.end()) return std::nullopt;
  const study::AttentionMatrix words = study::merge_words(*shown);
  write_atomic((folder / "attention.svg").string(),
               draw::draw_heatmap(words, draw::describe(title, words)));
  write_atomic((folder / "attention.csv").string(),
               study::attention_csv_header() + study::attention_csv_rows(words));
  return words;
}

}  // namespace heed
