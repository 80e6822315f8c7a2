#include "inspect/aligner.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/signals.h"
#include "base/strings.h"
#include "config/attention_kind.h"
#include "decode/search/encoded_lines.h"
#include "inspect/attention_maps.h"
#include "model/description/config.h"
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
    if (form.swapped) gold.back() = study::reversed(gold.back());
    study::require_inside(gold.back(), static_cast<std::size_t>(text::count_words(pairs.source[i])),
                          static_cast<std::size_t>(text::count_words(pairs.target[i])), where,
                          form.one_based);
  }
  return gold;
}

GoldPairs reversed(GoldPairs pairs) {
  std::swap(pairs.pairs.source, pairs.pairs.target);
  for (study::GoldAlignment& gold : pairs.gold) gold = study::reversed(gold);
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

/// Warns that these lines of file `name`, from 1, are left out, and why; does nothing where there
/// are none.
static void warn_of_left_out(const std::string& name, const std::vector<std::size_t>& lines,
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

text::Pairs without_long_pairs(const decode::Translator& translator, text::Pairs pairs,
                               std::size_t first, std::vector<std::size_t>& left_out) {
  const decode::MemberText& member = translator.first_text();
  const int64_t most = translator.pair_limit();
  for (std::size_t i = 0; i < pairs.source.size(); ++i) {
    if (std::ssize(member.source.encode(pairs.source[i], most)) <= most &&
        std::ssize(member.target.encode(pairs.target[i], most)) <= most)
      continue;
    left_out.push_back(first + i + 1);
    pairs.source[i].clear();
    pairs.target[i].clear();
  }
  return pairs;
}

text::Pairs without_long_pairs(const decode::Translator& translator, text::Pairs pairs,
                               const std::string& name) {
  std::vector<std::size_t> left_out;
  pairs = without_long_pairs(translator, std::move(pairs), 0, left_out);
  warn_of_left_out(name, left_out,
                   fmt::format("a side has more than {} pieces", translator.pair_limit()));
  return pairs;
}

Aligner::Aligner(decode::Translator translator, const model::ModelConfig& config, std::string name)
    : translator_(std::move(translator)), traits_(model::traits(config)), name_(std::move(name)) {
  if (!traits_.attends())
    throw UserError(name_ + ": this model has no attention to align by (model.attention: none)");
}

study::AlignmentSweep Aligner::sweep(const GoldPairs& gold, double least) {
  const text::Pairs pairs = without_long_pairs(translator_, gold.pairs, gold.name);
  study::AlignmentSweep sweep(least);
  ComparableGold comparable(gold.gold, gold.name);
  ProgressBar bar("sentences measured", std::ssize(pairs.source));
  for (const text::PairChunk& chunk : text::chunks_of(pairs)) {
    const auto sentences = attention_maps(translator_, chunk.pairs.source, chunk.pairs.target, {},
                                          static_cast<int64_t>(chunk.first) + 1);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const std::size_t line = chunk.first + i;
      const auto& matrices = sentences[i].matrices;
      const auto* known =
          comparable.of(line, matrices, chunk.pairs.source[i], chunk.pairs.target[i]);
      if (known != nullptr) sweep.add(matrices, *known, fmt::format("{}:{}", gold.name, line + 1));
    }
    bar.add(static_cast<double>(sentences.size()));
    signals::stop_if_interrupted();
  }
  comparable.tell(name_);
  return sweep;
}

bool Aligner::has_links(std::size_t line) const {
  return !std::ranges::binary_search(odd_lines_, line + 1) &&
         !std::ranges::binary_search(long_lines_, line + 1);
}

std::vector<study::Alignment> Aligner::align(const text::Pairs& all, std::size_t first,
                                             const LinkRule& rule) {
  const text::Pairs pairs = without_long_pairs(translator_, all, first, long_lines_);
  const AttentionRequest request{.layers = {rule.choice.layer}, .heads = {rule.choice.head}};
  std::vector<study::Alignment> alignments;
  const auto sentences = attention_maps(translator_, pairs.source, pairs.target, request,
                                        static_cast<int64_t>(first) + 1);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto& matrices = sentences[i].matrices;
    alignments.emplace_back();
    if (matrices.empty()) continue;
    alignments.back() = study::word_alignment(matrices.front(), rule.choice.reads, rule.least);
    if (keeps_words(matrices, pairs.source[i], pairs.target[i])) continue;
    odd_lines_.push_back(first + i + 1);
    alignments.back().clear();
  }
  return alignments;
}

void Aligner::warn_of_lines_without_links() const {
  const auto warn = [&](const std::vector<std::size_t>& lines, const std::string& why) {
    if (lines.empty()) return;
    log::warn("{}: in {}, line {} first, {}; these have no links", name_,
              counted(std::ssize(lines), "line"), lines.front(), why);
  };
  warn(odd_lines_, "its vocabulary finds other words than the text has");
  warn(long_lines_, fmt::format("a side has more than {} pieces", translator_.pair_limit()));
}

std::vector<study::Alignment> SymmetrizedAligner::align(const text::Pairs& pairs,
                                                        std::size_t first) {
  const std::vector<study::Alignment> there = forward_.align(pairs, first);
  const std::vector<study::Alignment> back = backward_.align({pairs.target, pairs.source}, first);
  std::vector<study::Alignment> joined(there.size());
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const std::size_t line = first + i;
    if (!forward_.aligner.has_links(line) || !backward_.aligner.has_links(line)) continue;
    const study::Alignment turned = study::reversed(back[i]);
    joined[i] = study::symmetrize(there[i], turned, method_);
    if (gold_.empty()) continue;
    backward_error_.add(turned, gold_[line]);
    joined_error_.add(joined[i], gold_[line]);
  }
  return joined;
}

}  // namespace heed::inspect
