// A model's report for programs.
#include <nlohmann/json.hpp>
#include <variant>

#include "apps/inspect/report.h"
#include "base/strings.h"
#include "config/view.h"

namespace heed {
namespace {

using nlohmann::ordered_json;

ordered_json section_json(const config::SectionView& section);

struct ValueJson {
  template <class T>
  ordered_json operator()(const T* value) const {
    return *value;
  }
  ordered_json operator()(const config::EnumView& value) const {
    return value.names->at(value.get());
  }
  ordered_json operator()(const config::SectionView& section) const {
    return section_json(section);
  }
  ordered_json operator()(const config::ListView& list) const {
    ordered_json out = ordered_json::array();
    for (std::size_t i = 0; i < list.size(); ++i) out.push_back(section_json(list.at(i)));
    return out;
  }
};

ordered_json section_json(const config::SectionView& section) {
  ordered_json out = ordered_json::object();
  for (const config::FieldView& field : section.fields)
    out[field.key] = std::visit(ValueJson{}, field.value);
  return out;
}

ordered_json vocabulary_json(const run::VocabularyReport& vocabulary) {
  ordered_json special = ordered_json::object();
  for (std::size_t id = 0; id < vocabulary.special.size(); ++id)
    special[vocabulary.special[id]] = id;
  return {{"pieces", vocabulary.pieces},
          {"fingerprint", vocabulary.fingerprint},
          {"special", special},
          {"examples", vocabulary.examples}};
}

ordered_json training_json(const run::ModelReport& report) {
  ordered_json out = {{"finished", report.summary.has_value()}, {"updates", report.updates}};
  if (report.best)
    out["best_validation"] = {
        {"update", report.best->update},
        {"loss", *report.best->loss},
        {"perplexity", *report.best->perplexity},
        {"bleu", report.best->bleu ? ordered_json(*report.best->bleu) : ordered_json()}};
  if (!report.summary) return out;
  out["updates"] = report.summary->updates;
  out["minutes"] = report.summary->minutes;
  out["tokens_per_second"] = report.summary->tokens_per_second;
  out["stop_reason"] = report.summary->stop_reason;
  out["test"] = report.summary->test_scores;
  return out;
}

}  // namespace

std::string report_json(run::ModelReport report) {
  ordered_json tensors = ordered_json::array(), modules = ordered_json::object(),
               checkpoints = ordered_json::array();
  for (const run::TensorRow& tensor : report.tensors) {
    ordered_json row = {
        {"name", tensor.name}, {"shape", tensor.shape}, {"parameters", tensor.parameters}};
    if (!tensor.tied_to.empty()) row["tied_to"] = tensor.tied_to;
    tensors.push_back(row);
    ordered_json& module = modules[split(tensor.name, '.')[0]];
    module = (module.is_null() ? 0 : module.get<int64_t>()) + tensor.parameters;
  }
  for (const run::CheckpointFile& file : report.checkpoints)
    checkpoints.push_back({{"file", file.name}, {"bytes", file.bytes}});
  return ordered_json{{"folder", report.folder},
                      {"parameters", report.parameters()},
                      {"bytes", report.bytes},
                      {"modules", modules},
                      {"tensors", tensors},
                      {"vocabulary",
                       {{"joint", run::is_joint(report.config)},
                        {"source", vocabulary_json(report.source)},
                        {"target", vocabulary_json(report.target)}}},
                      {"training", training_json(report)},
                      {"checkpoints", checkpoints},
                      {"config", section_json(config::view(report.config))}}
             .dump(2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace heed
