#include "apps/distill/distilled_corpus.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>

#include "apps/cli/destination.h"
#include "apps/cli/libtorch.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/strings.h"
#include "config/schema.h"
#include "decode/search/lines_request.h"
#include "decode/search/search.h"
#include "decode/translator.h"
#include "inspect/aligner.h"
#include "inspect/likelihood.h"
#include "run/config.h"
#include "run/inspect_folder.h"
#include "run/line_models.h"
#include "run/model_folder.h"
#include "score/chrf.h"
#include "study/alignment.h"
#include "study/flags.h"
#include "text/copies.h"
#include "text/lines.h"
#include "text/tsv.h"
#include "text/utf8.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;
using study::Flag;

constexpr std::size_t kAlignedTogether = 512;

/// The flags of translations that would teach a mistake.
constexpr Flag kBadLessons[] = {Flag::empty, Flag::copied, Flag::repetition};

/// The sources, one file after another, each line with its reference if there are any.
class SourceLines {
 public:
  explicit SourceLines(const DistillArgs& args) : args_(args) {}

  bool next(std::string& source, std::string& reference) {
    while (!reader_ || !reader_->next(source)) {
      if (file_ == args_.sources.size()) return false;
      reader_.emplace(args_.sources[file_]);
      if (!args_.references.empty()) references_.emplace(args_.references[file_]);
      ++file_;
    }
    if (references_) references_->next(reference);
    return true;
  }

 private:
  const DistillArgs& args_;
  std::size_t file_ = 0;
  std::optional<text::LineReader> reader_, references_;
};

int64_t count_texts(const std::string& path) {
  run::require_no_stream(path, "each pass of heed distill");
  text::LineReader reader(path);
  for (std::string line; reader.next(line);)
    if (text::has_tsv_name(path) && line.find('\t') != std::string::npos)
      throw UserError("{}:{}: has both sides; give files of one side (cut -f1, cut -f2)", path,
                      reader.line_number());
  text::require_utf8(reader);
  return reader.line_number();
}

run::OpenOptions teacher_options(const DistillArgs& args) {
  Lines settings;
  const std::string count = std::to_string(args.candidates);
  if (args.search != "beam") settings = {"decoding.sampling.top_p=1"};
  if (args.search == "mbr") settings = {"decoding.sampling.top_p=0.9", "decoding.mbr=" + count};
  if (args.search == "beam" && args.chooses()) settings = {"decoding.beam_size=" + count};
  settings.push_back("decoding.n_best=" + (args.chooses() ? count : "1"));
  std::ranges::copy(args.common.settings, std::back_inserter(settings));
  return args.common.open(settings);
}

/// The translation that is most like the reference; without references the likeliest one forwards
/// and backwards, by pieces (Yee et al. 2019). Beside it what the reverse model thinks of it: -log
/// P per piece of the source.
class Chooser {
 public:
  explicit Chooser(const DistillArgs& args) : has_references_(!args.references.empty()) {
    if (!args.reverse.empty())
      reverse_.emplace(run::open_models(args.reverse, args.common.reversed().open()).translator());
  }

  std::string rows(const Lines& sources, const Lines& references,
                   const std::vector<decode::Translation>& translations) {
    Lines candidates, origins;
    std::vector<double> likelihoods;  // log P per piece
    std::vector<std::size_t> first{0};
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (const std::size_t k : worth_asking(translations[i], references[i])) {
        const decode::Hypothesis& hypothesis = translations[i].hypotheses[k];
        candidates.push_back(translations[i].texts[k]);
        origins.push_back(sources[i]);
        likelihoods.push_back(hypothesis.log_probability /
                              static_cast<double>(hypothesis.token_log_probabilities.size()));
      }
      first.push_back(candidates.size());
    }
    std::vector<double> nats(candidates.size());
    if (reverse_) nats = inspect::nats_per_piece(*reverse_, candidates, origins);
    if (reverse_) std::ranges::replace(nats, 0.0, INFINITY);  // too long: after all others
    std::string out;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      std::size_t best = first[i];
      for (std::size_t k = first[i]; k < first[i + 1]; ++k)
        if (likelihoods[k] - nats[k] > likelihoods[best] - nats[best]) best = k;
      const bool has_any = first[i] < first[i + 1];
      out += has_any ? fmt::format("{}\t{}\n", fixed(nats[best], 4), candidates[best]) : "0\t\n";
    }
    return out;
  }

 private:
  /// Returns all hypotheses, or the one that a reference chooses.
  std::vector<std::size_t> worth_asking(const decode::Translation& translation,
                                        const std::string& reference) const {
    std::vector<std::size_t> all(translation.texts.size());
    std::iota(all.begin(), all.end(), 0);
    if (!has_references_ || all.empty()) return all;
    return {*std::ranges::max_element(all, {}, [&](std::size_t k) {
      return score::sentence_chrf(translation.texts[k], reference);
    })};
  }

  bool has_references_;
  std::optional<decode::Translator> reverse_;
};

/// A row of translations.tsv.
struct TaughtRow {
  double nats;
  std::string target;
};

/// Reads the rows of translations.tsv, which something else than heed may have changed.
class TaughtRows {
 public:
  explicit TaughtRows(const std::string& file) : reader_(file) {}

  /// Throws UserError that names the row where it is not as translate_sources() writes it.
  TaughtRow next() {
    std::string row;
    const int64_t repaired = reader_.encoding().repaired;
    reader_.next(row);
    const std::size_t tab = row.find('\t');
    const auto nats = exact_number<double>(std::string_view(row).substr(0, tab));
    if (tab == row.npos || !nats || std::isnan(*nats) || reader_.encoding().repaired > repaired)
      throw UserError(
          "{}:{}: '{}' is not a score, a tab and a translation; remove this row and all after it "
          "(head -n {} has the others), and give the same command again",
          reader_.name(), reader_.line_number(), one_line(row), reader_.line_number() - 1);
    return {*nats, row.substr(tab + 1)};
  }

 private:
  text::LineReader reader_;
};

}  // namespace

int64_t count_sources(const DistillArgs& args) {
  int64_t all = 0;
  for (std::size_t i = 0; i < args.sources.size(); ++i) {
    const int64_t lines = count_texts(args.sources[i]);
    if (!args.references.empty())
      text::require_equal_lines(args.sources[i], lines, args.references[i],
                                count_texts(args.references[i]));
    all += lines;
  }
  return all;
}

void translate_sources(const DistillArgs& args, int64_t all, const std::string& request,
                       const DistillationFiles& files) {
  const std::string& file = files.translations;
  Destination destination(file, /*resume=*/true);
  if (destination.lines() == all) return;
  if (destination.lines() > all)
    throw UserError(
        "{}: has {}, and the sources have {}; remove the file, and give the same command again",
        file, counted(destination.lines(), "row"), counted(all, "line"));
  destination.cut_to_whole_lines();
  const run::LineModels models = open_line_models(args.teacher, teacher_options(args));
  Chooser chooser(args);
  write_atomic(files.request, request);
  SourceLines lines(args);
  std::string source, reference;
  for (int64_t i = 0; i < destination.lines(); ++i) lines.next(source, reference);
  if (destination.lines() > 0) log::info("{}: continuing after line {}", file, destination.lines());
  const auto chunk = static_cast<std::size_t>(models.translator->chunk_size());
  ProgressBar bar("sentences translated", all, destination.lines());
  const decode::SearchHooks hooks{
      .searched = [&](int64_t count) { bar.add(static_cast<double>(count)); }};
  int64_t number = destination.lines() + 1;
  for (bool more = true; more;) {
    Lines sources, references;
    while (sources.size() < chunk && (more = lines.next(source, reference))) {
      sources.push_back(source);
      references.push_back(reference);
    }
    const auto translations = with_logged_warnings(models.translator->translate(
        {.lines = sources, .numbers = decode::LineNumbers(number)}, hooks));
    destination.write(chooser.rows(sources, references, translations));
    number += std::ssize(sources);
  }
}

void choose_pairs(const DistillArgs& args, const DistillationFiles& files) {
  struct DistilledPair {
    std::string source, target;
    double nats;
  };
  std::vector<DistilledPair> kept;
  std::array<int64_t, std::size(kBadLessons)> left_out{};
  text::CopyLearner learner;
  {
    SourceLines sources(args);
    TaughtRows rows(files.translations);
    for (std::string source, reference; sources.next(source, reference);)
      learner.learn(source, rows.next().target);
  }
  const text::CopyLimit copies = learner.limit();
  if (const std::string doubt = learner.doubt(); !doubt.empty()) log::warn("{}", doubt);
  SourceLines sources(args);
  TaughtRows rows(files.translations);
  for (std::string source, reference; sources.next(source, reference);) {
    const auto [nats, target] = rows.next();
    const std::vector<Flag> flags =
        study::flags_of({.source = source, .translation = target, .copies = copies});
    const auto* bad = std::ranges::find_if(
        kBadLessons, [&](Flag flag) { return std::ranges::count(flags, flag) > 0; });
    if (bad != std::end(kBadLessons))
      ++left_out[bad - std::begin(kBadLessons)];
    else if (!target.empty())
      kept.push_back({source, target, nats});
  }
  const auto most = static_cast<std::size_t>((1 - args.worst) * static_cast<double>(kept.size()));
  std::vector<std::size_t> best(kept.size());
  std::iota(best.begin(), best.end(), 0);
  std::ranges::stable_sort(best, {}, [&](std::size_t i) { return kept[i].nats; });
  best.resize(most);
  std::ranges::sort(best);
  AtomicFile source_file(files.source), target_file(files.target);
  for (const std::size_t i : best) {
    source_file.write(kept[i].source + "\n");
    target_file.write(kept[i].target + "\n");
  }
  std::string text;
  for (std::size_t i = 0; i < left_out.size(); ++i)
    text += fmt::format(", {} {}", left_out[i], config::name_of(kBadLessons[i]));
  log::info("{}: {} kept; left out: {} by the reverse model{}", files.target,
            counted(std::ssize(best), "pair"), kept.size() - most, text);
  if (best.empty()) throw UserError(files.translations + ": has no translation to learn from");
  source_file.commit();
  target_file.commit();  // the second: this step is done
}

void align_pairs(const DistillArgs& args, const text::Pairs& pairs, const std::string& file) {
  inspect::AlignerByRule aligner =
      run::aligner_of(run::open_model(args.first_teacher(), args.common.open()));
  AtomicFile out(file);
  ProgressBar bar("sentences aligned", std::ssize(pairs.source));
  for (const text::PairChunk& chunk : text::chunks_of(pairs, kAlignedTogether)) {
    for (const study::Alignment& links : aligner.align(chunk.pairs, chunk.first))
      out.write(study::pharaoh(links) + "\n");
    bar.add(static_cast<double>(chunk.pairs.source.size()));
  }
  out.commit();
}

}  // namespace heed
