#include "serve/served_model.h"

#include "base/error.h"
#include "base/strings.h"
#include "serve/languages.h"
#include "serve/parameters.h"

namespace heed::serve {
namespace {

/// Whether the server chooses.
bool is_open(const std::string& language) {
  return language.empty() || language == "auto";
}

int fit_or_open(const std::string& code, const std::string& wished) {
  return is_open(wished) ? 2 : fit_of(code, wished);
}

}  // namespace

std::size_t choose(const std::vector<ServedModel>& models, const Parameters& parameters) {
  const std::string name = parameters.text("model"), source = parameters.text("source"),
                    target = parameters.text("target");
  std::vector<std::string> names;
  bool named = false;
  std::size_t chosen = 0;
  int best = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const ServedModel& model = models[i];
    names.push_back(model.name);
    if (!name.empty() && name != model.name) continue;
    named = true;
    const int fit = fit_or_open(model.source, source) * fit_or_open(model.target, target);
    if (fit > best) best = fit, chosen = i;
  }
  if (best > 0) return chosen;
  if (!named) throw UserError("model: '{}' is not here; {}", one_line(name), join(names, ", "));
  throw UserError(
      (name.empty() ? "no model here translates" : one_line(name) + " does not translate") +
      (is_open(source) ? "" : " from " + one_line(source)) +
      (is_open(target) ? "" : " to " + one_line(target)) + "; GET /languages lists them");
}

}  // namespace heed::serve
