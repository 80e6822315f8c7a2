#include "run/measured_times.h"

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/strings.h"
#include "kernels/rows/versions.h"

namespace heed::run {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestFile = 1 << 20;  // bytes; a larger one is begun anew
constexpr const char* kProgram = "program";
constexpr const char* kTimes = "times";
constexpr const char* kSpread = "spread";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The folder for what heed may lose; empty where no variable names one. The XDG Base Directory
/// Specification has programs ignore paths that are not absolute. A home that is not there, as
/// services have it, is not made.
std::string cache_folder() {
  if (const std::string own = variable("HEED_CACHE"); !own.empty()) return own;
  const std::string all = variable("XDG_CACHE_HOME"), home = variable("HOME");
  std::error_code none;
  if (all.starts_with('/')) return all + "/heed";
  return home.starts_with('/') && std::filesystem::is_directory(home, none) ? home + "/.cache/heed"
                                                                            : "";
}

std::string file_of_user() {
  const std::string folder = cache_folder();
  return folder.empty() ? "" : folder + "/precision_times.json";
}

/// All on which the speed of a product depends but for its sizes and the program. The number of
/// threads is not among them: one thread is measured, and a choice that depended on it would give
/// other bits with other `threads`.
std::string this_machine_name() {
  std::string name = processor_kind();
  // The system may keep both from a program on the same processor.
  if (kernels::has_amx()) name += ", AMX";
  if (const std::string most = variable("ONEDNN_MAX_CPU_ISA"); !most.empty())
    name += ", ONEDNN_MAX_CPU_ISA " + most;
  if (const std::string most = variable("HEED_INSTRUCTIONS"); !most.empty())
    name += ", HEED_INSTRUCTIONS " + most;
  return name;
}

/// The content of the file; an empty object where it is none of heed.
json content_of(const std::string& path) {
  try {
    const std::string bytes = read_regular_file(path);
    json content = bytes.size() > kLargestFile ? json() : json_or_discarded(bytes);
    if (content.is_object()) return content;
    log::debug("{}: is not a file of times that heed wrote; they are measured anew", path);
  } catch (const std::runtime_error& error) {
    log::debug("{}; times are measured", error.what());
  }
  return json::object();
}

/// An item of an object; null where there is none.
const json* item(const json* object, const std::string& name) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(name);
  return found == object->end() ? nullptr : &*found;
}

/// Nothing where the file does not have a positive number.
std::optional<double> positive_in(const json& times, const char* name) {
  const json* value = item(&times, name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const auto number = value->get<double>();
  return std::isfinite(number) && number > 0 ? std::optional(number) : std::nullopt;
}

/// Returns whether it could be written.
bool replace_file(const std::string& path, const json& content) {
  try {
    make_folder(parent_folder(path));
    require_regular(path);  // a pipe would wait for a reader
    // Names come from the system: whatever is no UTF-8 in them is replaced.
    write_atomic(path, content.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
    return true;
  } catch (const std::runtime_error& error) {
    log::debug("{}; the next command measures again", error.what());
    return false;
  }
}

}  // namespace

MeasuredTimes::MeasuredTimes(std::string path, std::function<std::string()> machine,
                             std::string program)
    : path_(std::move(path)), machine_(std::move(machine)), program_(std::move(program)) {}

MeasuredTimes::MeasuredTimes()
    : MeasuredTimes(file_of_user(), this_machine_name, "heed " HEED_VERSION) {}

std::optional<PrecisionTimes> MeasuredTimes::find(const std::string& products) const {
  if (path_.empty()) return std::nullopt;
  const json content = content_of(path_);
  const json* machine = item(&content, machine_());
  const json* program = item(machine, kProgram);
  const json* times = item(item(machine, kTimes), products);
  if (program == nullptr || *program != program_ || times == nullptr) return std::nullopt;
  const auto fp32 = positive_in(*times, "fp32");
  if (!fp32) return std::nullopt;
  return PrecisionTimes{.fp32 = *fp32,
                        .bf16 = positive_in(*times, "bf16").value_or(0),
                        .int8 = positive_in(*times, "int8").value_or(0),
                        .spread = positive_in(*times, kSpread).value_or(0)};
}

KnownTimes MeasuredTimes::of(const std::string& products,
                             const std::function<PrecisionTimes()>& measure) const {
  if (const auto known = find(products)) return {.times = *known, .from_file = true};
  const PrecisionTimes times = measure();
  if (path_.empty()) return {.times = times};
  json content = content_of(path_);  // another process may have added something
  json& machine = content[machine_()];
  const json* program = item(&machine, kProgram);
  const json* others = item(&machine, kTimes);
  if (program == nullptr || *program != program_ || others == nullptr || !others->is_object())
    machine = {{kProgram, program_}, {kTimes, json::object()}};
  json& entry = machine[kTimes][products] = json::object();
  const std::pair<const char*, double> numbers[] = {
      {"fp32", times.fp32}, {"bf16", times.bf16}, {"int8", times.int8}, {kSpread, times.spread}};
  for (const auto& [name, number] : numbers)
    if (number > 0) entry[name] = number;
  replace_file(path_, content);
  return {.times = times};
}

bool MeasuredTimes::forget() const {
  if (path_.empty()) return false;
  json content = content_of(path_);
  content.erase(machine_());
  return replace_file(path_, content);
}

std::string products_name(const std::string& use, const std::vector<model::LayerSize>& layers) {
  using Rows = model::LayerSize::Rows;
  std::vector<std::string> names;
  for (const model::LayerSize& layer : layers)
    names.push_back(
        fmt::format("{}-{} x{}{}{}", layer.in, layer.out, layer.count,
                    layer.of_source > 0 ? fmt::format(" ({} of the source)", layer.of_source) : "",
                    layer.rows == Rows::step     ? " by steps"
                    : layer.rows == Rows::output ? " logits"
                                                 : ""));
  return use + ": " + join(names, ", ");
}

KnownTimes translating_times(const model::ModelConfig& config, const engine::SearchRows& rows,
                             const MeasuredTimes& measured) {
  const std::string use = fmt::format("translating by {} and {}", rows.sentences, rows.beam);
  return measured.of(products_name(use, model::layer_sizes(config, rows.vocabulary)),
                     [&] { return engine::search_times(config, rows); });
}

}  // namespace heed::run
