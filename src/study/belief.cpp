#include "study/belief.h"

#include <algorithm>
#include <tuple>

namespace heed::study {
namespace {

bool is_measure(const FaithfulRow& row) {
  return row.kind == AttentionKind::saliency || row.kind == AttentionKind::erasure;
}

bool is_as_high(const std::optional<Mean>& tau, const std::optional<Mean>& measure) {
  return tau && measure && tau->interval.low > 0 && tau->interval.high >= measure->interval.low;
}

Belief belief_of(const Picture& picture, const std::optional<Mean>& measure) {
  if (is_measure(picture.row)) return Belief::measure;
  const bool agrees = is_as_high(picture.saliency, measure) && is_as_high(picture.erasure, measure);
  const bool moves = picture.moved && picture.moved->value >= kMoves;
  if (agrees) return moves ? Belief::believed : Belief::agrees;
  return moves ? Belief::moves : Belief::neither;
}

/// The lower one of its taus.
double agreement(const Picture& picture) {
  const auto value = [](const std::optional<Mean>& tau) { return tau ? tau->value : 1; };
  return std::min(value(picture.saliency), value(picture.erasure));
}

bool repeats_its_only_head(const FaithfulRow& row, const FaithfulReport& report) {
  return row.kind == AttentionKind::cross && row.head < 0 &&
         std::ranges::count_if(report.rows(), [&](const FaithfulRow& other) {
           return other.kind == AttentionKind::cross && other.layer == row.layer && other.head >= 0;
         }) == 1;
}

}  // namespace

Pictures judge(const FaithfulReport& report) {
  Pictures out;
  const auto saliency =
      std::ranges::find(report.rows(), AttentionKind::saliency, &FaithfulRow::kind);
  if (saliency != report.rows().end()) out.measure = mean_of(saliency->erasure);
  for (const FaithfulRow& row : report.rows()) {
    if (repeats_its_only_head(row, report)) continue;
    Picture picture{.row = row,
                    .saliency = mean_of(row.saliency),
                    .erasure = mean_of(row.erasure),
                    .entropy = mean_of(row.entropy),
                    .moved = mean_of(row.moved)};
    picture.belief = belief_of(picture, out.measure);
    out.all.push_back(std::move(picture));
  }
  std::ranges::stable_sort(out.all, {}, [](const Picture& picture) {
    return std::tuple(picture.belief, -agreement(picture));
  });
  return out;
}

}  // namespace heed::study
