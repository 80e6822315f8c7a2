#include "decode/search/line_translator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <new>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/format.h"
#include "base/log.h"
#include "base/strings.h"
#include "decode/search/mbr.h"
#include "decode/search/pieces.h"
#include "text/normal_form.h"
#include "text/utf8.h"

namespace heed::decode {
namespace {

/// Whether so many of the pieces are unknown by more than chance.
bool is_unusual(int64_t unknown, int64_t pieces, double usual_share) {
  constexpr int64_t kFew = 10;
  constexpr double kOften = 5, kLeast = 0.02;
  return unknown >= kFew && static_cast<double>(unknown) > std::max(kOften * usual_share, kLeast) *
                                                               static_cast<double>(pieces);
}

constexpr int64_t kRepeated = 4;  // pieces

/// Whether a few pieces in a row come again and again, as in a translation that never ends.
bool repeats_itself(const std::vector<int32_t>& ids) {
  constexpr int kTimes = 3;
  std::map<std::vector<int32_t>, int> seen;
  for (auto at = ids.begin(); ids.end() - at >= kRepeated; ++at)
    if (++seen[{at, at + kRepeated}] == kTimes) return true;
  return false;
}

/// Where a translation without an end was cut, and what helps. `limit`: of its pieces.
std::pair<std::string, std::string> cut_text(const Hypothesis& hypothesis, int64_t limit,
                                             int64_t longest) {
  const int64_t pieces = std::ssize(hypothesis.ids);
  if (pieces < limit)
    return {
        "where every piece is forbidden",
        fmt::format("decoding.no_repeat_ngram leaves none for decoding.min_length: {} is the most",
                    pieces)};
  const std::string at = "at the length limit";
  if (repeats_itself(hypothesis.ids))
    return {at,
            fmt::format("it repeats itself; decoding.no_repeat_ngram: {} forbids that", kRepeated)};
  return {at, pieces < longest ? "decoding.max_length_ratio raises it"
                               : "the model cannot write longer ones"};
}

/// Adds the time of its life to `seconds`.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Stopwatch& operator=(Stopwatch&&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

LineTranslator::LineTranslator(std::vector<MemberText> members, DecodeConfig config,
                               const engine::Threads& threads)
    : config_(std::move(config)), threads_(&threads), members_(std::move(members)) {
  expect(!members_.empty(), "a translator has at least one model");
  for (const MemberText& member : members_)
    expect(member.target.fingerprint() == first_text().target.fingerprint(),
           "the models of an ensemble share a target vocabulary");
  never_ = never_produced(first_text().target, config_.forbid);
  const std::string& file = config_.shortlist;
  if (!file.empty())
    shortlist_.emplace(read_file(file), file, first_text().source, first_text().target);
  if (config_.glossary.empty()) return;
  set_glossary(std::make_shared<Glossary>(config_));
  usual_glossary_ = glossary_;
}

void LineTranslator::set_glossary(std::shared_ptr<Glossary> glossary) {
  if (glossary) check_terms(config_);
  if (glossary && !config_.glossary_inline) glossary->spell(first_text().target);
  glossary_ = glossary ? std::move(glossary) : usual_glossary_;
}

void LineTranslator::set_n_best(int64_t n_best) {
  DecodeConfig config = config_;
  config.n_best = n_best;
  check(config);
  config_.n_best = n_best;
}

void LineTranslator::set_config(DecodeConfig config) {
  check(config);
  config_ = std::move(config);
}

int64_t LineTranslator::source_limit() const {
  return std::min(config_.max_source_length, longest() - 1);
}

void LineTranslator::check_length(int64_t pieces, const std::string& where,
                                  const std::string& cure) const {
  if (pieces + 1 <= longest()) return;
  throw UserError("{} has {} pieces, and the model can take {}; {}", where, pieces, longest() - 1,
                  cure);
}

int64_t LineTranslator::pair_limit() const {
  return std::min(std::max(config_.max_source_length, trained_length), longest() - 1);
}

void LineTranslator::require_short(int64_t pieces, const std::string& where) const {
  check_length(pieces, where, "split the line");
  if (pieces <= pair_limit()) return;
  throw UserError(
      "{} has {} pieces, and pairs are read up to {}; split the line, or raise "
      "decoding.max_source_length",
      where, pieces, pair_limit());
}

std::vector<data::Batch> LineTranslator::sources_of(const std::string& line) const {
  std::vector<data::Batch> sources;
  for (const MemberText& member : members_) {
    const data::Example example{.source = first_pieces(member.source, line, source_limit()),
                                .source_end = member.source.has_end()};
    sources.push_back(data::make_batch({&example}));
  }
  return sources;
}

LineTranslator::Lines LineTranslator::encode(const std::vector<std::string>& lines,
                                             int64_t first_line, int64_t most) const {
  Lines out;
  out.lengths.assign(lines.size(), 0);
  std::vector<std::string> marked;
  for (std::size_t i = 0; glossary_ && !is_constrained() && i < lines.size(); ++i)
    marked.push_back(with_terms(lines[i]));
  const std::vector<std::string>& read = marked.empty() ? lines : marked;
  std::set<int64_t> cut;  // several members may cut a line
  for (const auto& member : members_) {
    auto& examples = out.members.emplace_back();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const int64_t number = number_of(static_cast<int64_t>(i), first_line);
      examples.push_back({.source = member.source.encode(read[i], most),
                          .origin = {0, number},
                          .source_end = member.source.has_end()});
      auto& source = examples.back().source;
      if (text::is_blank(lines[i])) source.clear();  // some vocabularies keep blanks
      if (&member == &first_text()) {
        if (knows_nothing(member.source, source)) out.strange.add(number);
        const auto unknown = std::ranges::count(source, text::kUnknown);
        out.pieces += std::ssize(source);
        out.unknown += unknown;
        out.decomposed += unknown > 0 && text::is_decomposed(lines[i]);
      }
      if (std::ssize(source) > most) {
        source.resize(most);
        cut.insert(number);
      }
      out.lengths[i] = std::max<int64_t>(out.lengths[i], std::ssize(source));
    }
  }
  for (const int64_t number : cut) out.cut.add(number);
  return out;
}

std::vector<Translation> LineTranslator::translate(const std::vector<std::string>& lines,
                                                   int64_t first_line,
                                                   const std::vector<std::string>& prefixes) {
  std::vector<Translation> out(lines.size());
  const Lines encoded = [&] {
    const Stopwatch watch(times_.text);
    Lines all = encode(lines, first_line, source_limit());
    add_prefixes(prefixes, first_line, all);
    for (std::size_t i = 0; is_constrained() && i < lines.size(); ++i) {
      const std::vector<int32_t>& pieces = all.members[0][i].source;
      const bool may_be_cut = std::ssize(pieces) == source_limit();
      all.terms.push_back(
          glossary_->terms_for(may_be_cut ? first_text().source.decode(pieces) : lines[i]));
    }
    return all;
  }();
  for (std::size_t i = 0; i < prefixes.size(); ++i)
    out[i].unknown_of_prefix =
        unknown_pieces(first_text().target, prefixes[i], encoded.prefixes[i]);
  {
    const Stopwatch watch(times_.search);
    const auto batches = cut(encoded);
    // Threads share sentences rather than operations, most of which are too small to be shared.
    share_batches(std::ssize(batches), [&](int64_t i) {
      if (interrupted && interrupted()) return;
      search_within_memory(encoded, batches[i], first_line, out);
      if (searched) searched(std::ssize(batches[i]));
    });
  }
  {
    const Stopwatch watch(times_.text);
    const auto spell_line = [&](int64_t i) {
      if (encoded.lengths[i] > 0) spell(encoded.members[0][i], out[i]);
    };
    // With mbr, candidates are compared with each other, which is work.
    if (config_.mbr > 0)
      engine::share_items(*threads_, std::ssize(out), spell_line);
    else
      for (int64_t i = 0; i < std::ssize(out); ++i) spell_line(i);
  }
  if (warn_of_cuts) warn(encoded, out, first_line);
  return out;
}

void LineTranslator::add_prefixes(const std::vector<std::string>& prefixes, int64_t first_line,
                                  Lines& lines) const {
  const std::vector<int32_t>& beginning = first_text().target.beginning();
  if (prefixes.empty()) {
    if (!beginning.empty()) lines.prefixes.assign(lines.lengths.size(), beginning);
    return;
  }
  expect(prefixes.size() == lines.lengths.size(), "a prefix for each line");
  for (const std::string& prefix : prefixes) {
    lines.prefixes.push_back(first_text().target.encode(prefix));
    if (lines.prefixes.back().empty()) lines.prefixes.back() = beginning;
    const int64_t number = number_of(std::ssize(lines.prefixes) - 1, first_line);
    check_length(std::ssize(lines.prefixes.back()), "the prefix of line " + std::to_string(number),
                 "shorten the prefix");
  }
}

std::vector<std::vector<int64_t>> LineTranslator::batches_of(
    const std::vector<std::string>& lines) const {
  return cut(encode(lines, 1, source_limit()));
}

void LineTranslator::warn_of_unknown(const Lines& lines, int64_t first_line) const {
  const int64_t last = number_of(std::ssize(lines.lengths) - 1, first_line);
  log::warn(
      "lines {} to {}: {} of {} are unknown to the vocabulary, far more than in training{}",
      number_of(0, first_line), last, lines.unknown, counted(lines.pieces, "piece"),
      lines.decomposed == 0
          ? ""
          : fmt::format("; {} with decomposed letters (NFD); `python3 -c 'import sys, unicodedata; "
                        "print(unicodedata.normalize(\"NFC\", sys.stdin.read()), end=\"\")' < OLD "
                        "> NEW` composes them",
                        counted(lines.decomposed, "line")));
}

void LineTranslator::warn(const Lines& lines, const std::vector<Translation>& translations,
                          int64_t first_line) const {
  if (lines.cut.count > 0)
    log::warn("cut to {} pieces before translating: line {}{}", source_limit(), lines.cut.list(),
              source_limit() < config_.max_source_length
                  ? " (the model cannot take longer ones)"
                  : " (decoding.max_source_length raises it)");
  if (lines.strange.count > 0)
    log::warn(
        "the vocabulary knows no piece of line {}; is this the language that the model translates "
        "from?",
        lines.strange.list());
  if (is_unusual(lines.unknown, lines.pieces, first_text().usual_unknown))
    warn_of_unknown(lines, first_line);
  std::map<std::pair<std::string, std::string>, data::Notice> cut;  // by cut_text()
  data::Notice disobeying;
  int64_t missing = 0;  // terms
  for (std::size_t i = 0; i < translations.size(); ++i) {
    if (translations[i].hypotheses.empty()) continue;
    const Hypothesis& best = translations[i].hypotheses[0];
    missing += best.missing;
    if (best.missing > 0) disobeying.add(number_of(static_cast<int64_t>(i), first_line));
    if (!best.cut) continue;
    const int64_t given = lines.prefixes.empty() ? 0 : std::ssize(lines.prefixes[i]);
    const int64_t limit = length_limit(config_, std::ssize(lines.members[0][i].source), longest());
    cut[cut_text(best, std::min(given + limit, longest()), longest())].add(
        number_of(static_cast<int64_t>(i), first_line));
  }
  if (missing > 0)
    log::warn(
        "{} of decoding.glossary not obeyed, line {}: decoding.max_length_ratio leaves no room, or "
        "decoding.no_repeat_ngram or decoding.forbid forbids a piece",
        counted(missing, "term"), disobeying.list());
  for (const auto& [text, notice] : cut)
    log::warn("{}{}, line {} ({})", notice.count == 1 ? "translation cut " : "translations cut ",
              text.first, notice.list(), text.second);
}

void LineTranslator::spell(const data::Example& example, Translation& out) const {
  out.source_pieces = piece_names(first_text().source, example.source);
  for (const Hypothesis& hypothesis : out.hypotheses)
    out.texts.push_back(first_text().target.decode(hypothesis.ids, out.unknown_of_prefix));
  if (config_.mbr > 0) choose_by_utility(out.hypotheses, out.texts, config_);
  if (!out.texts.empty()) out.text = out.texts[0];
}

/// What is drawn for a line is drawn by its number; for the second sentence of this number, and the
/// next ones, by other streams.
uint64_t LineTranslator::stream_of(int64_t line, int64_t first_line) const {
  const auto number = static_cast<uint64_t>(number_of(line, first_line));
  if (shown_numbers.empty()) return number;
  const auto first = std::ranges::lower_bound(shown_numbers, static_cast<int64_t>(number));
  const int64_t before = first_line + line * line_step - 1 - (first - shown_numbers.begin());
  return number + (static_cast<uint64_t>(before) << 40U);
}

std::vector<std::vector<int64_t>> LineTranslator::cut(const Lines& lines) const {
  BatchLimits limits = this->limits();
  limits.sentences = std::min(limits.sentences, together_);
  return batches_by_length(lines.lengths, limits, /*skip=*/0);
}

void LineTranslator::search_rows(const Lines& lines, const std::vector<int64_t>& batch,
                                 int64_t first_line, std::vector<Translation>& out) {
  std::vector<data::Batch> sources;
  for (const auto& examples : lines.members) {
    std::vector<const data::Example*> chosen;
    for (const int64_t i : batch) chosen.push_back(&examples[i]);
    sources.push_back(data::make_batch(chosen));
  }
  SearchOptions options{.config = config_,
                        .keep_attention = keep_attention,
                        .given = std::ssize(first_text().target.beginning()),
                        .never = never_};
  options.config.n_best = std::max(config_.n_best, config_.mbr);
  options.config.min_length += options.given;
  if (is_constrained()) options.inside_words = glossary_->inside_words();
  // Draws are independent, and mbr adds up what equal texts weigh.
  if (config_.n_best > 1 && config_.mbr == 0 && !samples(config_.sampling))
    options.text = [this](const std::vector<int32_t>& ids) {
      return first_text().target.decode(ids);
    };
  std::vector<int64_t> lengths;
  for (const int64_t i : batch) {
    lengths.push_back(std::ssize(lines.members[0][i].source) + 1);
    options.sampling_streams.push_back(stream_of(i, first_line));
    if (!lines.prefixes.empty()) options.prefixes.push_back(lines.prefixes[i]);
    if (is_constrained()) options.terms.push_back(lines.terms[i]);
    if (!shortlist_) continue;
    std::vector<int32_t> given;
    if (!lines.prefixes.empty()) given = lines.prefixes[i];
    if (is_constrained())
      for (const TermPieces& targets : options.terms.back())
        for (const auto& pieces : targets) given.insert(given.end(), pieces.begin(), pieces.end());
    options.lists.push_back(shortlist_->pieces_for(lines.members[0][i].source, given));
  }
  std::vector<std::vector<Hypothesis>> found;
  with_steps(sources, options,
             [&](Steps& steps) { found = search(steps, lengths, options, longest()); });
  for (std::size_t row = 0; row < batch.size(); ++row)
    out[batch[row]].hypotheses = std::move(found[row]);
}

/// Several threads may come here at once.
void LineTranslator::note_too_large(const std::vector<int64_t>& batch, int64_t tokens,
                                    int64_t first_line) {
  const int64_t sentences = std::ssize(batch);
  if (sentences == 1)
    throw Failure(
        "line {}: memory runs out on this one sentence; lower decoding.beam_size, "
        "decoding.max_source_length or decoding.max_length_ratio",
        number_of(batch[0], first_line));
  const std::atomic_ref too_large(too_large_);
  int64_t before = too_large;
  while (tokens < before && !too_large.compare_exchange_weak(before, tokens)) {
  }
  if (before == std::numeric_limits<int64_t>::max())
    log::warn(
        "memory runs out on a batch of {}; batches of this size are translated in halves from now "
        "on. decoding.batch_size: {} avoids the repeated work",
        counted(sentences, "sentence"), sentences / 2);
}

void LineTranslator::search_within_memory(const Lines& lines, const std::vector<int64_t>& batch,
                                          int64_t first_line, std::vector<Translation>& out) {
  const int64_t tokens = (lines.lengths[batch.front()] + 1) * std::ssize(batch);
  const bool is_too_large =
      batch.size() > 1 && tokens >= std::atomic_ref(too_large_);  // as others were before
  if (!is_too_large) {
    try {
      return search_rows(lines, batch, first_line, out);
    } catch (const std::bad_alloc&) {
      note_too_large(batch, tokens, first_line);
    }
  }
  const auto middle = batch.begin() + std::ssize(batch) / 2;
  for (const auto& half : {std::vector(batch.begin(), middle), std::vector(middle, batch.end())})
    search_within_memory(lines, half, first_line, out);
}

}  // namespace heed::decode
