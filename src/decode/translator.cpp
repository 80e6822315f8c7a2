#include "decode/translator.h"

#include <ATen/ATen.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "config/attention_kind.h"
#include "data/batch.h"
#include "data/example.h"
#include "decode/model_steps.h"
#include "decode/recorded_steps.h"
#include "decode/search/config.h"
#include "decode/search/encoded_lines.h"
#include "decode/search/engine_translator.h"
#include "decode/search/search.h"
#include "engine/matrix.h"
#include "engine/weights.h"
#include "kernels/divide_work.h"
#include "model/device.h"
#include "model/model.h"
#include "model/recurrent/recurrent.h"
#include "model/source.h"
#include "model/trace.h"
#include "model/transformer/transformer.h"
#include "model/weights.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

constexpr int64_t kScoredTokens = 1024;  // scoring holds the whole [target, vocab] of a batch
constexpr int64_t kDeviceFactor = 8;     // a GPU has the memory and needs the parallelism

// Tokens get 1 / kShareOfTokens of a GPU's free memory, hypotheses 1 / kShareOfHypotheses. The
// caches of tokens may take three times their size for a moment, when they grow, and the encoder
// needs memory, too.
constexpr int64_t kShareOfTokens = 4, kShareOfHypotheses = 8;
constexpr int64_t kMostSentences = 2048;  // a larger batch does not keep a GPU busier

BatchLimits what_fits(const std::vector<model::Model*>& models, int64_t width,
                      const SearchRoom& room) {
  const auto number = static_cast<int64_t>(c10::elementSize(room.precision));
  int64_t token = 0, sentence = 0;  // bytes
  for (const model::Model* model : models) {
    const model::StateSize size = model->state_size();
    token += number * (size.source + width * size.hypothesis);
    sentence += width * room.vocabulary * (number + 4);  // logits, and log-probabilities in fp32
  }
  return {.sentences = std::clamp<int64_t>(
              room.free / kShareOfHypotheses / std::max<int64_t>(sentence, 1), 1, kMostSentences),
          .tokens = std::max<int64_t>(room.free / kShareOfTokens / std::max<int64_t>(token, 1), 1)};
}

constexpr const char* kNoInt8 =
    "decoding.weights: int8 needs a CPU, and no mechanism that was added to a registry; set bf16 "
    "or "
    "fp32";

}  // namespace

engine::Weights weights_of(const model::Model& model) {
  std::map<std::string, engine::Array> arrays;
  for (const auto& [name, tensor] : model::named_weights(model)) {
    const auto dense = std::make_shared<Tensor>(tensor.to(at::kCPU, at::kFloat).contiguous());
    arrays[name] = {dense->const_data_ptr<float>(), dense->sizes().vec(), dense};
  }
  return engine::Weights(std::move(arrays));
}

std::unique_ptr<engine::Network> network_of(const model::Model& model,
                                            engine::WeightFormat numbers) {
  for (const Tensor& parameter : model.parameters())
    if (parameter.scalar_type() != at::kFloat) return nullptr;
  const auto* transformer = model::transformer_config(model);
  const auto* config = transformer != nullptr ? transformer : model::recurrent_config(model);
  if (config == nullptr || !engine::has_network(*config)) return nullptr;
  return engine::make_network(*config, weights_of(model), numbers);
}

BatchLimits search_limits(const std::vector<model::Model*>& models, const DecodeConfig& config,
                          const SearchRoom& room) {
  BatchLimits limits = search_limits(config);
  if (room.device.is_cpu()) return limits;
  if (config.batch_size == 0) return what_fits(models, width_of(config), room);
  limits.tokens *= kDeviceFactor;
  return limits;
}

BatchLimits score_limits(const DecodeConfig& config, const at::Device& device) {
  if (device.is_cpu())
    return {.sentences = search_limits(config).sentences, .tokens = kScoredTokens};
  return {.sentences = config.batch_size > 0 ? config.batch_size : kMostSentences,
          .tokens = kScoredTokens * kDeviceFactor};
}

void require_weights(const DecodeConfig& config, const at::Device& device) {
  if (config.weights == WeightType::int8 && !device.is_cpu()) throw UserError(kNoInt8);
  if (config.weights == WeightType::bf16 && device.is_cuda() && !model::has_bf16(device))
    throw UserError("decoding.weights: bf16: this GPU has none; set fp32");
}

Translator::Translator(std::vector<TranslatorModel> members, DecodeConfig config, at::Device device,
                       at::ScalarType precision)
    : LineTranslator(texts_of(members), std::move(config), libtorch_threads()),
      members_(std::move(members)),
      device_(device),
      precision_(precision) {
  for (auto& member : members_) member.model->to(device_);
  require_coverage(config_, first().model->attends());
  require_weights(config_, device_);
  if (config_.weights == WeightType::bf16) precision_ = at::kBFloat16;
  if (device_.is_cpu()) {
    if (config_.weights == WeightType::auto_bf16) precision_ = at::kBFloat16;
    if (config_.weights == WeightType::auto_fp32) precision_ = at::kFloat;
    make_engines();
  }
  if (!config_.shortlist.empty() && !has_engines())
    throw UserError(
        "decoding.shortlist: needs a CPU, and no mechanism that was added to a registry; leave it "
        "out");
  if (config_.graphs != Graphs::off && !device_.is_cpu()) {
    auto recorded = std::make_shared<RecordedSteps>(models(), device_, precision_);
    if (recorded->records()) recorded_ = std::move(recorded);
  }
  if (config_.batch_size == 0 && !device_.is_cpu()) free_memory_ = model::free_memory(device_);
}

void Translator::make_engines() {
  const engine::WeightFormat numbers = weight_format(config_.weights, precision_ == at::kBFloat16);
  for (const TranslatorModel& member : members_) {
    std::shared_ptr<const engine::Network> network = network_of(*member.model, numbers);
    if (network) {
      networks_.push_back(std::move(network));
    } else if (is_int8(config_.weights)) {
      throw UserError(kNoInt8);
    } else {
      networks_.clear();
      return;
    }
  }
  together_ = engine::sentences_together(numbers);
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

BatchLimits Translator::limits(const DecodeConfig& config) const {
  return search_limits(models(), config,
                       {.device = device_,
                        .precision = precision_,
                        .vocabulary = first_text().target.size(),
                        .free = free_memory_});
}

void Translator::divide_batches(int64_t batches, const std::function<void(int64_t)>& work) const {
  const model::EvaluationMode mode(models());  // set once here, because the threads only read it
  if (device_.is_cpu() && std::min<int64_t>(at::get_num_threads(), batches) > 1)
    return LineTranslator::divide_batches(batches, work);
  for (int64_t batch = 0; batch < batches; ++batch) work(batch);
}

void Translator::with_steps(const std::vector<data::Batch>& sources, const SearchOptions& options,
                            const std::function<void(Steps&)>& work) const {
  if (!networks_.empty()) return decode::with_steps(networks_, sources, options, *threads_, work);
  const model::Autocast autocast(device_, precision_);
  try {
    std::vector<model::Source> there;
    for (const data::Batch& source : sources) there.push_back(model::make_source(source, device_));
    return decode::with_steps(models(), there, options, recorded_.get(), work);
  } catch (const c10::Error& error) {
    if (!model::is_out_of_memory(error)) throw;
  }
  const bool again = recorded_ && recorded_->give_up("memory runs out");
  if (!device_.is_cpu()) c10::getDeviceAllocator(device_.type())->emptyCache();
  if (!again) throw std::bad_alloc();
  with_steps(sources, options, work);
}

engine::LayerMaps Translator::attention_of(const data::Batch& pairs,
                                           const std::vector<config::AttentionKind>& kinds) const {
  const at::NoGradGuard no_gradients;
  const model::Autocast autocast(device_, precision_);
  model::Trace trace{.kinds = {kinds.begin(), kinds.end()}};
  first().model->features(model::make_source(pairs, device_),
                          model::make_target_input(pairs, device_), &trace);
  engine::LayerMaps maps;
  for (const model::AttentionMap& map : trace.maps) {
    const at::Tensor weights =  // [sentences, rows, heads, keys]
        map.weights.to(at::kFloat).cpu().transpose(1, 2).contiguous();
    const float* numbers = weights.const_data_ptr<float>();
    maps.push_back({map.kind,
                    map.layer,
                    weights.size(2),
                    weights.size(3),
                    {numbers, numbers + weights.numel()}});
  }
  return maps;
}

std::vector<Translator::TargetScore> Translator::score(
    const std::vector<std::string>& sources, const std::vector<std::string>& targets) const {
  if (sources.size() != targets.size())
    throw UserError("scoring pairs: {} source lines and {} target lines", sources.size(),
                    targets.size());
  EncodedLines encoded =
      encode_lines(texts(), sources, {}, glossary(), text::Vocabulary::kAllPieces);
  for (const auto& examples : encoded.members)
    for (const data::Example& example : examples)
      require_short(std::ssize(example.source), "line " + std::to_string(example.origin.line));
  std::vector<int64_t> lengths;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto target = first_text().target.encode(targets[i]);
    lengths.push_back(static_cast<int64_t>(target.size()));
    require_short(lengths.back(), "target line " + std::to_string(i + 1));
    lengths.back() = padded_length(encoded.lengths[i], lengths.back());
    for (auto& examples : encoded.members) examples[i].target = target;
  }

  const at::NoGradGuard no_gradients;
  const model::EvaluationMode mode(models());
  std::vector<TargetScore> out(targets.size());
  const auto batches = batches_by_length(lengths, score_limits(config_, device_));
  kernels::divide_work(device_, std::ssize(batches), [&](int64_t number, int64_t) {
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
      // A symbol that begins the target is given like the source.
      const auto& target = encoded.members[0][chosen[row]].target;
      std::fill_n(score.tokens.begin(), first_text().target.symbols_before(target), 0.0F);
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
