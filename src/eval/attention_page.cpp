#include "eval/attention_page.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "eval/svg.h"

namespace heed::eval {
namespace {

using nlohmann::json;

// Whole numbers keep a page of many heads a third as long as decimals do.
constexpr float kUnits = 10000;

json weights_of(const AttentionMatrix& matrix) {
  json weights = json::array();
  for (const float weight : matrix.weights) weights.push_back(std::lround(weight * kUnits));
  return weights;
}

// Replaces each marker where the template has it; never inside what was filled in.
std::string fill(std::string_view page,
                 std::initializer_list<std::pair<std::string_view, const std::string*>> values) {
  std::string out;
  for (std::size_t at = 0; at < page.size();) {
    bool filled = false;
    for (const auto& [marker, value] : values) {
      if (!page.substr(at).starts_with(marker)) continue;
      out += *value;
      at += marker.size();
      filled = true;
      break;
    }
    if (!filled) out += page[at++];
  }
  return out;
}

}  // namespace

std::string attention_json(std::span<const AttentionMatrix> matrices) {
  json sentences = json::array();
  std::map<int64_t, std::size_t> position;  // sentence -> index, in order of first appearance
  for (const AttentionMatrix& matrix : matrices) {
    check(matrix);
    const auto [found, is_new] = position.try_emplace(matrix.sentence, sentences.size());
    if (is_new) sentences.push_back({{"id", matrix.sentence}, {"views", json::array()}});
    sentences[found->second]["views"].push_back({{"kind", matrix.kind},
                                                 {"layer", matrix.layer},
                                                 {"head", matrix.head},
                                                 {"target", matrix.target},
                                                 {"source", matrix.source},
                                                 {"weights", weights_of(matrix)}});
  }
  const std::string text = sentences.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string safe;
  for (const char c : text) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

std::string attention_page(std::span<const AttentionMatrix> matrices, const std::string& title) {
  if (matrices.empty()) throw UserError("there is no attention to show: no sentence was given");
  const std::string name = xml_escape(title), data = attention_json(matrices);
  return fill(kAttentionPage, {{"@title@", &name}, {"@data@", &data}});
}

}  // namespace heed::eval
