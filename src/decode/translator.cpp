#include "decode/translator.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/strings.h"
#include "decode/ensemble.h"
#include "decode/mbr.h"
#include "decode/pieces.h"
#include "decode/recorded_steps.h"
#include "decode/sampling.h"
#include "decode/search.h"
#include "engine/transformer.h"
#include "kernels/share_out.h"
#include "model/device.h"
#include "model/evaluation_mode.h"
#include "text/normal_form.h"
#include "text/utf8.h"

namespace heed::decode {
namespace {

constexpr const char* kNoInt8 =
    "decoding.weights: int8 is for recurrent models, and for Transformers with softmax attention, "
    "on a CPU; set bf16 or fp32";

/// Whether so many of the pieces are unknown by more than chance.
bool is_unusual(int64_t unknown, int64_t pieces, double usual_share) {
  constexpr int64_t kFew = 10;
  constexpr double kOften = 5, kLeast = 0.02;
  return unknown >= kFew && static_cast<double>(unknown) > std::max(kOften * usual_share, kLeast) *
                                                               static_cast<double>(pieces);
}

void check_length(int64_t pieces, int64_t longest, const std::string& where,
                  const std::string& cure) {
  if (pieces + 1 <= longest) return;
  throw UserError("{} has {} pieces, and the model can take {}; {}", where, pieces, longest - 1,
                  cure);
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
                               : "the model writes no longer ones"};
}

/// Adds the time of its life to `seconds`.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

engine::WeightFormat numbers_of(WeightType weights, at::ScalarType precision) {
  if (weights == WeightType::int8) return engine::WeightFormat::int8;
  return precision == at::kBFloat16 ? engine::WeightFormat::bf16 : engine::WeightFormat::fp32;
}

}  // namespace

void require_weights(const DecodeConfig& config, const at::Device& device) {
  if (config.weights == WeightType::int8 && !device.is_cpu()) throw UserError(kNoInt8);
  if (config.weights == WeightType::bf16 && device.is_cuda() &&
      model::choose_precision("auto", device) != at::kBFloat16)
    throw UserError("decoding.weights: bf16: this GPU has none; set fp32");
}

Translator::Translator(std::vector<TranslatorModel> members, DecodeConfig config, at::Device device,
                       at::ScalarType precision)
    : members_(std::move(members)),
      config_(std::move(config)),
      device_(device),
      precision_(precision) {
  expect(!members_.empty(), "a translator has at least one model");
  for (auto& member : members_) {
    expect(member.target.fingerprint() == first().target.fingerprint(),
           "the models of an ensemble share a target vocabulary");
    member.model->to(device_);
  }
  if (config_.coverage_penalty > 0 && !first().model->attends())
    throw UserError(
        "decoding.coverage_penalty: counts the attention of the first model, which has none; set "
        "it to 0");
  never_ = never_produced(first().target, config_.forbid);
  require_weights(config_, device_);
  if (config_.weights == WeightType::bf16) precision_ = at::kBFloat16;
  const engine::WeightFormat numbers = numbers_of(config_.weights, precision_);
  for (auto& member : members_) {
    model::ModelPtr engine;
    if (device_.is_cpu()) engine = engine::make_engine(member.model, numbers);
    if (engine) {
      member.model = std::move(engine);
      together_ = engine::sentences_together(numbers);
    } else if (config_.weights == WeightType::int8)
      throw UserError(kNoInt8);
  }
  if (config_.graphs != Graphs::off && !device_.is_cpu()) {
    auto recorded = std::make_shared<RecordedSteps>(models(), device_, precision_);
    if (recorded->records()) recorded_ = std::move(recorded);
  }
  if (config_.batch_size == 0 && !device_.is_cpu()) free_memory_ = model::free_memory(device_);
}

bool Translator::is_same_in_any_batch() const {
  return !samples(config_.sampling) &&
         std::ranges::all_of(members_, [](const TranslatorModel& member) {
           return dynamic_cast<const engine::Engine*>(member.model.get()) != nullptr;
         });
}

void Translator::set_n_best(int64_t n_best) {
  DecodeConfig config = config_;
  config.n_best = n_best;
  check(config);
  config_.n_best = n_best;
}

std::vector<model::Model*> Translator::models() const {
  std::vector<model::Model*> out;
  for (const auto& member : members_) out.push_back(member.model.get());
  return out;
}

int64_t Translator::longest() const {
  int64_t longest = std::numeric_limits<int64_t>::max();
  for (const auto& member : members_) longest = std::min(longest, member.model->longest());
  return longest;
}

int64_t Translator::source_limit() const {
  return std::min(config_.max_source_length, longest() - 1);
}

int64_t Translator::pair_limit() const {
  return std::min(std::max(config_.max_source_length, trained_length), longest() - 1);
}

void Translator::require_short(int64_t pieces, const std::string& where) const {
  check_length(pieces, longest(), where, "split the line");
  if (pieces <= pair_limit()) return;
  throw UserError(
      "{} has {} pieces, and pairs are read up to {}; split the line, or raise "
      "decoding.max_source_length",
      where, pieces, pair_limit());
}

Translator::Lines Translator::encode(const std::vector<std::string>& lines, int64_t first_line,
                                     TooLong policy) const {
  Lines out;
  out.lengths.assign(lines.size(), 0);
  const auto limit = static_cast<std::size_t>(source_limit());
  const int64_t most = policy == TooLong::cut ? source_limit() : text::Vocabulary::kAllPieces;
  std::set<int64_t> cut;  // several members may cut a line
  for (const auto& member : members_) {
    auto& examples = out.members.emplace_back();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const int64_t number = number_of(static_cast<int64_t>(i), first_line);
      examples.push_back({.source = member.source.encode(lines[i], most), .origin = {0, number}});
      auto& source = examples.back().source;
      if (text::is_blank(lines[i])) source.clear();  // some vocabularies keep blanks
      if (&member == &first()) {
        if (knows_nothing(member.source, source)) out.strange.add(number);
        const auto unknown = std::ranges::count(source, text::kUnknown);
        out.pieces += std::ssize(source);
        out.unknown += unknown;
        out.decomposed += unknown > 0 && text::is_decomposed(lines[i]);
      }
      if (policy == TooLong::cut && source.size() > limit) {
        source.resize(limit);
        cut.insert(number);
      }
      const auto pieces = static_cast<int64_t>(source.size());
      if (policy == TooLong::refuse) require_short(pieces, "line " + std::to_string(number));
      out.lengths[i] = std::max(out.lengths[i], pieces);
    }
  }
  for (const int64_t number : cut) out.cut.add(number);
  return out;
}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines,
                                               int64_t first_line,
                                               const std::vector<std::string>& prefixes) {
  std::vector<Translation> out(lines.size());
  const Lines encoded = [&] {
    const Stopwatch watch(times_.text);
    Lines all = encode(lines, first_line, TooLong::cut);
    if (!prefixes.empty()) add_prefixes(prefixes, first_line, all);
    return all;
  }();
  for (std::size_t i = 0; i < prefixes.size(); ++i)
    out[i].unknown_of_prefix = unknown_pieces(first().target, prefixes[i], encoded.prefixes[i]);
  {
    const Stopwatch watch(times_.search);
    search_batches(encoded, first_line, out);
  }
  {
    const Stopwatch watch(times_.text);
    spell(encoded, out);
  }
  if (warn_of_cuts) warn(encoded, out, first_line);
  return out;
}

void Translator::add_prefixes(const std::vector<std::string>& prefixes, int64_t first_line,
                              Lines& lines) const {
  expect(prefixes.size() == lines.lengths.size(), "a prefix for each line");
  for (const std::string& prefix : prefixes) {
    lines.prefixes.push_back(first().target.encode(prefix));
    const int64_t number = number_of(std::ssize(lines.prefixes) - 1, first_line);
    check_length(std::ssize(lines.prefixes.back()), longest(),
                 "the prefix of line " + std::to_string(number), "shorten the prefix");
  }
}

std::vector<std::vector<int64_t>> Translator::batches_of(
    const std::vector<std::string>& lines) const {
  return cut(encode(lines, 1, TooLong::cut));
}

void Translator::warn_of_unknown(const Lines& lines, int64_t first_line) const {
  const int64_t last = number_of(std::ssize(lines.lengths) - 1, first_line);
  log::warn(
      "lines {} to {}: {} of {} are unknown to the vocabulary, far more than in training{}",
      first_line, last, lines.unknown, counted(lines.pieces, "piece"),
      lines.decomposed == 0
          ? ""
          : fmt::format("; {} with decomposed letters (NFD); `python3 -c 'import sys, unicodedata; "
                        "print(unicodedata.normalize(\"NFC\", sys.stdin.read()), end=\"\")' < OLD "
                        "> NEW` composes them",
                        counted(lines.decomposed, "line")));
}

void Translator::warn(const Lines& lines, const std::vector<Translation>& translations,
                      int64_t first_line) const {
  if (lines.cut.count > 0)
    log::warn("cut to {} pieces before translating: line {}{}", source_limit(), lines.cut.list(),
              source_limit() < config_.max_source_length
                  ? " (the model takes no longer ones)"
                  : " (decoding.max_source_length raises it)");
  if (lines.strange.count > 0)
    log::warn(
        "the vocabulary knows no piece of line {}; is this the language that the model translates "
        "from?",
        lines.strange.list());
  if (is_unusual(lines.unknown, lines.pieces, first().usual_unknown))
    warn_of_unknown(lines, first_line);
  std::map<std::pair<std::string, std::string>, data::Notice> cut;  // by cut_text()
  for (std::size_t i = 0; i < translations.size(); ++i) {
    if (translations[i].hypotheses.empty() || !translations[i].hypotheses[0].cut) continue;
    const int64_t given = lines.prefixes.empty() ? 0 : std::ssize(lines.prefixes[i]);
    const int64_t limit = length_limit(config_, std::ssize(lines.members[0][i].source), longest());
    cut[cut_text(translations[i].hypotheses[0], std::min(given + limit, longest()), longest())].add(
        number_of(static_cast<int64_t>(i), first_line));
  }
  for (const auto& [text, notice] : cut)
    log::warn("{}{}, line {} ({})", notice.count == 1 ? "translation cut " : "translations cut ",
              text.first, notice.list(), text.second);
}

void Translator::spell(const Lines& lines, std::vector<Translation>& out) const {
  const auto spell_line = [&](int64_t i, int64_t) {
    if (lines.lengths[i] > 0) spell(lines.members[0][i], out[i]);
  };
  // Candidates are compared with each other, which is work.
  if (config_.mbr > 0) return kernels::share_out(std::ssize(out), spell_line);
  for (int64_t i = 0; i < std::ssize(out); ++i) spell_line(i, 0);
}

void Translator::spell(const data::Example& example, Translation& out) const {
  out.source_pieces = piece_names(first().source, example.source);
  for (const Hypothesis& hypothesis : out.hypotheses)
    out.texts.push_back(first().target.decode(hypothesis.ids, out.unknown_of_prefix));
  if (config_.mbr > 0) choose_by_utility(out.hypotheses, out.texts, config_);
  if (!out.texts.empty()) out.text = out.texts[0];
}

std::vector<Translator::TargetScore> Translator::score(const std::vector<std::string>& sources,
                                                       const std::vector<std::string>& targets) {
  if (sources.size() != targets.size())
    throw UserError("scoring pairs: {} source lines and {} target lines", sources.size(),
                    targets.size());
  Lines encoded = encode(sources, 1, TooLong::refuse);
  std::vector<int64_t> lengths;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto target = first().target.encode(targets[i]);
    lengths.push_back(static_cast<int64_t>(target.size()));
    require_short(lengths.back(), "target line " + std::to_string(i + 1));
    lengths.back() = padded_length(encoded.lengths[i], lengths.back());
    for (auto& examples : encoded.members) examples[i].target = target;
  }

  const at::NoGradGuard no_gradients;
  const model::EvaluationMode mode(models());
  std::vector<TargetScore> out(targets.size());
  const auto batches = batches_by_length(lengths, score_limits(config_, device_));
  kernels::share_out(device_, std::ssize(batches), [&](int64_t number, int64_t) {
    const model::Autocast autocast(device_, precision_);
    const auto& chosen = batches[number];
    std::vector<at::Tensor> logits;
    data::Batch batch;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      std::vector<const data::Example*> examples;
      for (const int64_t i : chosen) examples.push_back(&encoded.members[m][i]);
      batch = data::make_batch(examples);
      auto& model = *members_[m].model;
      logits.push_back(model.logits(model.features(model::make_source(batch, device_),
                                                   model::make_target_input(batch, device_))));
    }
    const auto output = model::upload_numbers(batch.target_output, device_)
                            .view({batch.size, batch.target_length, 1});
    const auto picked =
        mixed_log_probabilities(logits).gather(-1, output).squeeze(-1).cpu().contiguous();
    const float* values = picked.const_data_ptr<float>();  // [batch, target]
    for (int64_t row = 0; row < batch.size; ++row) {
      TargetScore& score = out[chosen[row]];
      const float* begin = values + row * batch.target_length;
      score.tokens.assign(begin, begin + batch.target_lengths[row]);
      score.log_probability = std::accumulate(score.tokens.begin(), score.tokens.end(), 0.0);
    }
  });
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!std::isfinite(out[i].log_probability))
      throw Failure(
          "line {}: the model's score is not a number: its weights are damaged or diverged", i + 1);
  return out;
}

}  // namespace heed::decode
