#include "exchange/foreign_model.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "config/io.h"
#include "config/schema.h"
#include "exchange/side_vocabularies.h"
#include "exchange/transformer_parts.h"
#include "text/language_tags.h"

namespace heed::exchange {

std::string code_of_language(const std::string& name) {
  return text::is_known_language(name) ? name : text::language_called(name);
}

model::ModelConfig checked(const model::ModelConfig& config, const std::string& place) {
  model::ModelConfig sound;
  try {
    config::load_text(sound, config::dump(config), "");
    model::check(sound, /*joint_vocabulary=*/true);
  } catch (const config::ConfigError& fault) {
    // load_text() counts the lines of a text that the user has not written: ":14: model.width:
    // ...".
    const std::string_view what = fault.what();
    const std::size_t key = what.starts_with(':') ? what.find(": ") : std::string_view::npos;
    throw UserError("{}: {}", place, key == std::string_view::npos ? what : what.substr(key + 2));
  }
  return sound;
}

decode::LengthPenalty length_penalty_of(double alpha) {
  return alpha == 0   ? decode::LengthPenalty::none
         : alpha == 1 ? decode::LengthPenalty::average
                      : decode::LengthPenalty::power;
}

void finish(ForeignModel& model, const ForeignTransformer& from, const SideVocabularies& sides,
            Numbering numbering, const std::string& place) {
  numbering.source = sides.source.foreign_id;
  numbering.target = sides.target.foreign_id;
  if (numbering.target[text::kEnd] < 0 || (model.source_end && numbering.source[text::kEnd] < 0))
    throw UserError("{}: its vocabulary has no '{}', with which a text ends", place,
                    one_line(sides.target.vocabulary.piece(text::kEnd)));
  model.source = sides.source.vocabulary;
  model.target = sides.target.vocabulary;
  model.joint = sides.joint;
  model.weights = weights_from(from, numbering, model.model, place);
}

}  // namespace heed::exchange
