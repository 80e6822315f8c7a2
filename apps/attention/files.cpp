#include "apps/attention/files.h"

#include <algorithm>

#include "base/files.h"
#include "base/format.h"
#include "draw/heatmap.h"
#include "study/attention_csv.h"

namespace heed {
namespace {

/// "sentence1-cross-"
std::string picture_start(const study::AttentionMatrix& matrix) {
  return fmt::format("sentence{}-{}-", matrix.sentence, name_of(matrix.kind));
}

std::string picture_name(const study::AttentionMatrix& matrix) {
  if (!is_attention(matrix.kind))
    return fmt::format("sentence{}-{}.svg", matrix.sentence, name_of(matrix.kind));
  return fmt::format("{}layer{}-{}.svg", picture_start(matrix), matrix.layer,
                     matrix.head < 0 ? "mean" : "head" + std::to_string(matrix.head));
}

}  // namespace

void write_csv(const inspect::Matrices& matrices, AttentionKind kind, bool matrix_form,
               const std::function<void(const std::string&)>& write) {
  if (!matrix_form) write(study::attention_csv_header());
  bool first = true;
  for (const study::AttentionMatrix& matrix : matrices) {
    if (matrix.kind != kind) continue;
    if (matrix_form && !first) write("\n");
    write(matrix_form ? study::attention_csv_matrix(matrix) : study::attention_csv_rows(matrix));
    first = false;
  }
}

std::string table_name(AttentionKind kind, const std::vector<AttentionKind>& kinds) {
  return kinds.size() == 1 ? "attention.csv" : "attention-" + name_of(kind) + ".csv";
}

void write_tables(const std::filesystem::path& folder, const inspect::Matrices& matrices,
                  const std::vector<AttentionKind>& kinds, bool matrix_form) {
  for (const AttentionKind kind : kinds) {
    AtomicFile file((folder / table_name(kind, kinds)).string());
    write_csv(matrices, kind, matrix_form, [&](const std::string& text) { file.write(text); });
    file.commit();
  }
}

std::size_t write_pictures(const std::filesystem::path& folder, const inspect::Matrices& matrices,
                           const std::string& model, const std::string& which) {
  std::size_t count = 0;
  const auto write = [&](const std::string& name, const std::string& svg) {
    write_atomic((folder / name).string(), svg);
    ++count;
  };
  for (auto from = matrices.begin(); which != "none" && from != matrices.end();) {
    const std::string start = picture_start(*from);
    const auto to = std::find_if(
        from, matrices.end(), [&](const auto& matrix) { return picture_start(matrix) != start; });
    if (to - from > 1)
      write(start + "grid.svg",
            draw::draw_heatmap_grid(
                {from, to}, fmt::format("{}: {}, sentence {}", model, study::title_of(from->kind),
                                        from->sentence)));
    for (; from != to; ++from)
      if (which == "all")
        write(picture_name(*from), draw::draw_heatmap(*from, draw::describe(model, *from)));
  }
  return count;
}

}  // namespace heed
