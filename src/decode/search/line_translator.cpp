#include "decode/search/line_translator.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "data/batch.h"
#include "data/example.h"
#include "decode/search/constraints.h"
#include "decode/search/line_warnings.h"
#include "decode/search/mbr.h"
#include "decode/search/pieces.h"
#include "engine/output_product.h"
#include "engine/threads.h"
#include "text/utf8.h"
#include "text/vocabulary.h"
#include "text/words.h"

namespace heed::decode {
namespace {

/// Adds the time from its construction to its destruction to `seconds`.
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

/// The search of one request.
class LineTranslator::Search {
 public:
  Search(const LineTranslator& translator, const LinesRequest& request)
      : translator_(translator),
        request_(request),
        config_(request.search ? *request.search : translator.config_),
        glossary_(request.glossary ? request.glossary.get() : translator.glossary_.get()) {
    if (request.search) check(config_);
    expect(request.prefixes.empty() || request.prefixes.size() == request.lines.size(),
           "a prefix for each line");
  }

  LinesResult run(const SearchHooks& hooks) {
    LinesResult result;
    out_.resize(request_.lines.size());
    {
      const Stopwatch watch(result.text_seconds);
      encode();
    }
    {
      const Stopwatch watch(result.search_seconds);
      search(hooks);
    }
    {
      const Stopwatch watch(result.text_seconds);
      spell();
    }
    result.warnings = line_warnings(lines_, request_.numbers, out_,
                                    {.config = config_,
                                     .source_limit = translator_.source_limit(),
                                     .longest = translator_.longest(),
                                     .usual_unknown = first().usual_unknown});
    result.translations = std::move(out_);
    return result;
  }

  std::vector<std::vector<int64_t>> batches() {
    lines_ = encoded();
    return cut();
  }

 private:
  using Batch = std::vector<int64_t>;  // indices of lines

  const MemberText& first() const { return translator_.first_text(); }
  /// Whether the search has to put terms into translations.
  bool is_constrained() const { return glossary_ != nullptr && !glossary_->is_inline(); }

  EncodedLines encoded() const {
    std::vector<bool> unread;
    for (int64_t i = 0; i < std::ssize(request_.lines); ++i) unread.push_back(comes_back(i));
    return encode_lines(translator_.members_, request_.lines, request_.numbers, glossary_,
                        translator_.source_limit(), unread);
  }

  /// Whether a line is its own translation: it has nothing but punctuation and symbols. In a line
  /// of pieces these may stand for words.
  bool comes_back(int64_t i) const {
    return first().source.reads_words() && !text::has_words(request_.lines[i]) &&
           (request_.prefixes.empty() || text::is_blank(request_.prefixes[i])) &&
           !text::is_blank(request_.lines[i]);
  }

  void encode() {
    lines_ = encoded();
    add_prefixes();
    if (!is_constrained()) return;
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const std::vector<int32_t>& pieces = lines_.members[0][i].source;
      const bool may_be_cut = std::ssize(pieces) == translator_.source_limit();
      lines_.terms.push_back(
          glossary_->terms_for(may_be_cut ? first().source.decode(pieces) : request_.lines[i]));
    }
  }

  void add_prefixes() {
    const std::vector<int32_t>& beginning = first().target.beginning();
    if (request_.prefixes.empty()) {
      if (!beginning.empty()) lines_.prefixes.assign(out_.size(), beginning);
      return;
    }
    for (std::size_t i = 0; i < out_.size(); ++i) {
      std::vector<int32_t>& pieces = lines_.prefixes.emplace_back();
      pieces = first().target.encode(request_.prefixes[i]);
      if (pieces.empty()) pieces = beginning;
      require_short_prefix(
          std::ssize(pieces),
          fmt::format("the prefix of line {}", request_.numbers.of(static_cast<int64_t>(i))));
      out_[i].unknown_of_prefix = unknown_pieces(first().target, request_.prefixes[i], pieces);
    }
  }

  /// Throws UserError for a prefix that the model cannot take, or that is longer than pairs which
  /// are read: its time grows with the square of its length.
  void require_short_prefix(int64_t pieces, const std::string& where) const {
    translator_.check_length(pieces, where, "shorten the prefix");
    const int64_t most = translator_.pair_limit();
    if (pieces > most)
      throw UserError(
          "{} has {} pieces, and prefixes are read up to {}; shorten it, or raise "
          "decoding.max_source_length",
          where, pieces, most);
  }

  /// Lines that may have every piece are in batches of their own, which are searched without lists:
  /// a list of every piece would make the output layer of all lines of its batch a whole one.
  std::vector<Batch> cut() const {
    BatchLimits limits = translator_.limits(config_);
    limits.sentences = std::min(limits.sentences, translator_.together_);
    if (!translator_.shortlist_) return batches_by_length(lines_.lengths, limits, /*skip=*/0);
    std::vector<int64_t> listed = lines_.lengths, open = lines_.lengths;
    for (std::size_t i = 0; i < listed.size(); ++i)
      (is_open(static_cast<int64_t>(i)) ? listed : open)[i] = 0;
    std::vector<Batch> batches = batches_by_length(listed, limits, /*skip=*/0);
    std::ranges::move(batches_by_length(open, limits, /*skip=*/0), std::back_inserter(batches));
    return batches;
  }

  /// Whether the translation of a line may have every piece.
  bool is_open(int64_t i) const {
    return !translator_.shortlist_ || translator_.shortlist_->is_open(lines_.members[0][i].source);
  }

  void search(const SearchHooks& hooks) {
    const std::vector<Batch> batches = cut();
    const MemoryLimit::Search part{
        .tokens_of =
            [&](const Batch& batch) {
              return (lines_.lengths[batch.front()] + 1) * std::ssize(batch);
            },
        .name_of = [&](int64_t i) { return fmt::format("line {}", request_.numbers.of(i)); },
        .run = [&](const Batch& batch) { search_rows(batch, hooks); }};
    // Threads divide the batches, and not the operations of one batch, most of which are too small
    // to be divided.
    translator_.divide_batches(std::ssize(batches), [&](int64_t i) {
      if (hooks.interrupted && hooks.interrupted()) return;
      translator_.memory_->search(batches[i], part);
      if (hooks.interrupted && hooks.interrupted()) return;
      if (hooks.searched) hooks.searched(std::ssize(batches[i]));
    });
  }

  SearchOptions options_of(const Batch& batch) const {
    const text::Vocabulary& target = first().target;
    SearchOptions options{.config = config_,
                          .keep_attention = request_.keep_attention,
                          .fixed_prefix = std::ssize(target.beginning()),
                          .never = translator_.never_};
    options.config.n_best = std::max(config_.n_best, config_.mbr);
    options.config.min_length += options.fixed_prefix;
    if (is_constrained()) {
      options.inside_words = glossary_->inside_words();
      options.before_more = glossary_->before_more();
    }
    // Equal texts are allowed among samples, which are independent, and for mbr, which adds up
    // their weights.
    if (config_.n_best > 1 && config_.mbr == 0 && !samples(config_.sampling))
      options.text = [&target](const std::vector<int32_t>& ids) { return target.decode(ids); };
    for (const int64_t i : batch) {
      options.sampling_streams.push_back(request_.numbers.stream_of(i));
      if (!lines_.prefixes.empty()) options.prefixes.push_back(lines_.prefixes[i]);
      if (is_constrained()) options.terms.push_back(lines_.terms[i]);
      if (!is_open(i)) options.lists.push_back(shortlist_of(i));
    }
    return options;
  }

  /// Returns the pieces that the translation of a line may have.
  engine::PieceList shortlist_of(int64_t i) const {
    std::vector<int32_t> required;
    if (!lines_.prefixes.empty()) required = lines_.prefixes[i];
    if (is_constrained())
      for (const TermPieces& targets : lines_.terms[i])
        for (const auto& pieces : targets)
          required.insert(required.end(), pieces.begin(), pieces.end());
    return translator_.shortlist_->pieces_for(lines_.members[0][i].source, required);
  }

  void search_rows(const Batch& batch, const SearchHooks& hooks) {
    std::vector<data::Batch> sources;
    for (const auto& examples : lines_.members) {
      std::vector<const data::Example*> chosen;
      for (const int64_t i : batch) chosen.push_back(&examples[i]);
      sources.push_back(data::make_batch(chosen));
    }
    std::vector<int64_t> lengths;
    for (const int64_t i : batch) lengths.push_back(std::ssize(lines_.members[0][i].source) + 1);
    SearchOptions options = options_of(batch);
    options.interrupted = hooks.interrupted;
    std::vector<std::vector<Hypothesis>> found;
    translator_.with_steps(sources, options, [&](Steps& steps) {
      found = decode::search(steps, lengths, options, translator_.longest());
    });
    for (std::size_t row = 0; row < batch.size(); ++row)
      out_[batch[row]].hypotheses = std::move(found[row]);
  }

  void spell() {
    const auto spell_line = [&](int64_t i) {
      if (lines_.lengths[i] > 0)
        spell(lines_.members[0][i], out_[i]);
      else if (comes_back(i))
        give_back(request_.lines[i], out_[i]);
    };
    // With mbr all candidates are compared with each other, which takes long enough to be divided
    // among threads.
    if (config_.mbr > 0)
      engine::divide_items(*translator_.threads_, std::ssize(out_), spell_line);
    else
      for (int64_t i = 0; i < std::ssize(out_); ++i) spell_line(i);
  }

  void spell(const data::Example& example, Translation& out) const {
    out.source_pieces = piece_names(first().source, example.source);
    for (const Hypothesis& hypothesis : out.hypotheses)
      out.texts.push_back(first().target.decode(hypothesis.ids, out.unknown_of_prefix));
    if (config_.mbr > 0) choose_by_utility(out.hypotheses, out.texts, config_);
    if (!out.texts.empty()) out.text = out.texts[0];
  }

  void give_back(const std::string& line, Translation& out) const {
    const int64_t most = translator_.source_limit();
    out.is_source = true;
    out.text = line;
    out.texts = {line};
    out.source_pieces = piece_names(first().source, first_pieces(first().source, line, most));
    Hypothesis& one = out.hypotheses.emplace_back();
    one.ids = first_pieces(first().target, line, most);
    one.token_log_probabilities.assign(one.ids.size() + 1, 0);
    out.unknown_of_prefix = unknown_pieces(first().target, line, one.ids);
  }

  const LineTranslator& translator_;
  const LinesRequest& request_;
  const DecodeConfig& config_;
  const Glossary* glossary_;  // or null
  EncodedLines lines_;
  std::vector<Translation> out_;
};

LineTranslator::LineTranslator(std::vector<MemberText> members, DecodeConfig config,
                               const engine::Threads& threads)
    : config_(std::move(config)), threads_(&threads), members_(std::move(members)) {
  expect(!members_.empty(), "a translator has at least one model");
  for (const MemberText& member : members_)
    expect(member.target.fingerprint() == first_text().target.fingerprint(),
           "the models of an ensemble share a target vocabulary");
  for (MemberText& member : members_) member.source = member.source.for_translation();
  never_ = never_produced(first_text().target, config_.forbid);
  if (const std::string& file = config_.shortlist; !file.empty()) {
    require_file(file, "decoding.shortlist");
    shortlist_.emplace(read_file(file), file, first_text().source, first_text().target);
  }
  if (!config_.glossary.empty())
    glossary_ =
        for_search(Glossary(config_, first_text().source_language, first_text().target_language),
                   config_, first_text().target);
}

LinesResult LineTranslator::translate(const LinesRequest& request, const SearchHooks& hooks) const {
  return Search(*this, request).run(hooks);
}

std::vector<std::vector<int64_t>> LineTranslator::batches_of(const LinesRequest& request) const {
  return Search(*this, request).batches();
}

std::shared_ptr<const Glossary> LineTranslator::glossary_of(
    const std::vector<TextLines>& terms) const {
  return for_search(Glossary(config_, terms), config_, first_text().target);
}

std::string LineTranslator::with_terms(const std::string& line, const Glossary* glossary) const {
  if (glossary == nullptr) glossary = glossary_.get();
  return glossary != nullptr && glossary->is_inline() ? glossary->marked(line) : line;
}

void LineTranslator::divide_batches(int64_t batches,
                                    const std::function<void(int64_t batch)>& work) const {
  engine::divide_items(*threads_, batches, work);
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
  return std::min(std::max(config_.max_source_length, first_text().trained_length), longest() - 1);
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

}  // namespace heed::decode
