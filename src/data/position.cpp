#include "data/position.h"

#include <exception>

#include "base/error.h"
#include "base/json.h"
#include "base/strings.h"

namespace heed::data {

std::string Position::to_json() const {
  return fmt::format(R"({{"epoch":{},"pool":{},"batch":{},"order":"{:016x}"{}}})", epoch, pool,
                     batch, order,
                     stage_batches > 0 ? fmt::format(R"(,"made":{})", stage_batches) : "");
}

Position Position::from_json(const std::string& text) {
  try {
    const auto json = heed::json_of(text);
    return {json.at("epoch"), json.at("pool"), json.at("batch"),
            std::stoull(json.at("order").get<std::string>(), nullptr, 16),
            json.value("made", int64_t{0})};
  } catch (const std::exception&) {
    throw UserError("a damaged place in the training data: '{}'", one_line(text));
  }
}

}  // namespace heed::data
