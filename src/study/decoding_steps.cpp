#include "study/decoding_steps.h"

#include <string_view>
#include <utility>

#include "base/strings.h"
#include "config/schema.h"

namespace heed::study {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const NumberRows& numbers) {
  const std::string_view bytes(reinterpret_cast<const char*>(numbers.values.data()),
                               numbers.values.size() * sizeof(float));
  return {{"shape", numbers.shape}, {"floats", base64(bytes)}};
}

Json json_of(const WorkedHead& head) {
  Json out{{"kind", config::name_of(head.kind)},
           {"layer", head.layer},
           {"head", head.head},
           {"score", head.score},
           {"factor", head.factor},
           {"adds", head.adds},
           {"normaliser", head.normaliser}};
  for (const auto& [name, numbers] : head.numbers) out[name] = json_of(numbers);
  return out;
}

}  // namespace

Json json_of(const DecodingSteps& steps) {
  Json heads = Json::array(), likely = Json::array();
  for (const WorkedHead& head : steps.heads) heads.push_back(json_of(head));
  for (const auto& pieces : steps.likely) {
    Json& row = likely.emplace_back(Json::array());
    for (const auto& [piece, probability] : pieces)
      row.push_back(Json::array({piece, probability}));
  }
  return {{"attention", steps.attention}, {"states", steps.states},   {"id", steps.sentence},
          {"source", steps.source},       {"target", steps.target},   {"likely", std::move(likely)},
          {"chosen", steps.chosen},       {"heads", std::move(heads)}};
}

}  // namespace heed::study
