#include "inspect/gold.h"

#include <optional>

#include "base/format.h"
#include "base/log.h"
#include "base/strings.h"
#include "study/alignment_sweep.h"
#include "study/symmetrize.h"
#include "text/words.h"

namespace heed::inspect {

using config::AttentionKind;

std::vector<study::GoldAlignment> read_gold(const std::string& path, const text::Pairs& pairs,
                                            const GoldForm& form) {
  if (path.empty()) return {};
  const std::vector<std::string> lines = text::read_lines(path);
  text::require_equal_lines("the source", pairs.source.size(), path, lines.size());
  std::vector<study::GoldAlignment> gold;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string where = fmt::format("{}:{}", path, i + 1);
    gold.push_back(study::parse_pharaoh(lines[i], where, form.one_based));
    if (form.swapped) gold.back() = study::turned_round(gold.back());
    study::require_inside(gold.back(), static_cast<std::size_t>(text::count_words(pairs.source[i])),
                          static_cast<std::size_t>(text::count_words(pairs.target[i])), where,
                          form.one_based);
  }
  return gold;
}

GoldPairs turned_round(GoldPairs pairs) {
  std::swap(pairs.pairs.source, pairs.pairs.target);
  for (study::GoldAlignment& gold : pairs.gold) gold = study::turned_round(gold);
  return pairs;
}

bool keeps_words(const std::vector<study::AttentionMatrix>& pieces, const std::string& source,
                 const std::string& target) {
  const auto same = [](const std::vector<std::string>& tokens, const std::string& line) {
    const std::size_t ends = tokens.size() - study::length_before_end(tokens);
    return static_cast<int64_t>(study::count_words(tokens) - ends) == text::count_words(line);
  };
  std::optional<AttentionKind> kind;
  for (const study::AttentionMatrix& matrix : pieces) {
    if (kind == matrix.kind) continue;  // another head with the same tokens
    kind = matrix.kind;
    const bool encoder = kind == AttentionKind::encoder, decoder = kind == AttentionKind::decoder;
    if (!same(matrix.target, encoder ? source : target)) return false;
    // The decoder's columns are its rows, one later.
    if (!decoder && !same(matrix.source, source)) return false;
  }
  return true;
}

void warn_of_left_out(const std::string& name, const std::vector<std::size_t>& lines,
                      const std::string& why) {
  if (lines.empty()) return;
  log::warn("{}: {} left out, line {} first: {}", name, counted(std::ssize(lines), "line"),
            lines.front(), why);
}

const study::GoldAlignment* ComparableGold::of(std::size_t line,
                                               const std::vector<study::AttentionMatrix>& pieces,
                                               const std::string& source,
                                               const std::string& target) {
  if (gold_.empty() || pieces.empty()) return nullptr;
  if (keeps_words(pieces, source, target)) return &gold_[line];
  left_out_.push_back(line + 1);
  return nullptr;
}

void ComparableGold::tell(const std::string& model) const {
  warn_of_left_out(
      name_, left_out_,
      fmt::format("the vocabulary of {} finds other words there than the text has", model));
}

}  // namespace heed::inspect
