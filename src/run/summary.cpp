#include "run/summary.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/strings.h"
#include "base/subprocess.h"
#include "data/config.h"
#include "data/flaws.h"
#include "text/tmx_lines.h"

namespace heed::run {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

json or_null(std::optional<double> number) {
  return number ? json(*number) : json(nullptr);
}

std::optional<double> number_in(const json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

/// The corpora of a provenance.
template <class Json>
std::vector<CorpusSum> sums_in(const Json& provenance) {
  std::vector<CorpusSum> sums;
  for (const Json& file : provenance.at("corpora"))
    sums.push_back({file.at("path"), file.at("bytes"), file.at("sha256")});
  return sums;
}

}  // namespace

std::string Provenance::to_json() const {
  ordered_json files = ordered_json::array(), pieces = ordered_json::object();
  for (const CorpusSum& sum : corpora)
    files.push_back({{"path", sum.path}, {"bytes", sum.bytes}, {"sha256", sum.sha256}});
  for (const auto& [name, fingerprint] : vocabularies) pieces[name] = fingerprint;
  const ordered_json json = {{"heed", heed},
                             {"commit", commit},
                             {"libtorch", libtorch},
                             {"processor", processor},
                             {"device", device},
                             {"precision", precision},
                             {"threads", threads},
                             {"command", command},
                             {"corpora", std::move(files)},
                             {"vocabularies", std::move(pieces)}};
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Provenance Provenance::read(const std::string& path) {
  try {
    const auto json = json_or_discarded<ordered_json>(read_regular_file(path));
    Provenance out{.heed = json.at("heed"),
                   .commit = json.at("commit"),
                   .libtorch = json.at("libtorch"),
                   .processor = json.at("processor"),
                   .device = json.at("device"),
                   .precision = json.at("precision"),
                   .threads = json.at("threads"),
                   .command = json.at("command"),
                   .corpora = sums_in(json)};
    for (const auto& [name, fingerprint] : json.at("vocabularies").items())
      out.vocabularies.emplace_back(name, fingerprint);
    return out;
  } catch (const ordered_json::exception&) {
    throw UserError(path + ": is damaged; remove it, and --resume writes a new one");
  }
}

CorpusSum sum_of(const std::string& path) {
  const std::string file = text::file_of_lines(path);
  const subprocess::Result result = subprocess::run({"sha256sum", "--zero", "--", file});
  if (result.status != 0 || result.out.size() < 64)
    throw Failure(path + ": sha256sum failed: " + std::string(trim(result.err)));
  return {path, std::filesystem::file_size(file), result.out.substr(0, 64)};
}

std::vector<CorpusSum> sums_of(const data::DataConfig& data) {
  std::vector<CorpusSum> sums;
  for (const auto& [key, corpus] : data::corpora_of(data))
    for (const std::string& path : {corpus->source, corpus->target, corpus->alignment})
      if (!path.empty()) sums.push_back(sum_of(path));
  return sums;
}

bool decides(const data::DataConfig& data, const std::string& path) {
  const bool overlap = data::leaves_out(data, data::Flaw::overlap);
  return std::ranges::any_of(data::corpora_of(data), [&](const auto& named) {
    const auto& [key, files] = named;
    const bool free = key.starts_with("data.more_valid") || (key == "data.test" && !overlap);
    return !free && (path == files->source || path == files->target || path == files->alignment);
  });
}

std::vector<CorpusSum> changed_corpora(const std::vector<CorpusSum>& before,
                                       const std::vector<CorpusSum>& now) {
  std::vector<CorpusSum> changed;
  for (const CorpusSum& sum : now)
    if (std::ranges::any_of(
            before, [&](const CorpusSum& old) { return old.path == sum.path && !(old == sum); }))
      changed.push_back(sum);
  return changed;
}

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
               {"provenance", json_of(provenance.to_json())},
               {"corpora", json_of(corpora.to_json())}};
  if (!base_before.empty()) summary["base"] = {{"before", base_before}, {"after", base_after}};
  return summary.dump(2) + "\n";
}

Summary Summary::read(const std::string& path) {
  const json summary = json_or_discarded(read_regular_file(path));
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
  try {
    return sums_in(json_or_discarded(read_regular_file(path)).at("provenance"));
  } catch (const json::exception&) {
    return {};
  }
}

}  // namespace heed::run
