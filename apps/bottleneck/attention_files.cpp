#include "apps/bottleneck/attention_files.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "apps/shared/aligner.h"
#include "apps/shared/attention_maps.h"
#include "base/files.h"
#include "draw/attention_page.h"
#include "draw/heatmap.h"
#include "model/model.h"
#include "study/attention_csv.h"

namespace heed {
namespace {

decode::AttentionRequest all_of(const model::ModelConfig& model) {
  const bool layered = model.type == model::ModelType::transformer;
  decode::AttentionRequest request =
      decode::every_head_of(layered ? std::vector<std::string>{"encoder", "decoder", "cross"}
                                    : std::vector<std::string>{"cross"});
  request.heads = {decode::kEvery};
  if (cross_heads(model) > 1) request.heads.push_back(decode::kMeanOfHeads);
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
  if (!model.model->attends() || sentences.empty()) return std::nullopt;
  std::vector<std::string> sources;
  std::vector<std::vector<int32_t>> translations;  // as pieces: what is too long is cut
  for (const Translated& one : sentences) {
    sources.push_back(one.source);
    translations.push_back(model.target.encode(one.translation));
  }
  decode::Translator translator = model.translator();
  const auto attended =
      decode::attention_maps(translator, sources, translations, all_of(model.config.model));
  std::vector<study::AttentionMatrix> matrices;
  for (std::size_t i = 0; i < attended.size(); ++i)
    std::ranges::move(
        to_matrices(attended[i], static_cast<int64_t>(sentences[i].line) + 1, model.config.model),
        std::back_inserter(matrices));
  if (matrices.empty()) return std::nullopt;
  const std::filesystem::path folder(model.path);
  write_atomic((folder / "attention.html").string(),
               draw::attention_page(in_both_units(matrices), "Attention: " + title));

  const study::AlignmentChoice choice = usual_choice(model.config);
  const auto shown = std::ranges::find_if(matrices, [&](const study::AttentionMatrix& matrix) {
    return matrix.kind == "cross" && matrix.layer == choice.layer && matrix.head == choice.head;
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
