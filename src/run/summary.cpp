#include "run/summary.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"

namespace heed::run {

using nlohmann::json;

namespace {

json or_null(std::optional<double> number) {
  return number ? json(*number) : json(nullptr);
}

std::optional<double> number_in(const json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

}  // namespace

std::string Summary::to_json(const Provenance& provenance,
                             const data::HygieneReport& corpora) const {
  json summary{{"parameters", parameters},
               {"updates", updates},
               {"minutes", minutes},
               {"tokens_per_second", tokens_per_second},
               {"validation_loss", or_null(validation_loss)},
               {"validation_bleu", or_null(validation_bleu)},
               {"stop_reason", stop_reason},
               {"test", test_scores},
               {"provenance", json::parse(provenance.to_json())},
               {"corpora", json::parse(corpora.to_json())}};
  if (!base_before.empty()) summary["base"] = {{"before", base_before}, {"after", base_after}};
  return summary.dump(2) + "\n";
}

Summary Summary::read(const std::string& path) {
  const json summary = json::parse(read_regular_file(path), nullptr, /*allow_exceptions=*/false);
  try {
    return {.parameters = summary.at("parameters"),
            .updates = summary.at("updates"),
            .minutes = summary.at("minutes"),
            .tokens_per_second = summary.at("tokens_per_second"),
            .validation_loss = number_in(summary.at("validation_loss")),
            .validation_bleu = number_in(summary.at("validation_bleu")),
            .stop_reason = summary.at("stop_reason"),
            .test_scores = summary.at("test")};
  } catch (const json::exception&) {
    throw UserError(path + ": not a summary of a finished run; train it again");
  }
}

std::vector<CorpusSum> scored_corpora(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return {};
  std::vector<CorpusSum> sums;
  try {
    const json summary = json::parse(read_regular_file(path));
    for (const json& file : summary.at("provenance").at("corpora"))
      sums.push_back({file.at("path"), file.at("bytes"), file.at("sha256")});
  } catch (const json::exception&) {
    return {};
  }
  return sums;
}

}  // namespace heed::run
