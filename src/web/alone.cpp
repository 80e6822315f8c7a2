#include "web/alone.h"

#include "base/json.h"
#include "engine/matrix.h"
#include "engine/network.h"
#include "engine/threads.h"
#include "engine/weights.h"
#include "model/description/traits.h"
#include "serve/answers/answers.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace heed::web {
namespace {

constexpr auto kNumbers = engine::WeightFormat::int8;

}  // namespace

Alone::Alone(const Settings& settings, const engine::Weights& weights,
             const text::Vocabulary& source, const text::Vocabulary& target)
    : shown_(settings.shown),
      model_(settings.model),
      translator_({{.text = {source.beginning_with(settings.before_source)
                                 .with_end(settings.source_end)
                                 .with_pieces_as_words(settings.pieces),
                             target.beginning_with(settings.before_target)
                                 .with_pieces_as_words(settings.pieces)},
                    .network = engine::make_network(settings.model, weights, kNumbers),
                    .longest = model::traits(settings.model).longest,
                    .attends = !settings.shown.kinds.empty()}},
                  settings.decoding, kNumbers, engine::kOneThread) {}

std::string Alone::answer(std::string_view question) {
  const auto request = json_of(question);
  const std::string line = text::repair(request.at("q").get<std::string>()),
                    prefix = text::repair(request.at("prefix").get<std::string>());
  serve::require_short_prefix(translator_, prefix);
  const std::string path = request.at("path");
  if (path == "candidates")
    return serve::text_of(serve::candidates_of(translator_, line, prefix, request.at("count")));
  return serve::text_of(
      path == "steps" ? serve::steps_of(shown_, model_, translator_, line, prefix)
                      : serve::attention_of(shown_, translator_,
                                            {.line = line, .prefix = prefix, .kinds = shown_.kinds})
                            .body);
}

}  // namespace heed::web
